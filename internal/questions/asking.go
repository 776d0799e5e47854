package questions

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/link"
)

// MaxWait is the longest that an answer is waited for, in seconds.
const MaxWait = 300

// An Asker asks questions for programs, and reads the answers.
type Asker struct {
	*Service
	Reports *report.Runs
}

// Asking is a question as programs ask it.
type Asking struct {
	Question     string                `json:"question" arg:"QUESTION" words:"" doc:"what to ask"`
	Within       []string              `json:"within" whole:"" doc:"ask only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025; several terms of a kind widen it"`
	Method       string                `json:"method" doc:"search only by words, vectors, hybrid (both) or walk (over the graph)"`
	Conversation domain.ConversationID `json:"conversation" doc:"ask in this conversation, after its last answer; by default a new one is started"`
	MaxLoops     *int                  `json:"max_loops" doc:"how often the question may be reworded (default MAX_LOOPS)"`
	Passages     int                   `json:"passages" doc:"how many passages each search reads at most (default PASSAGES)"`
	Review       bool                  `json:"stop_before_writing" doc:"wait for a person to choose the passages for the answer"`
	Hint         bool                  `json:"hint" doc:"wait for a hint from a person if nothing relevant is found"`
	Wait         int                   `json:"wait" default:"60" doc:"how many seconds to wait for the answer, at most 300; 0 returns at once"`
}

// A Reply is the outcome of a question.
type Reply struct {
	Answer    string   `json:"answer"`
	Within    []string `json:"within,omitempty"` // terms of the part of the library that was asked
	Citations []Cited  `json:"citations"`
	Run       string   `json:"run"`
	Path      []string `json:"path"`
	LoopCount int      `json:"loop_count"`
	Documents []Graded `json:"documents"`

	Figures []domain.Figure `json:"figures,omitempty"`

	Tokens int    `json:"tokens"`
	Cost   string `json:"cost,omitempty"` // in words, or "" if no model was asked

	Status       ledger.MessageStatus  `json:"status"`
	Problem      string                `json:"problem,omitempty"` // why it failed
	Answered     bool                  `json:"answered"`          // from sources of the library
	Question     string                `json:"question"`
	Conversation domain.ConversationID `json:"conversation,omitempty"`
	Message      domain.MessageID      `json:"message,omitempty"`
	Sentences    []domain.Sentence     `json:"sentences,omitempty"`
}

// At implements operation.Begun.
func (r Reply) At() string {
	if r.Status.Over() {
		return ""
	}
	return "/runs/" + r.Run + "/answer"
}

func (r Reply) String() string { return r.Answer }

// Cited is one citation of a Reply. Text is the stored text from Start to End, in code points.
type Cited struct {
	N          int    `json:"n"`
	Document   string `json:"document"`
	DocumentID string `json:"document_id"`
	Page       int    `json:"page"`
	Place      string `json:"place,omitempty"` // where the number of a page does not say it
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Text       string `json:"text"`

	// Of a quotation that no model has judged, see domain.Citation.
	Quote bool          `json:"quote,omitempty"`
	Close bool          `json:"close,omitempty"`
	Tie   string        `json:"tie,omitempty"`
	Marks []domain.Span `json:"marks,omitempty"`

	domain.Facts

	Path string `json:"path"` // address of its words in the pages
}

// Where names the document of the citation and the place of its words.
func (c Cited) Where() string { return domain.Where(c.Document, c.Page, c.Place) }

// Graded is the verdict on one passage.
type Graded struct {
	Document string `json:"document"`
	Grade    string `json:"grade"`
	Reason   string `json:"reason"`
}

// Ask stores a question and returns the run that answers it.
func (a Asker) Ask(ctx context.Context, in Asking, history []answer.Exchange) (ledger.Answer, error) {
	w := domain.WorkspaceOf(ctx)
	scope, err := a.Scope(ctx, w, in.Within)
	if err != nil {
		return ledger.Answer{}, err
	}
	return a.Start(ctx, Question{
		Workspace: w, Conversation: in.Conversation, Text: in.Question, Method: domain.MethodName(in.Method), Scope: scope,
		Options: Options{Review: in.Review, Hint: in.Hint, MaxLoops: in.MaxLoops, Passages: in.Passages, History: history},
	})
}

// News is what happened to a question since the previous News.
type News struct {
	Events []trace.Event
	Steps  []Told // that ended
	Text   string // words of the answer to append
	Reset  bool   // the answer is written anew: drop its words so far
}

// Told is a step of a run, told in words.
type Told struct {
	Node  string `json:"node"`
	Said  string `json:"said"`
	Took  int64  `json:"ms"`
	Super int    `json:"step"`
}

// Follow yields the events of a run after number after, until the run ends or asks a person, or ctx ends.
func (a Asker) Follow(ctx context.Context, run domain.RunID, after int) iter.Seq2[News, error] {
	return func(yield func(News, error) bool) {
		w, view := domain.WorkspaceOf(ctx), trace.NewView(run, a.Graph.Topology())
		if after > 0 {
			before, err := a.Hub.Events(ctx, w, run, 0)
			if err != nil {
				yield(News{}, err)
				return
			}
			for _, e := range before {
				if e.Seq <= after {
					view.Apply(e)
				}
			}
		}
		told := map[*trace.Step]bool{}
		for item, err := range a.Hub.Watch(ctx, w, run, after) {
			if err != nil {
				yield(News{}, err)
				return
			}
			news, asks := News{Events: item.Events, Text: item.Text, Reset: item.Reset}, false
			for _, e := range item.Events {
				asks = asks || e.Asks && len(e.Path) <= 1
				for _, s := range view.Apply(e) {
					if s.State == trace.Done && len(s.Path) == 0 && !told[s] {
						told[s] = true
						news.Steps = append(news.Steps, Told{s.Node, report.Said(view, s, report.Loop{Node: answer.NodeTransform, Max: a.MaxLoops}), s.Took.Milliseconds(), s.Super})
					}
				}
			}
			if !yield(news, nil) || asks {
				return
			}
		}
	}
}

// Replied returns the answer of a run as it is now.
func (a Asker) Replied(ctx context.Context, m ledger.Answer) (Reply, error) {
	events, err := a.Hub.Events(ctx, m.Workspace, m.Run, 0)
	if err != nil {
		return Reply{}, err
	}
	view := trace.Fold(m.Run, a.Graph.Topology(), events)
	r := Reply{
		Answer: m.Text, Within: m.Scope.Terms(), Run: string(m.Run), Path: view.Path(), LoopCount: report.Loop{Node: answer.NodeTransform}.Rounds(view), Documents: []Graded{},
		Figures: m.Figures, Tokens: view.Tokens(), Cost: a.Reports.Total(ctx, view), Status: m.Status, Problem: m.Problem, Answered: len(m.Citations) > 0, Question: m.Question,
		Conversation: m.Conversation, Message: m.Message, Sentences: m.Sentences,
	}
	if r.Citations, err = a.Cited(ctx, m.Workspace, m.Citations); err != nil {
		return r, err
	}
	for i, c := range r.Citations {
		r.Citations[i].Quote = slices.ContainsFunc(m.Sentences, func(s domain.Sentence) bool { return s.Quote && slices.Contains(s.Citations, c.N) })
	}
	for _, step := range view.Steps {
		for _, g := range step.Grades {
			r.Documents = append(r.Documents, Graded{g.Name, string(g.Verdict), g.Reason})
		}
	}
	return r, nil
}

// Cited returns citations with details of their documents.
func (s *Service) Cited(ctx context.Context, w domain.WorkspaceID, citations []domain.Citation) ([]Cited, error) {
	list := []Cited{}
	if len(citations) == 0 {
		return list, nil
	}
	ids := make([]domain.DocumentID, len(citations))
	for i, c := range citations {
		ids[i] = c.DocumentID
	}
	docs, err := s.Ledger.DocumentsByID(ctx, w, ids)
	facts := make(map[domain.DocumentID]domain.Facts, len(docs))
	for _, d := range docs {
		facts[d.ID] = d.Facts
	}
	for _, c := range citations {
		list = append(list, Cited{
			N: c.N, Document: c.Document, DocumentID: string(c.DocumentID), Page: c.Page, Place: c.Place, Start: c.Span.Start, End: c.Span.End, Text: c.Text,
			Close: c.Close, Tie: c.Tie, Marks: c.Marks, Facts: facts[c.DocumentID], Path: link.Passage(c.DocumentID, c.Span),
		})
	}
	return list, err
}

// ask asks a question and waits for the answer.
func (a Asker) ask(ctx context.Context, in Asking) (Reply, error) {
	if in.Wait < 0 || in.Wait > MaxWait {
		return Reply{}, domain.Errorf(domain.Invalid, "The wait for an answer must be between 0 and %d seconds.", MaxWait)
	}
	m, err := a.Ask(ctx, in, nil)
	if err != nil {
		return Reply{}, err
	}
	return a.Await(ctx, m.Run, time.Duration(in.Wait)*time.Second)
}

// Await returns the answer of a run once it ends or asks a person, or as it is after a time.
func (a Asker) Await(ctx context.Context, run domain.RunID, wait time.Duration) (Reply, error) {
	if wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, wait)
		for _, err := range a.Follow(waiting, run, 0) {
			if err != nil && waiting.Err() == nil {
				cancel()
				return Reply{}, err
			}
		}
		cancel()
	}
	m, err := a.Ledger.Answer(ctx, domain.WorkspaceOf(ctx), run)
	if err != nil {
		return Reply{}, err
	}
	return a.Replied(ctx, m)
}

type answerWanted struct {
	oneRun
	Wait int `json:"wait" doc:"how many seconds to wait for the answer, at most 300"`
}

// AskOperations returns the operations that ask questions.
func AskOperations() []operation.Operation[Asker] {
	return []operation.Operation[Asker]{
		operation.Op[Asker, Asking, Reply]{
			Name: "ask", Short: "Ask a question", Scope: operation.Ask, Routes: []string{"POST /ask"}, Own: true,
			Do: func(a Asker, ctx context.Context, in Asking) (Reply, error) { return a.ask(ctx, in) },
		},
		operation.Op[Asker, answerWanted, Reply]{
			Name: "run answer", Short: "Print the answer of a run", Scope: operation.Read, Routes: []string{"GET /runs/{run}/answer"},
			Do: func(a Asker, ctx context.Context, in answerWanted) (Reply, error) {
				return a.Await(ctx, in.ID, time.Duration(min(max(in.Wait, 0), MaxWait))*time.Second)
			},
		},
	}
}
