package summarize

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Draft is the question to a reviewer before the last step. The answer is a
// list of texts in the same form, one for each summary to keep.
type Draft struct {
	Summaries []string `json:"summaries"` // with marks, see Summary.Marked
}

// finish writes the final summary of the collapsed ones, after a review if the
// run has one.
func (n *nodes) finish(ctx *stategraph.Context, s State) (update, error) {
	summaries := s.Collapsed
	if s.Review {
		edited, err := stategraph.Interrupt[[]string](ctx, draftOf(summaries))
		if err != nil {
			return update{}, err
		}
		summaries = n.applyEdits(edited, summaries)
	}
	cut := ""
	sentences, condensed, err := n.final(ctx, s, summaries, func(sentence string) { cut = sentence })
	if err != nil {
		return update{}, err
	}
	c := citer{ctx: ctx, texts: n.Texts, state: s}
	if err := c.cite(sentences); err != nil {
		return update{}, err
	}
	u := state.Merge(n.finalText.Set(c.text()), n.condensed.Set(condensed), n.sentences.Set(c.sentences), n.citations.Set(c.citations))
	if !condensed {
		u = state.Merge(u, n.warnings.Add(fmt.Sprintf(
			"Not fully condensed: after %s the summaries were still too long for one account, so they are given one after the other.", domain.Counted(s.Rounds, "round", "rounds"))))
	}
	if cut != "" {
		u = state.Merge(u, n.warnings.Add(cut))
	}
	if said := drawnOn(c.citations, len(s.Documents)); said != "" && len(s.Warnings) == 0 { // else they tell which parts were left out
		u = state.Merge(u, n.warnings.Add(said))
	}
	return u, nil
}

// drawnOn says how many of several documents a summary cites, or "" if it cites
// all: a large one has more sentences to choose from than a small one.
func drawnOn(citations []domain.Citation, documents int) string {
	cited := map[domain.DocumentID]bool{}
	for _, c := range citations {
		cited[c.DocumentID] = true
	}
	if len(cited) == 0 || len(cited) >= documents {
		return ""
	}
	return fmt.Sprintf("Its sentences come from %d of %d documents. For more of the others, summarise them on their own.", len(cited), documents)
}

// final writes the last account. Summaries that are still too long for one are
// concatenated.
func (n *nodes) final(ctx *stategraph.Context, s State, summaries []Summary, warn func(string)) (sentences []Sentence, condensed bool, err error) {
	write := func(text string) { ctx.Emit(domain.EventToken, domain.Token{Text: text}) }
	anew := func() { ctx.Emit(domain.EventToken, domain.Token{Anew: true}) }
	if tokens(s.Collapsed) > TokenMax {
		sentences = concatenate(summaries)
		write(textOf(sentences))
		return sentences, false, nil
	}
	sentences, err = n.Summariser.Reduce(ctx, ReduceRequest{Options: s.options(), Summaries: summaries, Final: true, Write: write, Anew: anew, Warn: warn, DocumentOf: s.documentOf}, ctx.Emit)
	if err == nil && len(sentences) == 0 {
		err = domain.Errorf(domain.Unavailable, "The model returned an empty summary. Try again, or choose another model with SUMMARY_MODEL.")
	}
	return sentences, true, err
}

// Unfinished returns what a failed run has of a summary: the summaries one
// after the other, each sentence with its citations.
func Unfinished(ctx context.Context, t Texts, s State) ([]domain.Sentence, []domain.Citation, error) {
	c := citer{ctx: ctx, texts: t, state: s}
	err := c.cite(concatenate(s.Collapsed))
	return c.sentences, c.citations, err
}

// concatenate makes each summary a paragraph.
func concatenate(summaries []Summary) []Sentence {
	var out []Sentence
	for i, summary := range summaries {
		for _, s := range summary.Sentences {
			s.Paragraph = i
			out = append(out, s)
		}
	}
	return out
}

func draftOf(summaries []Summary) Draft {
	d := Draft{Summaries: make([]string, len(summaries))}
	for i, s := range summaries {
		d.Summaries[i] = s.Marked()
	}
	return d
}

// applyEdits parses the edited texts. If nothing is left, the summaries stay
// unchanged.
func (n *nodes) applyEdits(texts []string, summaries []Summary) []Summary {
	sources := sentencesOf(summaries)
	var out []Summary
	for _, text := range texts {
		if sentences := ParseMarked(text, sources); len(sentences) > 0 {
			out = append(out, n.summary(sentences))
		}
	}
	if len(out) == 0 {
		return summaries
	}
	return out
}
