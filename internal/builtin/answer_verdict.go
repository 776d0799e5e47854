package builtin

import (
	"slices"
	"strings"
)

// The verdicts on a question that asks for one.
const (
	yes = "Yes"
	no  = "No"
)

// leastPolarity is the share of a question's weight that a sentence must say in
// its own words for its polarity to be a verdict.
const leastPolarity = 0.65

// verdictIn returns the verdict that a proposition gives: the word with which
// the answer to an FAQ's question begins, or else whether the sentence that says
// what is asked negates it.
func (w *weighing) verdictIn(i int, u unit) offer {
	st := &w.propositions[i]
	none := offer{from: -1}
	if st.asks() || st.bare() && !st.setting.item {
		return none
	}
	if q := st.setting.question; q >= 0 && st.setting.late == 0 && w.weightOf(u.told) >= leastPolarity*w.total {
		if v := st.opensWith(); v != "" {
			return offer{v, 0, true, -1}
		}
	} else if w.weightOf(u.said) < leastPolarity*w.total {
		return none
	}
	if st.negates() {
		return offer{no, costMore, true, -1}
	}
	return offer{yes, costMore, true, -1}
}

func (w *weighing) weightOf(set uint64) float64 {
	sum := 0.0
	for i, n := range w.needs {
		if set&(1<<i) != 0 {
			sum += n.weight
		}
	}
	return sum
}

// opensWith returns the verdict with which a proposition begins, or "".
func (s *proposition) opensWith() string {
	for _, p := range s.parts[:min(3, len(s.parts))] {
		switch p.key {
		case "yes":
			return yes
		case "no", "not":
			return no
		}
	}
	return ""
}

// negates reports whether a proposition is negative.
func (s *proposition) negates() bool {
	for i, t := range s.tokens {
		word := strings.ToLower(t.Text)
		either := i > 0 && strings.EqualFold(s.tokens[i-1].Text, "or")
		if negations[word] && !either || strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t") {
			return true
		}
	}
	return false
}

var negations = wordSet("no not never cannot neither nor none nobody nothing")

// begins reports whether a text begins with a verdict.
func begins(text, verdict string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,:;!\n", r) })
	return slices.ContainsFunc(words[:min(2, len(words))], func(w string) bool { return strings.EqualFold(w, verdict) })
}
