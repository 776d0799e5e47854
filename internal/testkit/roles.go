package testkit

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Roles answer by predictable rules: a passage is relevant if it contains a long word of the question, and the answer is the
// first sentence with such a word of each relevant passage.
type Roles struct {
	// Word is called before each word of an answer is written. Its error ends
	// the answer.
	Word func(ctx context.Context, question, word string) error
	// Sends is the number of tokens that the writer reports as sent; 0 reports none.
	Sends int

	mu      sync.Mutex
	history []answer.Exchange
	calls   map[string]int
}

// Calls returns how often each role was asked, by the names of the roles' prompts.
func (r *Roles) Calls() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.calls)
}

func (r *Roles) count(role string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]int{}
	}
	r.calls[role]++
}

func (r *Roles) all() answer.Roles {
	return answer.Roles{Condenser: r, Grader: r, Rewriter: r, Writer: r, Supporter: r}
}

// History returns the earlier exchanges passed with the latest follow-up
// question.
func (r *Roles) History() []answer.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.history
}

// Condense prepends the first question to a later one.
func (r *Roles) Condense(_ context.Context, asked answer.Asked, history []answer.Exchange, _ answer.Emit) (string, error) {
	r.count(answer.RoleCondense)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = history
	return history[0].Question + " " + asked.Question, nil
}

// Grade accepts a passage that contains a long word of the question.
func (r *Roles) Grade(_ context.Context, g answer.GradeRequest, _ answer.Emit) (domain.Grade, error) {
	r.count(answer.RoleGrade)
	if word := shared(g.Question, g.Passage.Text); word != "" {
		return domain.Grade{Verdict: domain.Relevant, Reason: "holds " + word}, nil
	}
	return domain.Grade{Verdict: domain.Irrelevant, Reason: "holds no word of it"}, nil
}

// Rewrite appends a number to the question.
func (r *Roles) Rewrite(_ context.Context, w answer.RewriteRequest, _ answer.Emit) (answer.Rewrite, error) {
	r.count(answer.RoleRewrite)
	return answer.Rewrite{Text: fmt.Sprintf("%s (%d)", w.Question, len(w.Before)+1), How: "by counting"}, nil
}

// Write copies a sentence of each passage, and cites exactly its characters.
func (r *Roles) Write(ctx context.Context, w answer.WriteRequest, pen answer.Pen, emit answer.Emit) (answer.Turn, error) {
	r.count(answer.RoleWrite)
	if r.Sends > 0 {
		emit(domain.EventAsked, domain.Usage{Model: "test", Input: r.Sends})
	}
	for _, p := range w.Passages {
		span := sentenceFor(w.Question, p)
		for word := range strings.FieldsSeq(span.Slice(p.Text)) {
			if r.Word != nil {
				if err := r.Word(ctx, w.Question, word); err != nil {
					return answer.Turn{}, err
				}
			}
			pen.Write(word + " ")
		}
		pen.Cite(p, span.Shift(p.Span.Start))
		pen.Write(" ")
	}
	return answer.Turn{}, nil
}

// Support supports every claim that cites something.
func (r *Roles) Support(_ context.Context, _ answer.Asked, claims []answer.Claim, _ answer.Emit) ([]answer.Support, error) {
	r.count(answer.RoleSupport)
	found := make([]answer.Support, len(claims))
	for i, c := range claims {
		found[i].OK = len(c.Quotes) > 0
	}
	return found, nil
}

func sentenceFor(question string, p domain.Passage) domain.Span {
	for _, s := range prose.Sentences(p.Text) {
		if shared(question, s.Slice(p.Text)) != "" {
			return s
		}
	}
	return domain.Span{End: domain.Runes(p.Text)}
}

// shared returns the first word of a question with at least six letters that
// the text contains.
func shared(question, text string) string {
	for _, word := range strings.FieldsFunc(question, func(r rune) bool { return r == ' ' || r == '?' }) {
		if len(word) >= 6 && strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return word
		}
	}
	return ""
}

// Searcher returns the role that finds passages for questions.
func (a *App) Searcher() answer.Retriever {
	if !a.Walk {
		return lexical{a.index}
	}
	return retrieve.New(retrieve.Params{Graph: a.Graph, Index: a.index, Texts: a.Ledger, Now: a.Clock.Now})
}

// lexical retrieves by words only.
type lexical struct{ vectors vectorstore.Reader }

func (l lexical) Retrieve(ctx context.Context, w domain.WorkspaceID, q retrieve.Query) (retrieve.Result, error) {
	hits, err := l.vectors.Lexical(ctx, w, vectorstore.LexicalQuery{
		Collection: vectorstore.Chunks, Text: q.Text, Limit: q.Limit, Documents: q.Documents,
	})
	found := retrieve.Result{Methods: []domain.Method{{Name: domain.MethodWords, Candidates: len(hits)}}}
	for _, h := range hits {
		found.Passages = append(found.Passages, domain.FoundPassage{Chunk: domain.ChunkID(h.ID), Score: h.Score, Methods: []domain.MethodName{domain.MethodWords}})
	}
	if q.Report != nil {
		q.Report(found.Methods[0])
	}
	return found, err
}
