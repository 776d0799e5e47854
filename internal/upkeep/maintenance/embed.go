package maintenance

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/vectorstore"
)

// EmbedKind names the runs that embed in the background what was read: the sentences of documents, whose passages were
// embedded while they were read, and the passages of those that were read without an embedding model.
const EmbedKind = "embed"

// EmbedState is the state of such a run.
type EmbedState struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Passages  int                `json:"passages"`  // vectors made of passages
	Sentences int                `json:"sentences"` // vectors made of sentences
}

type embedUpdate = state.Update[EmbedState]

// embedKind lets one run at a time embed, in whatever process, and orders another if documents have come meanwhile.
func (svc *Service) embedKind() run.Kind {
	return run.Kind{
		Name: EmbedKind, Title: "Sentences embedded", Topology: svc.embedding.Topology(), Concurrency: 1, About: "workspace", Whole: true, Apart: true,
		Subjects: run.OfWorkspace, WaitsForServers: true, PausesAtCap: true,
		Work: func(ctx context.Context, a *run.Attempt) error {
			if another, err := svc.another(ctx, a.Run); err != nil || another {
				return err
			}
			_, err := run.Graph(ctx, a, svc.embedding, EmbedState{Workspace: a.Workspace})
			return err
		},
		Settled: func(ctx context.Context, r job.Run) error {
			if r.Status == job.Done {
				svc.OrderEmbedding(ctx, r.Workspace)
			}
			return nil
		},
	}
}

// another reports whether an earlier run embeds already.
func (svc *Service) another(ctx context.Context, r job.Run) (bool, error) {
	running, err := svc.Queue.List(ctx, r.Workspace, job.Query{Kind: EmbedKind, Status: []job.Status{job.Running}})
	return slices.ContainsFunc(running, func(o job.Run) bool { return o.ID < r.ID }), err
}

// AfterReading returns a kind of run like k that, after each run, has the sentences of the documents read embedded.
func (svc *Service) AfterReading(k run.Kind) run.Kind {
	settled := k.Settled
	k.Settled = func(ctx context.Context, r job.Run) error {
		defer svc.OrderEmbedding(ctx, r.Workspace)
		return settled(ctx, r)
	}
	return k
}

// OrderEmbedding orders a run in the background if there is something to embed. It fails only in the log, as the next document
// orders a run again.
func (svc *Service) OrderEmbedding(ctx context.Context, w domain.WorkspaceID) {
	left, err := svc.unembedded(ctx, w)
	if err != nil {
		svc.Log.WarnContext(ctx, "order a run that embeds", "workspace", w, "err", err)
	}
	if left {
		svc.Embedding().Changed(ctx, w)
	}
}

// embedSettle is how long a run waits for more documents to come.
const embedSettle = time.Second

// Embedding returns the service that queues runs that embed.
func (svc *Service) Embedding() run.Background {
	return run.Background{Queue: svc.Queue, IDs: svc.IDs, Now: svc.Now, Log: svc.Log, Kind: EmbedKind, Settle: embedSettle, Alone: true}
}

// unembedded reports whether documents were published that no run has embedded.
func (svc *Service) unembedded(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	if svc.Embedder == nil {
		return false, nil
	}
	if outgrown, err := svc.Outgrown(ctx); err != nil || outgrown != "" {
		return false, err
	}
	m, err := svc.mark(ctx, w)
	for err == nil {
		var changes []ledger.Change
		if changes, err = svc.Ledger.Changes(ctx, w, m.Seq, changesAtOnce); err != nil || len(changes) == 0 {
			break
		}
		if slices.ContainsFunc(changes, fresh) {
			return true, nil
		}
		m.Seq = changes[len(changes)-1].Seq
	}
	return false, err
}

// fresh reports whether a change brings texts to embed.
func fresh(c ledger.Change) bool { return c.Document != "" && !c.Deleted && !c.Vectors }

// changesAtOnce is after how many changes, at the most, what was embedded is written to the search index.
const changesAtOnce = 16

// A mark is the progress of embedding a workspace.
type mark struct {
	Model     string `json:"model"`
	Dimension int    `json:"dimension"`
	Seq       int64  `json:"seq"`  // the last change whose document is embedded
	Made      int    `json:"made"` // sentences of later documents whose vectors are not in the index yet
}

// embedMark is the setting with the mark of a workspace.
const embedMark = "embedded"

// mark returns the mark of a workspace. It starts again for another model or another dimension of its vectors.
func (svc *Service) mark(ctx context.Context, w domain.WorkspaceID) (m mark, err error) {
	if m, _, err = ledger.SettingOf[mark](ctx, svc.Ledger.SettingStore, w, embedMark); err != nil {
		return m, err
	}
	dimension, err := svc.Ledger.Dimension(ctx, svc.model())
	if m.Model != svc.model() || m.Dimension != dimension {
		m = mark{Model: svc.model()}
	}
	return m, err
}

func (svc *Service) setMark(ctx context.Context, w domain.WorkspaceID, m mark) (err error) {
	if m.Dimension, err = svc.Ledger.Dimension(ctx, m.Model); err != nil {
		return err
	}
	return svc.Ledger.EncodeSetting(ctx, w, embedMark, m)
}

// Embedded counts the passages, or once these are done the sentences, that have vectors.
type Embedded struct {
	Passages bool
	Apart    bool // sentences of the passages found are embedded only when a question is asked
	Done, Of int
}

// Whole reports whether nothing is left to embed.
func (e Embedded) Whole() bool { return e.Done >= e.Of }

// What returns the unit being embedded, as pages and commands name it.
func (e Embedded) What() string {
	if e.Passages {
		return "Passages"
	}
	return "Sentences"
}

// Embedded returns how far the workspace is embedded: whole where nothing embeds.
func (svc *Service) Embedded(ctx context.Context, w domain.WorkspaceID) (e Embedded, err error) {
	if svc.Embedder == nil {
		return e, nil
	}
	for _, c := range vectorstore.Collections() {
		e.Passages = c == vectorstore.Chunks
		if e.Done, e.Of, err = svc.Vectors.Embedded(ctx, w, c); err != nil || !e.Whole() {
			break
		}
	}
	if err == nil && !e.Passages && svc.apart(e.Of) {
		e.Apart, e.Done = true, e.Of
	}
	if err != nil || e.Whole() || e.Passages {
		return e, err
	}
	m, err := svc.mark(ctx, w)
	e.Done = min(e.Done+m.Made, e.Of)
	return e, err
}

// apart reports whether a workspace has too many sentences to embed all in advance: their vectors would take more
// memory than passages and graph together.
func (svc *Service) apart(sentences int) bool { return sentences > svc.Sentences }

// embedder has the nodes of a run that embeds.
type embedder struct {
	*Service
	passages, sentences state.SumField[EmbedState, int]
}

// embedGraph returns start → passages → sentences → end. What is embedded is kept by the hash of its text, so that a run which
// goes on after a kill makes nothing twice.
func embedGraph(svc *Service) (stategraph.Runnable[EmbedState], error) {
	schema := state.NewSchema[EmbedState](1)
	e := embedder{
		Service:   svc,
		passages:  state.Sum(schema, "passages", func(s *EmbedState) *int { return &s.Passages }),
		sentences: state.Sum(schema, "sentences", func(s *EmbedState) *int { return &s.Sentences }),
	}
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New("embed", schema)
	b.Node("passages", e.embedPassages, reads(), writes(e.passages))
	b.Node("sentences", e.embedSentences, reads(), writes(e.sentences))
	b.Edge(stategraph.Start, "passages")
	b.Edge("passages", "sentences")
	b.Edge("sentences", stategraph.End)
	return compile(svc, b)
}

// embedPassages makes the vectors of passages that lack them, and hands them to the index together: as long as only some have
// any, these would be found before better ones.
func (e embedder) embedPassages(ctx *stategraph.Context, s EmbedState) (embedUpdate, error) {
	made := 0
	var documents []domain.DocumentID
	m, err := e.begin(ctx, s.Workspace)
	if err != nil {
		return embedUpdate{}, err
	}
	err = e.eachDocument(ctx, s.Workspace, m.Seq, func(id domain.DocumentID, title string) error {
		n, err := e.embedTexts(ctx, s.Workspace, id, func(text string) []string { return []string{nearest.PassageText(title, text)} }, nil)
		if made += n; n > 0 {
			documents = append(documents, id)
		}
		return err
	}, nil)
	if err == nil && len(documents) > 0 {
		err = e.hand(ctx, s.Workspace, documents)
	}
	return e.passages.Add(made), err
}

// begin returns the mark from which to embed. An index in which every point has a vector needs nothing more.
func (e embedder) begin(ctx context.Context, w domain.WorkspaceID) (mark, error) {
	m, err := e.mark(ctx, w)
	if err != nil || m.Seq > 0 {
		return m, err
	}
	at, err := e.Projector.Behind(ctx, w)
	if err != nil || at.Vectors != at.Head {
		return m, err
	}
	if whole, err := e.whole(ctx, w); err != nil || !whole {
		return m, err
	}
	m.Seq = at.Head
	return m, e.setMark(ctx, w, m)
}

// whole reports whether every point of the index has a vector.
func (svc *Service) whole(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	for _, c := range vectorstore.Collections() {
		if done, of, err := svc.Vectors.Embedded(ctx, w, c); err != nil || done < of {
			return false, err
		}
	}
	return true, nil
}

// embedSentences makes the vectors of sentences, and notes how far it is.
func (e embedder) embedSentences(ctx *stategraph.Context, s EmbedState) (embedUpdate, error) {
	m, err := e.begin(ctx, s.Workspace)
	if err != nil {
		return embedUpdate{}, err
	}
	so, err := e.Embedded(ctx, s.Workspace)
	if err != nil {
		return embedUpdate{}, err
	}
	if so.Apart {
		if m.Seq, err = e.Ledger.Head(ctx, s.Workspace); err == nil {
			m.Made = 0
			err = e.setMark(ctx, s.Workspace, m)
		}
		return embedUpdate{}, err
	}
	made := 0
	var documents []domain.DocumentID
	err = e.eachDocument(ctx, s.Workspace, m.Seq, func(id domain.DocumentID, title string) error {
		documents = append(documents, id)
		_, err := e.embedTexts(ctx, s.Workspace, id, func(text string) []string { return projection.SentenceTexts(title, text, e.Projector.Sentences) }, func(n int) error {
			made, m.Made = made+n, m.Made+n
			if err := e.setMark(ctx, s.Workspace, m); err != nil {
				return err
			}
			so, err := e.Embedded(ctx, s.Workspace)
			ctx.Emit(domain.EventProgress, domain.Progress{Done: so.Done, Total: so.Of})
			return err
		})
		return err
	}, func(last int64) error {
		whole, err := e.whole(ctx, s.Workspace)
		if err != nil {
			return err
		}
		if len(documents) > 0 && !whole {
			if err := e.hand(ctx, s.Workspace, documents); err != nil {
				return err
			}
		}
		documents, m.Seq, m.Made = nil, last, 0
		return e.setMark(ctx, s.Workspace, m)
	})
	return e.sentences.Add(made), err
}

// hand has the index take over the vectors of documents.
func (svc *Service) hand(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) error {
	if err := svc.Ledger.PublishVectors(ctx, w, documents); err != nil {
		return err
	}
	return svc.Projector.Apply(ctx, w)
}

// eachDocument calls do with the published documents of the changes after a number, and page with the number of the last
// change of each page of them, unless that is nil.
func (svc *Service) eachDocument(ctx context.Context, w domain.WorkspaceID, after int64, do func(id domain.DocumentID, title string) error, page func(last int64) error) error {
	for {
		changes, err := svc.Ledger.Changes(ctx, w, after, changesAtOnce)
		if err != nil || len(changes) == 0 {
			return err
		}
		after = changes[len(changes)-1].Seq
		var ids []domain.DocumentID
		for _, c := range slices.DeleteFunc(changes, func(c ledger.Change) bool { return !fresh(c) }) {
			if !slices.Contains(ids, c.Document) {
				ids = append(ids, c.Document)
			}
		}
		titles, err := svc.Ledger.TitlesOf(ctx, w, ids)
		if err != nil {
			return err
		}
		for _, t := range titles {
			if err := do(t.Document, t.Title); err != nil {
				return err
			}
		}
		if page != nil {
			if err := page(after); err != nil {
				return err
			}
		}
	}
}

// What is embedded by one call at the most, so that a question waits for less than a second and a kill costs little: texts, and
// bytes of them unless it is one text.
const (
	textsAtOnce = 32
	bytesAtOnce = 4000
)

// callsOf divides texts into the first calls to embed them, most at the most, and returns how many texts these take.
func callsOf(texts []string, most int) (calls [][]string, taken int) {
	for taken < len(texts) && len(calls) < most {
		n, size := 0, 0
		for taken+n < len(texts) && n < textsAtOnce && (n == 0 || size+len(texts[taken+n]) <= bytesAtOnce) {
			size += len(texts[taken+n])
			n++
		}
		calls, taken = append(calls, texts[taken:taken+n]), taken+n
	}
	return calls, taken
}

// embedTexts makes the missing vectors of the texts of a document's chunks. It calls made with how many it made each time,
// unless that is nil, and gives way to other work.
func (svc *Service) embedTexts(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, texts func(text string) []string, made func(n int) error) (all int, err error) {
	chunks, err := svc.Ledger.Chunks(ctx, w, id)
	if err != nil {
		return 0, err
	}
	ctx = llm.WithOwner(ctx, domain.CallOwner{Document: id})
	var waiting []string
	for i, c := range chunks {
		waiting = append(waiting, texts(c.Text)...)
		for len(waiting) >= textsAtOnce*svc.AtOnce || i+1 == len(chunks) && len(waiting) > 0 {
			busy, err := svc.busy(ctx, w)
			if err != nil {
				return all, err
			}
			most := svc.AtOnce
			if busy {
				most = 1
			}
			calls, taken := callsOf(waiting, most)
			began := time.Now()
			n, err := svc.embedSome(ctx, calls)
			if all += n; err == nil && made != nil && n > 0 {
				err = made(n)
			}
			if err == nil && busy && n > 0 {
				err = domain.Sleep(ctx, restsFor*time.Since(began))
			}
			if err != nil {
				return all, err
			}
			waiting = waiting[taken:]
		}
	}
	return all, nil
}

// embedSome makes the missing vectors of texts by calls at the same time, and returns how many it made.
func (svc *Service) embedSome(ctx context.Context, calls [][]string) (all int, err error) {
	group, within := errgroup.WithContext(ctx)
	made := make([]int, len(calls))
	for i, texts := range calls {
		group.Go(func() (err error) {
			made[i], err = llm.EmbedMissing(within, svc.Ledger, svc.Embedder, texts)
			return err
		})
	}
	err = group.Wait()
	for _, n := range made {
		all += n
	}
	return all, err
}

// busy reports whether somebody waits for other work: a question, a document.
func (svc *Service) busy(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	n, err := svc.Queue.Count(ctx, w, job.Query{Except: []string{EmbedKind}, Status: []job.Status{job.Running}})
	return n > 0, err
}

// While there is other work, embedding rests for this multiple of the time it worked.
const restsFor = 3
