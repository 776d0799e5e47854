package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The answers given when there is nothing to write from.
const (
	SaysNothing     = "The library holds nothing on this question."
	SaysNotOutright = "No sentence says it outright."
	SaysNotWithin   = "No sentence of the documents asked says it outright."
	SaysNowhere     = "No document matches what was asked within. Ask all documents, or another part of them."
	SaysEmpty       = "Nothing had been read when this was asked. Add documents, and ask again once they are read."
	SaysNoText      = "The model wrote no answer."
	SaysNotOnWeb    = "No page of the web that was read answers this."
	SaysNoPage      = "The web search found no page for this."

	// For quotations that no model has judged.
	SaysNothingClose = "Nothing close was found."
	SaysMostLikely   = "Most likely:"
	SaysAlsoClose    = "Also close:"
	SaysRowsFit      = "%d of %d rows:"
	SaysMostOf       = "The most in “%s”, of %d rows:"
	SaysLeastOf      = "The least in “%s”, of %d rows:"
	SaysSumOf        = "%s is the sum of “%s” in %d rows:"
	SaysMeanOf       = "%s is the mean of “%s” in %d rows:"
	SaysDifferenceOf = "%s is the difference in “%s” of %d rows:"

	// For a chart of a table, with the document's name.
	SaysDrawn = "Drawn from a table in %s."

	// For surveys, with what they read.
	SaysDocuments = "The documents, in this order: %s."
	SaysThemes    = "The themes, by the names that stand for them: %s."

	saysUnknown  = "%s is in no document."
	saysUnknowns = "In no document: %s."
	saysUnasked  = "In none of the documents asked: %s."
	saysMeant    = "%s is in no document. Did you mean %s?"
)

// Notes on steps whose answer says nothing from the library.
const (
	SaysClosest  = "closest, no call"
	SaysNoClaims = "no claims"
	SaysNoneNear = "nothing is near"
	SaysVerbatim = "quoted word for word"
)

// Reasons of sentences without support.
const (
	reasonUncited = "it cites no passage"
	reasonUnsaid  = "what it cites does not say so"
)

// support checks each sentence against its citations.
func (n *nodes) support(ctx *stategraph.Context, s State) (state.Update[State], error) {
	if s.Draft != nil && s.Draft.Generation == s.Generation {
		return n.better(ctx, s, s.Sentences), nil
	}
	sentences := slices.Clone(s.Sentences)
	claims := make([]Claim, 0, len(sentences)) // remarks come after all other sentences
	var cited [][]int
	for i, sentence := range sentences {
		if sentence.Remark || sentence.Quote { // nothing to check
			sentences[i].Supported = true
			continue
		}
		claims, cited = append(claims, Claim{Text: sentence.Text, Quotes: s.quotes(sentence.Citations)}), append(cited, sentence.Citations)
	}
	if len(claims) == 0 {
		note := SaysNoClaims
		if slices.ContainsFunc(sentences, func(s domain.Sentence) bool { return s.Quote }) {
			note = SaysVerbatim
		}
		ctx.Emit(domain.EventNote, domain.Note{Text: note})
		return n.better(ctx, s, sentences), nil
	}
	if err := n.addReckoned(ctx, s, claims, cited); err != nil {
		return state.Update[State]{}, err
	}
	m := n.meter(ctx, s.Budget, ctx.Emit)
	found, err := n.findSupport(ctx, s, claims, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	for i, c := range claims {
		var f Support
		if i < len(found) {
			f = found[i]
		}
		sentences[i].Supported = f.OK && len(c.Quotes) > 0
		if !sentences[i].Supported {
			sentences[i].Reason = c.reason(f)
		}
	}
	return state.Merge(n.better(ctx, s, sentences), n.spend(m)), nil
}

// findSupport asks for the support of claims. It skips verbatim copies of what they cite, such as those of an answer
// stopped at its budget.
func (n *nodes) findSupport(ctx *stategraph.Context, s State, claims []Claim, emit Emit) ([]Support, error) {
	copies := make([]Support, len(claims))
	for i, c := range claims {
		copies[i].OK = slices.ContainsFunc(c.Quotes, func(q string) bool { return strings.Contains(domain.OneLine(q), c.Text) })
	}
	if s.overBudget() && !slices.Contains(copies, Support{}) {
		return copies, nil
	}
	return n.Roles.Supporter.Support(ctx, s.asked(), claims, emit)
}

// maxWhy bounds the reason that a model gives, in code points.
const maxWhy = 120

// reason returns why a claim has no support.
func (c Claim) reason(f Support) string {
	switch {
	case len(c.Quotes) == 0:
		return reasonUncited
	case f.Reason == "":
		return reasonUnsaid
	}
	return domain.Cut(domain.OneLine(f.Reason), maxWhy)
}

// quotes returns the quotations of the numbered citations.
func (s State) quotes(numbers []int) []string {
	var out []string
	for _, number := range numbers {
		for _, c := range s.Citations {
			if c.N == number {
				out = append(out, c.Text)
			}
		}
	}
	return out
}

// Draft is an answer that was written again.
type Draft struct {
	Generation string            `json:"generation"`
	Sentences  []domain.Sentence `json:"sentences"`
	Citations  []domain.Citation `json:"citations"`
}

// unsupported counts the sentences that nothing supports.
func unsupported(sentences []domain.Sentence) int {
	return lists.CountFunc(sentences, func(s domain.Sentence) bool { return !s.Supported })
}

// checked rewrites an answer that has unsupported sentences: once, and not if it has charts, which are placed between
// its sentences.
func (n *nodes) checked(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	switch {
	case unsupported(s.Sentences) == 0:
		return stategraph.Choose[State](caseSupported), nil
	case n.Regenerate && n.Roles.Model != nil && s.WantsRevision():
		return stategraph.Choose[State](caseUnsupported), nil
	}
	return stategraph.Choose[State](caseLeft), nil
}

// WantsRevision reports whether a checked answer has sentences without support and may
// still be written again.
func (s State) WantsRevision() bool {
	return unsupported(s.Sentences) > 0 && s.Answered && s.Draft == nil && len(s.Figures) == 0 && !s.overBudget()
}

// regenerate rewrites the answer, telling the writer which sentences have no support and why. Readers see the draft until
// the new one is checked.
func (n *nodes) regenerate(ctx *stategraph.Context, s State) (state.Update[State], error) {
	u := n.draft.Set(&Draft{s.Generation, s.Sentences, s.Citations})
	passages, err := n.Passages.Passages(ctx, s.Workspace, chunks(s.relevant()))
	if err != nil || len(passages) == 0 { // or they were deleted in the meantime
		return u, err
	}
	r := ReviseRequest{Asked: s.asked(), Passages: passages, Draft: s.Generation}
	for _, sentence := range s.Sentences {
		if !sentence.Supported {
			r.Faults = append(r.Faults, Fault{sentence.Text, sentence.Reason})
		}
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("%s without support", domain.Counted(len(r.Faults), "sentence", "sentences"))})
	m := n.meter(ctx, s.Budget, ctx.Emit)
	c := &composer{citations: []domain.Citation{}}
	if err := n.Roles.Model.Revise(ctx, r, newTurnPen(c), m.emit); err != nil {
		return state.Update[State]{}, err
	}
	u = state.Merge(u, n.spend(m))
	if c.runes == 0 {
		return u, nil
	}
	c.attribute(s.standalone(), passages)
	c.remark(s.missing())
	return state.Merge(u, n.generation.Set(c.answer()), n.sentences.Set(c.sentences()), n.citations.Set(c.citations)), nil
}

// better returns an update that keeps the checked sentences if they are better than the draft, or else the draft.
func (n *nodes) better(ctx *stategraph.Context, s State, checked []domain.Sentence) state.Update[State] {
	if s.Draft == nil || unsupported(checked) < unsupported(s.Draft.Sentences) {
		return n.sentences.Set(checked)
	}
	if s.Generation != s.Draft.Generation {
		ctx.Emit(domain.EventNote, domain.Note{Text: "no better supported, so the first answer stands"})
	}
	return state.Merge(n.generation.Set(s.Draft.Generation), n.sentences.Set(s.Draft.Sentences), n.citations.Set(s.Draft.Citations))
}
