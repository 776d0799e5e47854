package builtin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// evidenceFor returns the weighted evidence for a question: one bundle, or one
// per side of a comparison. If a side of a comparison is missing, there is
// none.
func (s *search) evidenceFor() []bundle {
	sides := s.sides()
	if sides == nil {
		if b := s.weigh(s.pieces); len(b.propositions) > 0 {
			return []bundle{b}
		}
		return nil
	}
	side := *s
	q := *s.question
	q.kind = q.compares()
	side.question = &q
	var out []bundle
	for _, pieces := range sides {
		b := side.weigh(pieces)
		if len(b.propositions) == 0 {
			return nil
		}
		out = append(out, b)
	}
	if s.prefersSecond(out) {
		slices.Reverse(out)
	}
	return out
}

// prefersSecond reports whether the second of two sides is the one that a
// question after the earlier or the later one asks for.
func (s *search) prefersSecond(sides []bundle) bool {
	late := s.words["later"] || s.words["younger"] || s.words["recently"] || s.words["youngest"]
	early := s.words["first"] || s.words["earlier"] || s.words["older"] || s.words["elder"] || s.words["oldest"]
	if late == early {
		return false
	}
	a, b := s.yearOf(sides[0]), s.yearOf(sides[1])
	return a != 0 && b != 0 && (early && b < a || late && b > a)
}

// yearOf returns the first year that the answer of a side says, or the second
// if the question asks about deaths; 0 if it says none.
func (s *search) yearOf(side bundle) int {
	year := 0
	for _, t := range s.propositions[side.propositions[side.answers]].tokens {
		if n, err := strconv.Atoi(t.Text); err == nil && isYear(t.Text) {
			if year = n; !s.words["died"] {
				return year
			}
		}
	}
	return year
}

// sides splits a question that compares two names ("A or B", "both A and B")
// into the pieces of each side, or returns nil.
func (s *search) sides() [][]piece {
	for i := 0; i+1 < len(s.pieces); i++ {
		a, b := s.pieces[i], s.pieces[i+1]
		if a.key == "" || b.key == "" || b.from-a.to > 3 || !s.opposes(a.to, b.from) {
			continue
		}
		rest := func(k int) []piece { return slices.Concat(s.pieces[:k], s.pieces[k+1:]) }
		return [][]piece{soften(rest(i + 1)), soften(rest(i))}
	}
	return nil
}

// opposes reports whether the tokens between two names contrast them.
func (s *search) opposes(from, to int) bool {
	for _, t := range s.tokens[from:to] {
		if t.Text == "or" || t.Text == "and" && (s.words["both"] || s.words["same"] || s.words["common"] || beings[first(s.tokens)]) {
			return true
		}
	}
	return false
}

// soften makes words weak that only compare.
func soften(pieces []piece) []piece {
	out := slices.Clone(pieces)
	for i := range out {
		if comparing[lower(out[i].text)] {
			out[i].weak = true
		}
	}
	return out
}

// compares returns the kind of answer each side must give.
func (q *question) compares() answerKind {
	for w := range datings {
		if q.words[w] {
			return aTime
		}
	}
	return anything
}

func lower(s string) string { return strings.ToLower(s) }

func first(tokens []prose.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return lower(tokens[0].Text)
}
