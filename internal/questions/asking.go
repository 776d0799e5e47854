package questions

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/link"
)

// An Asker asks questions for programs, and reads the answers.
type Asker struct {
	*Service
	Reports *report.Runs
	Runs    job.Adder // nil means the queue
}

// Asking is a question as programs ask it.
type Asking struct {
	Question     string                `json:"question" arg:"QUESTION" words:"" blank:"" doc:"what to ask"`
	Within       []string              `json:"within" whole:"" doc:"ask only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025, field:status=final or field:year>=2020; several terms of a kind widen it"`
	AsOf         string                `json:"as_of" doc:"follow only relations that hold at this time, and answer with what holds then: 1995, 1995-06 or 1995-06-30"`
	Method       string                `json:"method" doc:"search only by words, vectors, hybrid (both) or walk (over the graph)"`
	Conversation domain.ConversationID `json:"conversation" flag:"in" doc:"ask in the conversation with this {ID}, after its last answer and, unless within is given, within what its last question was asked; a new one begins otherwise"`
	MaxLoops     *int                  `json:"max_loops" doc:"how often the question may be reworded (default as MAX_LOOPS says)"`
	Passages     int                   `json:"passages" doc:"how many passages a search reads at most (default as PASSAGES says)"`
	Again        domain.RunID          `json:"again" doc:"ask the question of the run with this {ID} again, or this one in its place; no other option but within goes with it"`
	Rerank       *bool                 `json:"rerank" doc:"whether a model puts what is found in order before it is graded (default as RERANK says)"`
	Budget       int                   `json:"budget" doc:"how many tokens the answer may take at most, besides the caps that are set"`
	ContextOnly  bool                  `json:"context_only" doc:"find and grade passages, and write no answer"`
	Temporary    bool                  `json:"temporary" doc:"keep the question out of the list of conversations, and delete it with its run after a day"`
	Review       bool                  `json:"stop_before_writing" doc:"wait for a person to choose the passages that it is answered from"`
	Hint         bool                  `json:"hint" doc:"wait for a hint from a person when nothing relevant was found"`
	Wait         operation.Wait        `json:"wait" default:"60" doc:"the answer"`
}

// A Reply is the outcome of a question.
type Reply struct {
	Answer    string   `json:"answer"`
	Within    []string `json:"within,omitempty"` // terms of the part of the library that was searched
	Citations []Cited  `json:"citations"`
	Pictures  []Beside `json:"pictures,omitempty"` // next to the cited passages
	Run       string   `json:"run"`
	Path      []string `json:"path"`
	LoopCount int      `json:"loop_count"`
	Documents []Graded `json:"documents"`

	Figures []domain.Figure `json:"figures,omitempty"`

	Tokens int    `json:"tokens"`
	Cost   string `json:"cost,omitempty"` // in words; "" if no model was asked

	Status       ledger.MessageStatus  `json:"status"`
	Problem      string                `json:"problem,omitempty"` // why it failed
	Answered     bool                  `json:"answered"`          // from sources in the library
	Web          bool                  `json:"web,omitempty"`     // web pages were searched in place of the library
	Question     string                `json:"question"`
	Conversation domain.ConversationID `json:"conversation,omitempty"`
	Message      domain.MessageID      `json:"message,omitempty"`
	Sentences    []domain.Sentence     `json:"sentences,omitempty"`

	Passages []Passage `json:"passages,omitempty"` // found ones, relevant ones first, if only these were requested

	Closest []Closest `json:"closest,omitempty"` // passages that came close, if no answer was found

	Asks  *answer.Asking `json:"asks,omitempty"`  // what a person is asked before the answer is written
	After int            `json:"after,omitempty"` // number of the event after which it continues, for a continued run
}

// Passage is a passage that was found and graded. Text is the document's text from Start to End, in code points.
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

// Runs implements operation.Carried.
func (r Reply) Runs() []domain.RunID { return []domain.RunID{domain.RunID(r.Run)} }

// Cited is one citation of a Reply.
type Cited = report.Cited

// Beside is a picture beside the text that a Reply cites.
type Beside = report.CitedPicture

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
	if in.AsOf != "" {
		in.Within = append(slices.Clip(in.Within), domain.WithinAsOf+":"+in.AsOf)
	}
	scope, err := a.Scope(ctx, w, in.Within)
	if err != nil {
		return ledger.Answer{}, err
	}
	options := in.Options()
	options.History = history
	if in.Again != "" {
		if in.Method != "" || in.Conversation != "" || in.Temporary || !options.None() {
			return ledger.Answer{}, domain.Errorf(domain.Invalid, "A question is asked again as it was asked before: with again, only the question and within can be given.")
		}
		return a.again(ctx, in, scope)
	}
	if in.Temporary && in.Conversation != "" {
		return ledger.Answer{}, domain.Errorf(domain.Invalid, "A temporary question begins a conversation of its own: leave out the conversation.")
	}
	if in.Conversation != "" && scope.All() {
		if scope, err = a.lastScope(ctx, in.Conversation); err != nil {
			return ledger.Answer{}, err
		}
	}
	return a.Start(ctx, Question{
		Workspace: w, Conversation: in.Conversation, Text: in.Question, Method: domain.MethodName(in.Method), Scope: scope,
		Options: options, Runs: a.Runs, Temporary: in.Temporary,
	})
}

// lastScope returns within what the last question of a conversation was asked. As on its page, a follow-up keeps to it.
func (a Asker) lastScope(ctx context.Context, id domain.ConversationID) (domain.Scope, error) {
	tree, err := a.Tree(ctx, domain.WorkspaceOf(ctx), id)
	if err != nil {
		return domain.Scope{}, err
	}
	line := tree.Line("")
	if len(line) == 0 {
		return domain.Scope{}, nil
	}
	return line[len(line)-1].Scope, nil
}

// again asks the question of a run again, or another one in its place.
func (a Asker) again(ctx context.Context, in Asking, scope domain.Scope) (ledger.Answer, error) {
	asked, err := a.Answered(ctx, domain.WorkspaceOf(ctx), in.Again)
	if err != nil {
		return ledger.Answer{}, err
	}
	edited := Edited{Workspace: asked.Workspace, Message: asked.Message, Question: cmp.Or(in.Question, asked.Question), Scope: asked.Scope, Runs: a.Runs}
	if !scope.All() {
		edited.Scope = scope
	}
	return a.AskAgain(ctx, edited)
}

// News is what has happened to a question since the News before it.
type News = report.News

// Told is a step of a run, told in words.
type Told = report.Told

// Follow yields what happens to a run after the event of a number, until the run ends or asks a person, or ctx ends.
func (a Asker) Follow(ctx context.Context, run domain.RunID, after int) iter.Seq2[News, error] {
	return a.Reports.Follow(ctx, run, after)
}

// gradings yields the grades of a run, search by search, best found first. They are given concurrently, so the order of
// their events carries no information.
func gradings(v *trace.View) iter.Seq[domain.Grading] {
	return func(yield func(domain.Grading) bool) {
		rank := map[domain.ChunkID]int{}
		for _, step := range v.Steps {
			for i, found := range step.Found {
				rank[found.Chunk] = i
			}
			for _, g := range slices.SortedStableFunc(slices.Values(step.Grades), func(a, b domain.Grading) int { return cmp.Compare(rank[a.Chunk], rank[b.Chunk]) }) {
				if !yield(g) {
					return
				}
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
		Figures: m.Figures, Tokens: view.Tokens(), Cost: a.Reports.Total(ctx, view), Status: m.Status, Problem: m.Problem, Web: OfWeb(m), Answered: len(m.Citations) > 0 && !OfWeb(m), Question: m.Question,
		Conversation: m.Conversation, Message: m.Message, Sentences: m.Sentences,
	}
	if r.Citations, err = report.CitedOf(ctx, a.Ledger, m.Workspace, m.Citations); err != nil {
		return r, err
	}
	for i, c := range r.Citations {
		r.Citations[i].Quote = slices.ContainsFunc(m.Sentences, func(s domain.Sentence) bool { return s.Quote && slices.Contains(s.Citations, c.N) })
	}
	pictures, err := report.PicturesOf(ctx, a.Ledger, m.Workspace, m.Citations)
	if err != nil {
		return r, err
	}
	r.Pictures = pictures[0]
	hidden, err := a.Ledger.HiddenDocuments(ctx, m.Workspace)
	if err != nil {
		return r, err
	}
	for g := range gradings(view) {
		if hidden[g.Document] { // hidden since it was read
			continue
		}
		r.Documents = append(r.Documents, Graded{g.Name, string(g.Verdict), g.Reason})
	}
	if !m.Status.Over() && !m.Withheld {
		r.Asks, err = a.Asking(ctx, m.Workspace, m.Run)
		switch {
		case domain.KindOf(err) == domain.NotFound: // deleted in the meantime
		case err != nil:
			return r, err
		case r.Asks != nil:
			r.Status = ledger.MessageAsking
		}
	}
	if r.Passages, err = a.context(ctx, m, view); err != nil || len(r.Passages) > 0 {
		return r, err
	}
	r.Closest, err = a.closest(ctx, m, view)
	return r, err
}

// context returns the passages that a run has found, the relevant ones first, if it was asked for these alone.
func (a Asker) context(ctx context.Context, m ledger.Answer, v *trace.View) ([]Passage, error) {
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
	for g := range gradings(v) {
		before, known := grades[g.Chunk]
		if !known {
			ids = append(ids, g.Chunk)
		}
		if before.Verdict != domain.Relevant {
			grades[g.Chunk] = g
		}
	}
	texts, err := a.Ledger.Passages(ctx, m.Workspace, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Passage, 0, len(texts))
	for _, id := range ids {
		i := slices.IndexFunc(texts, func(p domain.Passage) bool { return p.ID == id })
		if i < 0 { // deleted in the meantime
			continue
		}
		p, g := texts[i], grades[id]
		list = append(list, Passage{
			p.ID, p.Name, p.Document, p.Title, p.Page, p.Place(p.Span), p.Span.Start, p.Span.End, p.Text, g.Verdict, g.Reason, link.At(ctx, link.Passage(p.Document, p.Span)),
		})
	}
	slices.SortStableFunc(list, func(x, y Passage) int {
		return cmp.Compare(map[bool]int{false: 1}[x.Grade == domain.Relevant], map[bool]int{false: 1}[y.Grade == domain.Relevant])
	})
	return list, nil
}

// ask asks a question and waits for the answer.
func (a Asker) ask(ctx context.Context, in Asking) (Reply, error) {
	m, err := a.Ask(ctx, in, nil)
	if err != nil {
		return Reply{}, err
	}
	return a.Await(ctx, m.Run, in.Wait.Duration())
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
	Wait operation.Wait `json:"wait" doc:"the answer"`
}

func printReply(w io.Writer, r Reply) error { return r.Print(w) }

// AskOperations returns the operations that ask questions.
func AskOperations() []operation.Operation[Asker] {
	return []operation.Operation[Asker]{
		operation.Op[Asker, Asking, Reply]{
			Name: "ask", Short: "Ask a question", Scope: operation.Ask, Routes: []string{"POST /ask"}, Own: true, Waits: true,
			Tool: operation.Tool{Name: "ask", Title: "Ask the library", Fields: "question within method max_loops passages",
				About: "Answer a question from the library alone, with the sentences that the answer rests on. If nothing near was found, it says so. Tells each step as progress."},
			Do: func(a Asker, ctx context.Context, in Asking) (Reply, error) { return a.ask(ctx, in) }, Text: printReply,
		},
		operation.Op[Asker, answerWanted, Reply]{
			Name: "run answer", Short: "Print the answer of a run", Scope: operation.Read, Routes: []string{"GET /runs/{run}/answer"}, Example: "  clew run answer run0123456789abcdef0123 --wait 60",
			Do: func(a Asker, ctx context.Context, in answerWanted) (Reply, error) {
				return a.Await(ctx, in.ID, in.Wait.Duration())
			},
			Text: printReply,
		},
	}
}

// MaxWebWords is the maximum length of the text sent to a web search, in code points.
const MaxWebWords = 400

// A WebQuestion is one that the web is to be searched for.
type WebQuestion struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID   // that found no answer in the library
	Question  string         // replaces the run's question unless ""
	Form      domain.FormKey // of the form that asks it; "" if there is none
	Runs      job.Adder      // nil means the queue
}

// AskWeb starts a branch that asks the web what the library could not answer. The error is Invalid where no web search is set
// and for too many words, and Conflict for a run that has an answer or none yet.
func (s *Service) AskWeb(ctx context.Context, q WebQuestion) (ledger.Answer, error) {
	if s.WebSearch == "" {
		return ledger.Answer{}, domain.Errorf(domain.Invalid, "No web search is set. Whoever runs Clew can name a SearXNG in WEB_SEARCH_URL.")
	}
	a, err := s.Answered(ctx, q.Workspace, q.Run)
	if err != nil {
		return a, err
	}
	if !MayAskWeb(a) {
		return a, domain.Errorf(domain.Conflict, "The web is searched only for a question that has been asked and that the library could not answer.")
	}
	v := Variation{Workspace: q.Workspace, Message: a.Message, Purpose: Web, Form: q.Form, Runs: q.Runs}
	words := a.Question
	if q.Question != "" {
		words = q.Question
	}
	if words, err = s.Check(ctx, q.Workspace, words, domain.Scope{}); err != nil {
		return a, err
	}
	if n := domain.Runes(words); n > MaxWebWords {
		return a, domain.Errorf(domain.TooLarge, "A web search takes at most %d characters, and this has %d. Send fewer words.", MaxWebWords, n)
	}
	m, err := s.Ledger.Message(ctx, q.Workspace, a.Message)
	if err != nil {
		return a, err
	}
	if words != m.Question {
		v.Changes.Question = words
	}
	b, err := s.Vary(ctx, v)
	b.Conversation = m.Conversation
	return b, err
}

// MayAskWeb reports whether the web may be searched after an answer: it found nothing.
func MayAskWeb(a ledger.Answer) bool {
	return a.Status == ledger.MessageDone && !a.Withheld && len(a.Citations) == 0 && len(a.Figures) == 0
}

// OfWeb reports whether an answer is the web's, and not the library's.
func OfWeb(a ledger.Answer) bool {
	return a.Purpose == string(Web) || slices.ContainsFunc(a.Citations, domain.Citation.OfWeb)
}
