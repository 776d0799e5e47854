package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// halver tells the step of a question that is in the passages, where the rest is not.
type halver struct{}

var _ answer.Halver = halver{}

// Half writes the sentences that tell what the question describes, and returns the
// question about that. They must say all of the description by themselves.
func (halver) Half(_ context.Context, asked answer.Asked, passages []domain.Passage, pen answer.Pen) (string, error) {
	r := readOnly(asked.Question, passages)
	d, ok := r.described()
	if !ok {
		return "", nil
	}
	side := r.search
	q := *r.question
	q.kind, q.wanted, q.wantedAs = aPerson, nil, ""
	if d.noun != "" {
		q.kind, q.wanted, q.wantedAs = aNamed, formsOf(d.noun), d.noun
	}
	side.question = &q
	b := side.weigh(d.pieces)
	if len(b.propositions) != 1 || !side.says(b.propositions[0], d.pieces) {
		return "", nil
	}
	s := &r.propositions[b.propositions[0]]
	if s.refers() || !side.certain(b.says, s) {
		return "", nil
	}
	pen.Write(strings.Join(strings.Fields(answerMark.ReplaceAllString(s.text, "")), " "))
	pen.Cite(passages[s.passage], s.span)
	rest := domain.Span{End: d.from}.Slice(q.text) + b.says
	if d.to < domain.Runes(q.text) {
		rest += domain.Span{Start: d.to, End: domain.Runes(q.text)}.Slice(q.text)
	}
	return strings.TrimRight(strings.Join(strings.Fields(rest), " "), " ?.!"), nil
}

// certain reports whether a name in a proposition is told to be of the kind that is
// looked for.
func (s *search) certain(name string, st *proposition) bool {
	if s.kind == aPerson {
		return s.personal(prose.Key(name))
	}
	return slices.ContainsFunc(st.names, func(n named) bool { return n.text == name && s.kindCost(n, st, s.wanted) == 0 })
}

// description is the part of a question that describes a thing by another: "the bridge
// that Ann Lee designed", "the designer of Weir Bridge".
type description struct {
	noun     string // that is described; "" for an office, which a person has
	pieces   []piece
	from, to int // in the text of the question, from its article on
}

// described returns the only description of a question, if it ends the question and
// something is asked about it.
func (r *reading) described() (description, bool) {
	opens := func(p piece) bool { return p.opens }
	m := slices.IndexFunc(r.pieces, opens)
	if m < 0 || slices.ContainsFunc(r.pieces[m+1:], opens) || r.word(r.pieces[m].from-1) == "whose" { // what is its own, it is not
		return description{}, false
	}
	head := r.pieces[m-r.pieces[m].head : m]
	before := r.pieces[:m-len(head)]
	if !slices.ContainsFunc(before, func(p piece) bool { return !p.weak }) {
		return description{}, false
	}
	d := description{pieces: slices.Clone(r.pieces[m+1:])}
	first := r.pieces[m].from
	if len(head) > 0 {
		first = head[0].from
		d.noun = strings.ToLower(head[len(head)-1].text)
		for _, h := range head {
			h.weak = true
			d.pieces = append(d.pieces, h)
		}
	}
	for first > 0 && determiners[r.word(first-1)] {
		first--
	}
	last := len(r.tokens) - 1
	for last > first && !r.tokens[last].Word {
		last--
	}
	d.from, d.to = r.tokens[first].Span.Start, r.tokens[last].Span.End
	named := slices.ContainsFunc(d.pieces, func(p piece) bool { return p.key != "" })
	return d, named
}

// says reports whether a proposition says all that is needed of the pieces in its own
// words.
func (s *search) says(i int, pieces []piece) bool {
	return !slices.ContainsFunc(pieces, func(p piece) bool { return !p.weak && !s.propositions[i].has(p.element, nil) })
}
