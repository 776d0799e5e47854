package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The answers given when there is nothing to write from.
const (
	SaysNothing     = "The library holds nothing on this question."
	SaysNotOutright = "No sentence in the library says it outright."
	SaysNotWithin   = "No sentence of the documents asked says it outright."
	SaysNowhere     = "No document is within what was asked. Ask all documents, or another part of them."
	SaysEmpty       = "The library is empty. Add documents, then ask again."
)

// support checks each sentence against its citations.
func (n *nodes) support(ctx *stategraph.Context, s State) (state.Update[State], error) {
	sentences := slices.Clone(s.Sentences)
	claims := make([]Claim, 0, len(sentences)) // remarks come after all other sentences
	for i, sentence := range sentences {
		if sentence.Remark { // nothing to check
			sentences[i].Supported = true
			continue
		}
		claims = append(claims, Claim{Text: sentence.Text, Quotes: s.quotes(sentence.Citations)})
	}
	if len(claims) == 0 {
		return n.sentences.Set(sentences), nil
	}
	verdicts, err := n.Roles.Supporter.Support(ctx, s.asked(), claims, ctx.Emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	for i := range claims {
		sentences[i].Supported = i < len(verdicts) && verdicts[i] && len(claims[i].Quotes) > 0
	}
	return n.sentences.Set(sentences), nil
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
