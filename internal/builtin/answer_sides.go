package builtin

import (
	"slices"
	"strconv"
	"strings"
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
	var out []bundle
	if s.dates() {
		out = s.sidesOf(sides, aTime)
	}
	if out == nil {
		out = s.sidesOf(sides, anything)
	}
	if len(out) > 0 && s.prefersSecond(out) {
		slices.Reverse(out)
	}
	return out
}

// sidesOf returns a bundle per side that answers in the given kind, or nil if one
// side has none.
func (s *search) sidesOf(sides [][]piece, kind answerKind) []bundle {
	side := *s
	q := *s.question
	q.kind, side.question = kind, &q
	var out []bundle
	for _, pieces := range sides {
		b := side.weigh(pieces)
		if len(b.propositions) == 0 {
			return nil
		}
		out = append(out, b)
	}
	return out
}

// dates reports whether a question compares by time.
func (q *question) dates() bool {
	for w := range datings {
		if q.words[w] {
			return true
		}
	}
	return false
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
	last := -1
	for i, b := range s.pieces {
		if b.key == "" {
			continue
		}
		if a := last; a >= 0 && b.from-s.pieces[a].to <= 3 && s.opposes(s.pieces[a].to, b.from) {
			rest := func(k int) []piece { return slices.Concat(s.pieces[:k], s.pieces[k+1:]) }
			return [][]piece{soften(rest(i)), soften(rest(a))}
		}
		last = i
	}
	return nil
}

// opposes reports whether the tokens between two names contrast them.
func (s *search) opposes(from, to int) bool {
	for _, t := range s.tokens[from:to] {
		if t.Text == "or" || t.Text == "and" && (s.words["both"] || s.words["same"] || s.words["common"] || beings[s.word(0)]) {
			return true
		}
	}
	return false
}

// soften makes words weak that only compare.
func soften(pieces []piece) []piece {
	out := slices.Clone(pieces)
	for i := range out {
		if comparing[strings.ToLower(out[i].text)] {
			out[i].weak = true
		}
	}
	return out
}
