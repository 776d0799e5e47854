package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// What is said when there is nothing to write an answer from.
const (
	SaysNothing = "The library holds nothing on this question."
	SaysEmpty   = "The library is empty. Add documents, then ask again."
)

// generate writes the answer from what was graded relevant in any search. With
// nothing relevant it says so, without asking a writer.
func (n *nodes) generate(ctx *stategraph.Context, s State) (stategraph.Update[State], error) {
	relevant := s.relevant()
	if len(relevant) == 0 {
		return n.declines(ctx, s), nil
	}
	ids := make([]domain.ChunkID, len(relevant))
	for i, d := range relevant {
		ids[i] = d.Chunk
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, ids)
	if err != nil {
		return stategraph.Update[State]{}, err
	}
	if len(passages) == 0 { // deleted in the meantime
		return n.declines(ctx, s), nil
	}
	p := newPage(ctx.Emit)
	if err := n.Roles.Writer.Write(ctx, WriteRequest{Asked: s.askedFor(), Passages: passages}, p, ctx.Emit); err != nil {
		return stategraph.Update[State]{}, err
	}
	p.remark(s.missing())
	return stategraph.Merge(
		n.generation.Set(p.answer()), n.sentences.Set(p.sentences()), n.citations.Set(p.citations), n.answered.Set(true),
	), nil
}

// declines says that there is nothing to answer from. The sentence is about
// the library and not from it: it cites nothing.
func (n *nodes) declines(ctx *stategraph.Context, s State) stategraph.Update[State] {
	words := SaysNothing
	if len(s.Retrieval) == 0 {
		words = SaysEmpty
	}
	p := newPage(ctx.Emit)
	p.remark(append([]string{words}, s.missing()...))
	return stategraph.Merge(
		n.generation.Set(p.answer()), n.sentences.Set(p.sentences()), n.citations.Set([]domain.Citation{}), n.answered.Set(false),
	)
}

// support has each sentence checked against what it cites.
func (n *nodes) support(ctx *stategraph.Context, s State) (stategraph.Update[State], error) {
	sentences := slices.Clone(s.Sentences)
	claims := make([]Claim, 0, len(sentences)) // of the sentences before the remarks
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
	verdicts, err := n.Roles.Supporter.Support(ctx, s.askedFor(), claims, ctx.Emit)
	if err != nil {
		return stategraph.Update[State]{}, err
	}
	for i := range claims {
		sentences[i].Supported = i < len(verdicts) && verdicts[i] && len(claims[i].Quotes) > 0
	}
	return n.sentences.Set(sentences), nil
}

// quotes are the characters that citations point to.
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
