package questions

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
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
	Conversation domain.ConversationID `json:"conversation" doc:"ask in a conversation, after its last answer; a new one begins otherwise"`
	MaxLoops     *int                  `json:"max_loops" doc:"how often the question may be reworded (default as MAX_LOOPS says)"`
	Passages     int                   `json:"passages" doc:"how many passages a search reads at most (default as PASSAGES says)"`
	Again        domain.RunID          `json:"again" doc:"ask the question of a run again, or this one in its place; no other option but within goes with it"`
	Rerank       *bool                 `json:"rerank" doc:"whether a model puts what is found in order before it is graded (default as RERANK says)"`
	Budget       int                   `json:"budget" doc:"how many tokens the answer may take at most, besides the caps that are set"`
	ContextOnly  bool                  `json:"context_only" doc:"find and grade passages, and write no answer"`
	Review       bool                  `json:"stop_before_writing" doc:"wait for a person to choose the passages that it is answered from"`
	Hint         bool                  `json:"hint" doc:"wait for a hint from a person when nothing relevant was found"`
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

	Passages []Passage `json:"passages,omitempty"` // that were found, the relevant ones first, where only these were asked for
}

// Passage is a passage that was found and graded. Text is that of the document from Start to End, in code points.
type Passage struct {
	Chunk      domain.ChunkID    `json:"chunk"`
	Document   string            `json:"document"`
	DocumentID domain.DocumentID `json:"document_id"`
	Title      string            `json:"title,omitempty"`
	Page       int               `json:"page,omitempty"`
	Place      string            `json:"place,omitempty"`
	Start      int               `json:"start"`
	End        int               `json:"end"`
	Text       string            `json:"text"`
	Grade      domain.Verdict    `json:"grade"`
	Reason     string            `json:"reason"`
	Address    string            `json:"address"` // of the passage in the pages
}

// At implements operation.Begun.
func (r Reply) At() string {
	if r.Status.Over() {
		return ""
	}
	return "/runs/" + r.Run + "/answer"
}

// Rest returns what is missing of an answer after the words of it that were shown. If these were changed when they were
// checked, it is the whole answer.
func Rest(said, answer string) string {
	if rest, ok := strings.CutPrefix(answer, said); ok {
		return rest
	}
	if Unmarked(said) == Unmarked(answer) { // the marks were added after it was written
		return ""
	}
	return "\n\nChecked, the answer is:\n\n" + answer
}

// Print prints the answer with its sources.
func (r Reply) Print(w io.Writer) error {
	if _, err := fmt.Fprintln(w, r.Answer); err != nil {
		return err
	}
	r.PrintSources(w)
	return nil
}

// PrintSources prints the sources of the answer, and what no passage supports.
func (r Reply) PrintSources(w io.Writer) {
	for _, c := range r.Citations {
		fmt.Fprintf(w, "  [%d] %s: “%s”\n", c.N, c.Where(), domain.OneLine(c.Text))
	}
	for _, s := range r.Sentences {
		if !s.Supported && s.Reason != "" {
			fmt.Fprintf(w, "  no passage supports: “%s” (%s)\n", s.Text, s.Reason)
		}
	}
	if r.Tokens > 0 {
		fmt.Fprintf(w, "  %s\n", r.Cost)
	}
}

// mark is a mark of a citation.
var mark = regexp.MustCompile(`\s*\[\d{1,3}\]`)

// Unmarked returns a text without marks, each run of white space as one space.
func Unmarked(text string) string {
	return domain.OneLine(mark.ReplaceAllString(text, ""))
}

// Cited is one citation of a Reply.
type Cited = report.Cited

// Graded is the verdict on one passage.
type Graded struct {
	Document string `json:"document"`
	Grade    string `json:"grade"`
	Reason   string `json:"reason"`
}

// Options returns how the question is to be answered.
func (in Asking) Options() Options {
	return Options{
		Review: in.Review, Hint: in.Hint, MaxLoops: in.MaxLoops, Passages: in.Passages, Rerank: in.Rerank, Budget: in.Budget, ContextOnly: in.ContextOnly,
	}
}

// Ask stores a question and returns the run that answers it.
func (a Asker) Ask(ctx context.Context, in Asking, history []answer.Exchange) (ledger.Answer, error) {
	w := domain.WorkspaceOf(ctx)
	scope, err := a.Scope(ctx, w, in.Within)
	if err != nil {
		return ledger.Answer{}, err
	}
	options := in.Options()
	options.History = history
	if in.Again != "" {
		if in.Method != "" || in.Conversation != "" || !options.None() {
			return ledger.Answer{}, domain.Errorf(domain.Invalid, "A question is asked again as it was asked before: with again, only the question and within can be given.")
		}
		return a.again(ctx, in, scope)
	}
	return a.Start(ctx, Question{
		Workspace: w, Conversation: in.Conversation, Text: in.Question, Method: domain.MethodName(in.Method), Scope: scope,
		Options: options,
	})
}

// again asks the question of a run again, or another one in its place.
func (a Asker) again(ctx context.Context, in Asking, scope domain.Scope) (ledger.Answer, error) {
	asked, err := a.Answered(ctx, domain.WorkspaceOf(ctx), in.Again)
	if err != nil {
		return ledger.Answer{}, err
	}
	edited := Edited{Workspace: asked.Workspace, Message: asked.Message, Question: cmp.Or(in.Question, asked.Question), Scope: asked.Scope}
	if !scope.All() {
		edited.Scope = scope
	}
	return a.AskAgain(ctx, edited)
}

// News is what has happened to a question since the News before it.
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
		w := domain.WorkspaceOf(ctx)
		f := follower{view: trace.NewView(run, a.Graph.Topology()), told: map[*trace.Step]bool{}, loop: report.Loop{Node: answer.NodeTransform, Max: a.MaxLoops}}
		if after > 0 {
			before, err := a.Hub.Events(ctx, w, run, 0)
			if err != nil {
				yield(News{}, err)
				return
			}
			f.skip(before, after)
		}
		for item, err := range a.Hub.Watch(ctx, w, run, after) {
			if err != nil {
				yield(News{}, err)
				return
			}
			if news := f.news(item); !yield(news, nil) || f.asks {
				return
			}
		}
	}
}

// A follower makes News of what happens to a run.
type follower struct {
	view *trace.View
	loop report.Loop
	told map[*trace.Step]bool
	asks bool // the run waits for a person
}

// skip takes the events up to a number as known.
func (f *follower) skip(events []trace.Event, to int) {
	for _, e := range events {
		if e.Seq <= to {
			f.view.Apply(e)
		}
	}
}

// news returns what an item of the run's log tells.
func (f *follower) news(item trace.Item) News {
	news := News{Events: item.Events, Text: item.Text, Reset: item.Reset}
	for _, e := range item.Events {
		f.asks = (f.asks || e.Asks && len(e.Path) <= 1) && e.Kind != string(stategraph.RunStart) // which begins again once a person has replied
		for _, s := range f.view.Apply(e) {
			if s.State == trace.Done && len(s.Path) == 0 && !f.told[s] {
				f.told[s] = true
				news.Steps = append(news.Steps, Told{s.Node, report.Said(f.view, s, f.loop), s.Took.Milliseconds(), s.Super})
			}
		}
	}
	return news
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
	if r.Citations, err = report.CitedOf(ctx, a.Ledger, m.Workspace, m.Citations); err != nil {
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
	r.Passages, err = a.Context(ctx, m, view)
	return r, err
}

// Context returns the passages that a run has found, the relevant ones first, if it was asked for these alone.
func (a Asker) Context(ctx context.Context, m ledger.Answer, v *trace.View) ([]Passage, error) {
	run, err := a.Queue.Get(ctx, m.Workspace, m.Run)
	if domain.KindOf(err) == domain.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if in, err := inputOf(run); err != nil || !in.ContextOnly {
		return nil, err
	}
	var ids []domain.ChunkID
	grades := map[domain.ChunkID]domain.Grading{}
	for _, step := range v.Steps {
		for _, g := range step.Grades {
			before, known := grades[g.Chunk]
			if !known {
				ids = append(ids, g.Chunk)
			}
			if before.Verdict != domain.Relevant {
				grades[g.Chunk] = g
			}
		}
	}
	texts, err := a.Ledger.Passages(ctx, m.Workspace, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Passage, 0, len(texts))
	for _, id := range ids {
		i := slices.IndexFunc(texts, func(p domain.Passage) bool { return p.ID == id })
		if i < 0 { // deleted since
			continue
		}
		p, g := texts[i], grades[id]
		list = append(list, Passage{
			p.ID, p.Name, p.Document, p.Title, p.Page, p.Place(p.Span), p.Span.Start, p.Span.End, p.Text, g.Verdict, g.Reason, link.Passage(p.Document, p.Span),
		})
	}
	slices.SortStableFunc(list, func(x, y Passage) int {
		return cmp.Compare(map[bool]int{false: 1}[x.Grade == domain.Relevant], map[bool]int{false: 1}[y.Grade == domain.Relevant])
	})
	return list, nil
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
	return a.await(ctx, run, 0, wait)
}

// await is like Await for what happens after the event of a number.
func (a Asker) await(ctx context.Context, run domain.RunID, after int, wait time.Duration) (Reply, error) {
	if wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, wait)
		for _, err := range a.Follow(waiting, run, after) {
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

func printReply(w io.Writer, r Reply) error { return r.Print(w) }

// AskOperations returns the operations that ask questions.
func AskOperations() []operation.Operation[Asker] {
	return []operation.Operation[Asker]{
		operation.Op[Asker, Asking, Reply]{
			Name: "ask", Short: "Ask a question", Scope: operation.Ask, Routes: []string{"POST /ask"}, Own: true,
			Tool: operation.Tool{Name: "ask", Title: "Ask the library", Fields: "question within method max_loops passages",
				About: "Answer a question from the library alone, with the sentences that the answer rests on. If nothing near was found, it says so. Tells each step as progress."},
			Do: func(a Asker, ctx context.Context, in Asking) (Reply, error) { return a.ask(ctx, in) }, Text: printReply,
		},
		operation.Op[Asker, answerWanted, Reply]{
			Name: "run answer", Short: "Print the answer of a run", Scope: operation.Read, Routes: []string{"GET /runs/{run}/answer"},
			Do: func(a Asker, ctx context.Context, in answerWanted) (Reply, error) {
				return a.Await(ctx, in.ID, time.Duration(min(max(in.Wait, 0), MaxWait))*time.Second)
			},
			Text: printReply,
		},
	}
}
