package main

import (
	"bytes"
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/testkit/long"
)

const (
	markerName     = "Xanthippe Quorlibet"
	markerSentence = "A zwurbelnick of pyxwort hung over the weir that night."
	markerText     = "---\nauthor: " + markerName + "\nurl: https://example.org/zwurbelnick\n---\n# Papers of " + markerName + "\n\n" + markerName + " met Maud Ferring at the weir. " + markerSentence + " At the weir its zwurbelnick weighed 37 pyxwort.\n"

	// keptAnswer is what the model writes in its own words.
	keptAnswer = "Something was put up above the water"
)

// markers are words of the document as they may appear in a file: an index
// stores stems, and only the suffix of a word that starts like its neighbour.
var markers = []string{"anthippe", "orlibet", "urbelnick", "xwort", "over the weir that night"}

var twoNames = regexp.MustCompile(`\b[A-Z][a-z]+ [A-Z][a-z]+\b`)

// telling is a model that repeats the words of its prompt, so that recorded
// calls contain them. It writes the second answer when more is closed.
func telling(t *testing.T, more <-chan struct{}) *llmtest.Server {
	t.Helper()
	model := llmtest.New(t)
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		nodes, relations := []map[string]any{}, []map[string]any{}
		if strings.Contains(r.Last(), "pyxwort") {
			nodes = append(nodes, map[string]any{"id": "zwurbelnick of pyxwort", "label": "Plant"}) // which the schema drops
		}
		names := slices.Compact(twoNames.FindAllString(r.Last(), -1))
		for i, name := range names {
			nodes = append(nodes, map[string]any{"id": name, "label": "Person"})
			if i > 0 && name != names[0] {
				relations = append(relations, map[string]any{"source": names[0], "target": name, "type": "MET"})
			}
		}
		return llmtest.Call("knowledge_graph", map[string]any{"nodes": nodes, "relationships": relations})
	}))
	model.On(llmtest.Tool("grade_passage"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		reason := "It says so."
		if strings.Contains(r.Last(), "pyxwort") {
			reason = markerSentence
		}
		return llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": reason})
	}))
	model.On(llmtest.Tool("report_support"), llmtest.Call("report_support", map[string]any{"supported": []int{1}}))
	model.On(llmtest.Tool("specify_chart"), llmtest.Call("specify_chart", map[string]any{"type": "bar", "title": "Weight", "unit": "", "x": "", "y": "",
		"points": []map[string]any{{"series": "", "category": "it", "x": 0, "value": 37, "passage": 0, "count": 0}}}))
	model.On(llmtest.LastMessage("The chart is being made"), llmtest.Say("It was heavy."))
	drawn := llmtest.Call("chart", map[string]string{"task": "how heavy it was"})
	drawn.Text = keptAnswer + " [1]."
	model.On(llmtest.LastMessage(">What hung above the water?<"), drawn)
	model.On(llmtest.LastMessage(">Who stood by the weir?<"), llmtest.Say("Two people stood there [1].").EachAfter(more))
	model.On(llmtest.Any, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.Last(), "pyxwort") {
			return llmtest.Say(markerSentence + " [1]")
		}
		return llmtest.Say("The foundry cast bells. [2]")
	}))
	return model
}

// TestDeletionRemovesTheWordsEverywhere searches every byte of the data folder
// for the words of a deleted document, after everything that may have stored
// them, and after random histories: pages of a database keep other copies in each.
func TestDeletionRemovesTheWordsEverywhere(t *testing.T) {
	t.Parallel()
	t.Run("everything", func(t *testing.T) {
		t.Parallel()
		deletesAfterEverything(t)
	})
	for seed := range long.Or(20, 200) {
		t.Run("history "+strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			deletesAfterAHistory(t, rand.New(rand.NewPCG(uint64(seed), 1)))
		})
	}
}

// deletesAfterEverything deletes a document after a model repeated it, vectors, answers
// that cite it, one being written, summaries, curation and a check.
func deletesAfterEverything(t *testing.T) {
	t.Helper()
	more := make(chan struct{})
	sh := connected(t, telling(t, more), "THEMES_BY_MODEL=true", "RERANK=20")
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	forever := context.WithoutCancel(t.Context())
	noError(t, worker.Start(forever))
	end := sync.OnceValue(func() error { return worker.Stop(forever) })
	t.Cleanup(func() { noError(t, end()) })

	a.narrows(t)
	kept, doomed := a.takes(t, "foundry.txt", foundry), a.takes(t, "papers.md", markerText)
	m := a.asks(t, "What hung above the water?")
	a.finishes(t, m.Run)
	repeats := a.asks(t, "Which thing hung there?")
	a.finishes(t, repeats.Run)
	if said := settled(t, a, repeats.Message).Text; !strings.Contains(said, "zwurbelnick") {
		t.Fatalf("the answer %q does not repeat the words: the test would see nothing", said)
	}
	a.forks(t, m)
	a.evaluates(t)
	a.sumsUp(t, doomed.ID, kept.ID)
	a.drafts(t, doomed.ID, kept.ID)
	a.merges(t, markerName, "Maud Ferring")
	a.creates(t, doomed.ID, "zwurbelnick of pyxwort")
	misspelt := a.takes(t, "keys.txt", "Xanthippa Quorlibet kept the keys. Xanthippa Quorlibet lost them.")
	a.proposes(t)
	a.saysThemes(t)
	sh.must(t, "fsck")
	sh.must(t, "backup", filepath.Join(t.TempDir(), "archive"))
	late := a.asks(t, "Who stood by the weir?")
	select {
	case more <- struct{}{}: // its first word is written
	case <-time.After(hangs):
		t.Fatal("the second answer is not begun")
	}

	a.checkBefore(t, m.Message)
	noError(t, remove(t.Context(), a.documents, misspelt.ID))
	_, err := a.documents.DeleteNow(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{IDs: []domain.DocumentID{doomed.ID}}, false)
	noError(t, err)
	lookFor(t, sh.data, "once it is deleted")
	close(more)
	a.finishes(t, late.Run)
	lookFor(t, sh.data, "once what was at work has ended")

	old, err := a.ledger.Message(t.Context(), domain.DefaultWorkspace, m.Message)
	noError(t, err)
	if !strings.Contains(old.Text, keptAnswer) || len(old.Citations) == 0 || old.Citations[0].Text != "" {
		t.Errorf("the old answer is %q, citing %+v: it should stay, and the quotation go", old.Text, old.Citations)
	}
	if stub, err := a.ledger.Message(t.Context(), domain.DefaultWorkspace, repeats.Message); err != nil || !strings.Contains(stub.Text, ledger.Stub) {
		t.Errorf("the answer that repeated a sentence is %q, error %v: a note should stand in its place", stub.Text, err)
	}
	if len(old.Figures) != 1 || old.Figures[0].Chart == nil || len(old.Figures[0].Chart.Citations) != 1 || old.Figures[0].Chart.Citations[0].Text != "" {
		t.Errorf("its chart is %+v: it should stay, and the quotation go", old.Figures)
	}
	if left, err := a.ledger.BranchesOf(t.Context(), domain.DefaultWorkspace, m.Message); err != nil || len(left) != 0 {
		t.Errorf("%d branches that read it are left, error %v", len(left), err)
	}
	noError(t, end())
	noError(t, a.Close())
	lookFor(t, sh.data, "once the program has ended")
	sh.must(t, "rebuild")
	lookFor(t, sh.data, "after a rebuild")
}

// TestRemovingAVersionRemovesItsWords searches the data folder for words that only a
// removed version had, after an answer has cited them.
func TestRemovingAVersionRemovesItsWords(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	forever := context.WithoutCancel(t.Context())
	noError(t, worker.Start(forever))
	end := sync.OnceValue(func() error { return worker.Stop(forever) })
	t.Cleanup(func() { noError(t, end()) })
	d := a.takes(t, "papers.md", markerText)
	m := a.asks(t, "Who met Maud Ferring at the weir?")
	a.finishes(t, m.Run)
	if m = settled(t, a, m.Message); len(m.Citations) == 0 || m.Citations[0].Text == "" {
		t.Fatalf("the answer %q cites nothing: the test would see nothing", m.Text)
	}
	next, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, "papers.md", documents.How{Named: documents.Next}, strings.NewReader("---\nurl: https://example.org/bells\n---\nMaud Ferring cast bells.")).One()
	noError(t, err)
	a.finishes(t, next.Document.Run)
	if len(left(t, sh.data)) == 0 {
		t.Fatal("the earlier version is not kept: the test would see nothing")
	}
	noError(t, a.documents.RemoveVersion(t.Context(), domain.DefaultWorkspace, d.ID, 0))
	if m = settled(t, a, m.Message); m.Citations[0].Text != "" {
		t.Errorf("the answer still quotes %q", m.Citations[0].Text)
	}
	noError(t, end())
	noError(t, a.Close())
	for _, found := range left(t, sh.data) {
		t.Error(found)
	}
}

// narrows sets a schema that drops what the model finds besides people.
func (a *app) narrows(t *testing.T) {
	t.Helper()
	people := extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: "Person"}}, Strict: true}}
	_, err := a.schemas.Save(t.Context(), domain.DefaultWorkspace, schemas.Draft{Guide: people})
	noError(t, err)
}

// takes adds a document and waits until it has been read.
func (a *app) takes(t *testing.T, name, text string) domain.Document {
	t.Helper()
	added, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, name, documents.How{}, strings.NewReader(text)).One()
	noError(t, err)
	a.finishes(t, added.Document.Run)
	d, err := a.ledger.Document(t.Context(), domain.DefaultWorkspace, added.Document.ID)
	noError(t, err)
	if d.Status != domain.DocumentReady {
		t.Fatalf("%s is %s: %s", name, d.Status, d.Problem)
	}
	return d
}

func (a *app) asks(t *testing.T, question string) ledger.Answer {
	t.Helper()
	return a.asksIn(t, "", question)
}

// asksIn asks in a conversation, or in a new one.
func (a *app) asksIn(t *testing.T, k domain.ConversationID, question string) ledger.Answer {
	t.Helper()
	m, err := a.questions.Start(t.Context(), questions.Question{Workspace: domain.DefaultWorkspace, Conversation: k, Text: question})
	noError(t, err)
	return m
}

// forks begins a branch at the grading of an answer, and one of that branch.
func (a *app) forks(t *testing.T, m ledger.Answer) {
	t.Helper()
	parent, step := m.Run, 2
	for loops := range 2 {
		b, err := a.questions.Vary(t.Context(), questions.Variation{
			Workspace: m.Workspace, Parent: parent, Step: step, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{MaxLoops: &loops}},
		})
		noError(t, err)
		a.finishes(t, b.Run)
		parent, step = b.Run, 0
		if b, err = a.ledger.Branch(t.Context(), b.Workspace, b.Branch); err != nil || b.Status != ledger.MessageDone {
			t.Fatalf("the branch is %s: %s, error %v", b.Status, b.Problem, err)
		}
	}
}

// evaluates asks a question in an evaluation, whose reply repeats the words.
func (a *app) evaluates(t *testing.T) {
	t.Helper()
	ctx, w := t.Context(), domain.DefaultWorkspace
	_, err := a.evaluation.Keep(ctx, w, ledger.FirstSet, evaluation.Kept{Question: evaluation.Question{Text: "Which thing hung there?"}})
	noError(t, err)
	e, err := a.evaluation.Start(ctx, w, ledger.FirstSet, a.evaluation.Usual)
	noError(t, err)
	for e.Working() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the evaluation does not end")
		}
		e, err = a.evaluation.Result(ctx, w, e.ID)
		noError(t, err)
	}
	if r := e.Score.Replies[0]; !strings.Contains(r.Answer, "zwurbelnick") {
		t.Fatalf("the reply %+v does not repeat the words: the test would see nothing", r)
	}
}

// sumsUp makes a summary.
func (a *app) sumsUp(t *testing.T, documents ...domain.DocumentID) {
	t.Helper()
	s, err := a.summaries.Start(t.Context(), summaries.Order{Workspace: domain.DefaultWorkspace, Documents: documents})
	noError(t, err)
	a.finishes(t, s.Run)
	s, err = a.ledger.Summary(t.Context(), domain.DefaultWorkspace, s.ID)
	noError(t, err)
	if s.Status != ledger.SummaryDone {
		t.Fatalf("the summary is %s: %s", s.Status, s.Problem)
	}
}

// drafts makes a summary up to the draft.
func (a *app) drafts(t *testing.T, documents ...domain.DocumentID) {
	t.Helper()
	s, err := a.summaries.Start(t.Context(), summaries.Order{Workspace: domain.DefaultWorkspace, Documents: documents, Review: true})
	noError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, s.Run, 0) {
		noError(t, err)
		if slices.ContainsFunc(item.Events, func(e trace.Event) bool { return e.Kind == "interrupt" }) {
			return
		}
	}
	t.Fatal("the summary asks nothing")
}

// merges renames an entity, then merges it into another, which keeps the new
// name.
func (a *app) merges(t *testing.T, one, into string) {
	t.Helper()
	all, _, err := a.graph.Entities(t.Context(), domain.DefaultWorkspace, graphstore.EntityQuery{Order: graphstore.ByName})
	noError(t, err)
	ids := map[string]domain.EntityID{}
	for _, e := range all {
		ids[e.Name] = e.ID
	}
	if ids[one] == "" || ids[into] == "" {
		t.Fatalf("no %s and %s among %v", one, into, ids)
	}
	ctx := domain.WithWorkspace(t.Context(), domain.DefaultWorkspace)
	_, err = a.curator.Make(ctx, curate.Renaming{One: curate.One{Name: one}, To: "The keeper"})
	noError(t, err)
	_, err = a.curator.Make(ctx, curate.Merging{One: curate.One{Name: into}, Others: []string{string(ids[one])}, To: one})
	noError(t, err)
}

// creates makes an entity of words of a document, relates it, and gives it a
// value that the document has.
func (a *app) creates(t *testing.T, d domain.DocumentID, words string) {
	t.Helper()
	ctx, at := domain.WithWorkspace(t.Context(), domain.DefaultWorkspace), curate.Marking{Document: d, Words: words}
	made, err := a.curator.Make(ctx, curate.Creating{Label: "Thing", Marking: at})
	noError(t, err)
	_, err = a.curator.Make(ctx, curate.Creating{Name: "Guild", Label: "Organisation"})
	noError(t, err)
	_, err = a.curator.Make(ctx, curate.Relating{One: curate.One{Name: string(made.Entity)}, Type: "HUNG_BY", Target: "Guild", Marking: at})
	noError(t, err)
	_, err = a.curator.Make(ctx, curate.Relating{One: curate.One{Name: "Guild"}, Type: "HUNG", Target: string(made.Entity)})
	noError(t, err)
}

// checkBefore makes sure that the words are in the places that are searched
// later.
func (a *app) checkBefore(t *testing.T, id domain.MessageID) {
	t.Helper()
	if m := settled(t, a, id); len(m.Citations) == 0 || !strings.Contains(m.Citations[0].Text, "weir") {
		t.Fatalf("the answer %q cites %+v", m.Text, m.Citations)
	}
	for _, table := range []string{"texts", "chunks", "contributions", "mentions", "statements", "model_calls", "events", "citations", "answers", "summary_lines", "summary_citations", "checkpoints", "curated_entities", "dropped"} {
		columns, err := sqlio.Collect(t.Context(), a.db.Reader, sqlio.Column[string], `SELECT name FROM pragma_table_info(?)`, table)
		noError(t, err)
		row := `LOWER(CAST(` + strings.Join(columns, ` AS TEXT) || CAST(`) + ` AS TEXT))`
		rows := 0
		noError(t, a.db.Reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table+` WHERE INSTR(`+row+`, 'quorlibet') + INSTR(`+row+`, 'weir') + INSTR(`+row+`, 'pyxwort') > 0`).Scan(&rows))
		if rows == 0 {
			t.Errorf("before the deletion the table %s holds none of the words: the test would see nothing", table)
		}
	}
	found := left(t, a.cfg.Data)
	for _, file := range []string{"clew.db", "graph.db", "vectors.db", "files"} {
		if !slices.ContainsFunc(found, func(found string) bool { return strings.HasPrefix(found, file) }) {
			t.Errorf("before the deletion %s holds none of the words: the test would see nothing", file)
		}
	}
}

// proposes compares the entities, of which a pair has to be proposed.
func (a *app) proposes(t *testing.T) {
	t.Helper()
	r, err := a.proposals.Start(t.Context(), domain.DefaultWorkspace)
	noError(t, err)
	a.finishes(t, r.ID)
	if _, n, err := a.ledger.Proposals(t.Context(), domain.DefaultWorkspace, ledger.ProposalQuery{}); err != nil || n == 0 {
		t.Fatalf("%d proposals, error %v: the test would see nothing", n, err)
	}
}

// saysThemes has a model sum up the themes, in the words of documents.
func (a *app) saysThemes(t *testing.T) {
	t.Helper()
	r, err := a.themes.Start(t.Context(), domain.DefaultWorkspace)
	noError(t, err)
	a.finishes(t, r.ID)
	found, err := a.themes.Themes(t.Context(), domain.DefaultWorkspace, nil, 24)
	noError(t, err)
	if !slices.ContainsFunc(found, func(x themes.Theme) bool { return x.Summed && strings.Contains(x.Sentences[0].Text, "pyxwort") }) {
		t.Fatalf("no theme is summed up in the words of the document: the test would see nothing in %+v", found)
	}
}

func (a *app) finishes(t *testing.T, run domain.RunID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	for _, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, run, 0) {
		noError(t, err)
	}
	if ctx.Err() != nil {
		j, err := a.queue.Get(t.Context(), domain.DefaultWorkspace, run)
		events, more := a.hub.Events(t.Context(), domain.DefaultWorkspace, run, 0)
		t.Fatalf("run %s does not end: it is %+v, %v, with the events %+v, %v", run, j, err, events, more)
	}
}

func lookFor(t *testing.T, dir, when string) {
	t.Helper()
	for _, found := range left(t, dir) {
		t.Errorf("%s: %s", when, found)
	}
}

// left lists the files of the data folder that contain words of the document in
// any case, with their context.
func left(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content = bytes.ToLower(content)
		name, _ := filepath.Rel(dir, path)
		for _, m := range markers {
			if at := bytes.Index(content, []byte(m)); at >= 0 {
				around := content[max(0, at-80):min(len(content), at+120)]
				found = append(found, name+" holds "+m+": "+strings.ToValidUTF8(string(around), "."))
			}
		}
		return nil
	})
	noError(t, err)
	return found
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// remove deletes a document for good.
func remove(ctx context.Context, library *documents.Service, id domain.DocumentID) error {
	_, err := library.DeleteNow(ctx, domain.DefaultWorkspace, ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, false)
	return err
}
