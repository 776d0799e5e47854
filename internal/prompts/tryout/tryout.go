// Package tryout asks a model with the draft of a prompt and with the current text, side by side, and
// shows exactly what was sent and what came back.
package tryout

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/retrieve"
)

// Params configures a Service. All fields are required but Chat.
type Params struct {
	Prompts   *prompts.Book
	Retriever answer.Retriever
	Passages  retrieve.Texts
	Documents Documents

	Mode llm.Mode // for extractions

	Chat func(role string) llm.Chat // returns the model of a role; nil in the built-in mode
}

// Documents reads documents.
type Documents interface {
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
	StatedTitle(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (string, error)
}

// Service tries prompts out.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// Trial is the outcome.
type Trial struct {
	Role    string `json:"role"`
	Words   string `json:"words"`
	Passage string `json:"passage"` // title of the document found for the words
	Model   string `json:"model"`   // "" if there is none, and nothing was sent
	Current Side   `json:"current"`
	Draft   Side   `json:"draft"`
}

// Side is the outcome of one of the two texts.
type Side struct {
	Calls   []Call `json:"calls"`
	Problem string `json:"problem,omitempty"` // why it ended early
}

// Call is a call of the model.
type Call struct {
	Messages []llm.Message `json:"messages"`
	Form     string        `json:"form,omitempty"` // the requested tool or schema
	Answer   string        `json:"answer"`
	Usage    llm.Usage     `json:"usage"`
	Recorded bool          `json:"recorded"` // it cost nothing
}

// limit is how many passages a role gets.
const limit = 4

// trials holds the roles that can be tried out.
var trials = map[string]func(ctx context.Context, p attempt) error{
	extract.PromptRole: extracts, answer.RoleGrade: grades, answer.RoleRewrite: rewrites, answer.RoleWrite: writes, answer.RoleSupport: supports,
	answer.RoleGradeMany: gradesMany, answer.RoleRerank: ranks, answer.RoleDecompose: decomposes, answer.RoleStep: settles,
}

// Can reports whether a role's prompt can be tried out.
func (s *Service) Can(role string) bool { return trials[role] != nil }

// attempt is one side of a trial in the works.
type attempt struct {
	asked    answer.Asked
	passages []domain.Passage
	document domain.Document // of the first passage
	title    string          // stated in it
	roles    answer.Roles
	extract  extract.Extractor
	prompt   string // for extract
}

// Try tries a draft with the passages that a search for the words finds. Nothing
// is stored of it but recorded calls of the extraction, which belong to their
// document. The error is Invalid if the draft is wrong, or nothing can be found.
func (s *Service) Try(ctx context.Context, w domain.WorkspaceID, role, draft, words string) (Trial, error) {
	t := Trial{Role: role, Words: domain.OneLine(words)}
	drafted, err := s.Prompts.With(role, draft)
	if err != nil {
		return t, err
	}
	switch {
	case !s.Can(role):
		return t, domain.Errorf(domain.Unsupported, "The prompt %s can't be tried on a single question. Save it, and look at the messages of a run.", role)
	case t.Words == "":
		return t, domain.Errorf(domain.Invalid, "Write a question, or words of a passage, to try the prompt with.")
	}
	current, err := s.inForce(ctx, w, role)
	if err != nil {
		return t, err
	}
	a := attempt{asked: answer.Asked{Workspace: w, Question: t.Words}}
	if a.passages, err = s.find(ctx, w, t.Words); err != nil {
		return t, err
	}
	if a.document, err = s.Documents.Document(ctx, w, a.passages[0].Document); err != nil {
		return t, err
	}
	if a.title, err = s.Documents.StatedTitle(ctx, w, a.document.ID); err != nil {
		return t, err
	}
	t.Passage = a.passages[0].Title
	var both sync.WaitGroup
	both.Go(func() { t.Current = s.side(ctx, role, current, a) })
	both.Go(func() { t.Draft = s.side(ctx, role, drafted, a) })
	both.Wait()
	if s.Chat != nil {
		t.Model = s.Chat(role).Model()
	}
	return t, ctx.Err()
}

// inForce returns a book with the text that the role has now.
func (s *Service) inForce(ctx context.Context, w domain.WorkspaceID, role string) (*prompts.Book, error) {
	v, err := s.Prompts.Current(ctx, w, role)
	if err != nil {
		return nil, err
	}
	return s.Prompts.With(role, v.Text)
}

func (s *Service) find(ctx context.Context, w domain.WorkspaceID, words string) ([]domain.Passage, error) {
	found, err := s.Retriever.Retrieve(ctx, w, retrieve.Query{Text: words, Limit: limit})
	if err != nil {
		return nil, err
	}
	ids := lists.Map(found.Passages, func(p domain.FoundPassage) domain.ChunkID { return p.Chunk })
	passages, err := s.Passages.Passages(ctx, w, ids[:min(len(ids), limit)])
	if err == nil && len(passages) == 0 {
		err = domain.Errorf(domain.Invalid, "No passage of the library contains %q. Try other words.", words)
	}
	return passages, err
}

// side tries one text.
func (s *Service) side(ctx context.Context, role string, book *prompts.Book, a attempt) Side {
	var chat llm.Chat = silent{}
	mode := llm.ModeTool
	if s.Chat != nil {
		chat, mode = s.Chat(role), llm.ModeAuto
		if role == extract.PromptRole {
			mode = s.Mode
		}
	}
	tap := &tap{Chat: chat, fresh: role != extract.PromptRole}
	fitness := llm.NewFitness(chat, mode, nil)
	m := answer.Model{Chat: tap, Fitness: fitness}
	var err error
	if a.roles, err = answer.ModelRoles(answer.ModelParams{Answer: m, Grade: m, Rewrite: m, Prompts: book}); err == nil {
		a.extract = extract.New(extract.Params{Chat: tap, Fitness: fitness, Prompts: book})
		a.prompt, err = book.Edited(ctx, a.asked.Workspace, extract.PromptRole, 0)
	}
	if err == nil {
		err = trials[role](ctx, a)
	}
	side := Side{Calls: tap.calls}
	if err != nil && s.Chat != nil {
		side.Problem = domain.InWords(err)
	}
	return side
}

func extracts(ctx context.Context, a attempt) error {
	_, err := a.extract.Extract(ctx, extract.Request{
		Document: a.document, Title: a.title, Chunks: []domain.Chunk{a.passages[0].Chunk}, Guide: extract.Guide{Prompt: a.prompt},
	})
	return err
}

func grades(ctx context.Context, a attempt) error {
	_, err := a.roles.Grader.Grade(ctx, answer.GradeRequest{Asked: a.asked, Passage: a.passages[0], Candidates: a.passages}, ignore)
	return err
}

func gradesMany(ctx context.Context, a attempt) error {
	requests := make([]answer.GradeRequest, len(a.passages))
	for i, p := range a.passages {
		requests[i] = answer.GradeRequest{Asked: a.asked, Passage: p, Candidates: a.passages}
	}
	_, err := a.roles.Model.GradeMany(ctx, a.asked, requests, ignore)
	return err
}

func ranks(ctx context.Context, a attempt) error {
	_, err := a.roles.Model.Rank(ctx, a.asked, a.passages, ignore)
	return err
}

func decomposes(ctx context.Context, a attempt) error {
	_, err := a.roles.Model.Decompose(ctx, a.asked, ignore)
	return err
}

func settles(ctx context.Context, a attempt) error {
	_, err := a.roles.Model.Settle(ctx, a.asked, a.passages, ignore)
	return err
}

func rewrites(ctx context.Context, a attempt) error {
	_, err := a.roles.Rewriter.Rewrite(ctx, answer.RewriteRequest{Asked: a.asked, Before: []answer.Rewrite{{Text: a.asked.Question}}, Found: rejected(a.passages)}, ignore)
	return err
}

// rejected returns passages as a grader has rejected them.
func rejected(passages []domain.Passage) []answer.Rejected {
	out := make([]answer.Rejected, len(passages))
	for i, p := range passages {
		out[i] = answer.Rejected{Passage: p, Reason: "does not contain the query"}
	}
	return out
}

func writes(ctx context.Context, a attempt) error {
	_, err := a.roles.Writer.Write(ctx, answer.WriteRequest{Asked: a.asked, Passages: a.passages}, nowhere{}, ignore)
	return err
}

// supports checks two sentences: the beginning of the first passage, which cites
// itself, and the beginning of the last one, which cites the first.
func supports(ctx context.Context, a attempt) error {
	first, last := domain.Cut(a.passages[0].Text, claimLength), domain.Cut(a.passages[len(a.passages)-1].Text, claimLength)
	_, err := a.roles.Supporter.Support(ctx, a.asked, []answer.Claim{{Text: first, Quotes: []string{first}}, {Text: last, Quotes: []string{first}}}, ignore)
	return err
}

// claimLength bounds a sentence to check, in code points.
const claimLength = 200

func ignore(string, any) {}

// nowhere is a pen that discards the answer.
type nowhere struct{}

func (nowhere) Write(string)                     {}
func (nowhere) Cite(domain.Passage, domain.Span) {}
func (nowhere) Quote(answer.Quotation)           {}
func (nowhere) Remark(string)                    {}
func (nowhere) Anew()                            {}

// tap records the calls of a model. They come one after the other.
type tap struct {
	llm.Chat
	fresh bool // bypass the record, which has no owner for the answers
	calls []Call
}

// Complete passes a request on.
func (t *tap) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	call := Call{Messages: slices.Clone(r.WithoutControlTokens().Messages), Form: r.ForceTool}
	if r.Schema != nil {
		call.Form = r.Schema.Name
	}
	r.Fresh = t.fresh
	answer, err := t.Chat.Complete(ctx, r)
	said := []string{answer.Text}
	for _, c := range answer.ToolCalls {
		said = append(said, c.Name+" "+c.Arguments)
	}
	call.Answer, call.Usage, call.Recorded = strings.TrimSpace(strings.Join(said, "\n")), answer.Usage, answer.Recorded
	t.calls = append(t.calls, call)
	return answer, err
}

// silent replaces a missing model, and shows what it would be sent.
type silent struct{}

// Complete fails.
func (silent) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Fault: llm.Cancelled, Message: "No model is configured."}
}

// Model returns no name.
func (silent) Model() string { return "" }
