package builtin

import (
	"cmp"
	"slices"
	"strings"
)

// mostIntroducing bounds the sentences of an introduction.
const mostIntroducing = 3

// openOn returns the subject of an open question, one that asks for nothing in
// particular: "Tell me about X", "Who was X?", "What happened in 1897?", "X".
func (q *question) openOn() (element, bool) {
	var on []element
	for _, it := range q.pieces {
		switch {
		case it.opens || it.key == "" && !it.weak && !inviting[strings.ToLower(it.text)]:
			return element{}, false
		case it.key != "":
			on = append(on, it.element)
		}
	}
	if len(on) != 1 || q.kind != aPerson && q.kind != anything {
		return element{}, false
	}
	return on[0], true
}

// introduction returns the sentences that introduce a thing, or that say what
// happened in a year, most informative first.
func (s *search) introduction(on element) []bundle {
	w := &weighing{search: s}
	w.readSubjects()
	type telling struct{ proposition, rank int }
	var found []telling
	for i := range s.propositions {
		if rank := w.introduces(i, on.key); rank > 0 {
			found = append(found, telling{i, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b telling) int { return cmp.Compare(a.rank, b.rank) })
	if len(found) > 0 && found[0].rank == mentioning {
		return nil
	}
	var out []bundle
	for _, t := range found[:min(mostIntroducing, len(found))] {
		out = append(out, bundle{propositions: []int{t.proposition}, adds: []string{"introduces " + on.text}})
	}
	return out
}

// mentioning is the rank of a sentence that is also about something else: it
// can extend an introduction but not start one.
const mentioning = 4

// introduces ranks a proposition as an introduction of key: 1 is the opening of
// a passage about it, 0 no introduction.
func (w *weighing) introduces(i int, key string) int {
	st := &w.propositions[i]
	from, to, ok := st.find(key, false)
	switch {
	case st.bare() || !st.hasVerb():
		return 0
	case isNumber(key) && ok:
		return 1
	case w.about[st.passage] == key && w.openings[st.passage] == i:
		return 1
	case !ok || isNumber(key):
		return 0
	case st.tellsOf(to):
		return 2
	case from <= 1:
		return 3
	}
	return mentioning
}

// tellsOf reports whether the words from token i say what the preceding name
// is: "Ann Lee was a builder", "Ann Lee, the builder".
func (s *proposition) tellsOf(i int) bool {
	if i+1 >= len(s.tokens) {
		return false
	}
	sign, article := strings.ToLower(s.tokens[i].Text), strings.ToLower(s.tokens[i+1].Text)
	return (beings[sign] || sign == ",") && determiners[article]
}

// hasVerb reports whether a proposition has a verb.
func (s *proposition) hasVerb() bool {
	for _, t := range s.tokens {
		if isPastVerb(t.Text) || beings[t.Text] || presents[t.Text] || t.Text == "has" || t.Text == "have" || t.Text == "had" {
			return true
		}
	}
	return false
}
