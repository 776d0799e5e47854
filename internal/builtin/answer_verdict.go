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
	if w.negates(st) {
		return offer{no, costUntyped / 2, true, -1}
	}
	return offer{yes, costUntyped / 2, true, -1}
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

// negates reports whether the clause of a proposition that says most of the
// question is negative.
func (w *weighing) negates(st *proposition) bool {
	most, negative := -1, false
	count, negated := 0, false
	endClause := func() {
		if count > most {
			most, negative = count, negated
		}
		count, negated = 0, false
	}
	for i, t := range st.tokens {
		if t.Text == "," || t.Text == ";" || t.Text == ":" {
			endClause()
		}
		if t.Word && !isStop(t.Text) && !w.isNews(st, i) {
			count++
		}
		word := strings.ToLower(t.Text)
		either := i > 0 && strings.EqualFold(st.tokens[i-1].Text, "or")
		negated = negated || negations[word] && !either || strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t")
	}
	endClause()
	return negative
}

var negations = wordSet("no not never cannot neither nor none nobody nothing")

// begins reports whether a text begins with a verdict.
func begins(text, verdict string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,:;!\n", r) })
	return slices.ContainsFunc(words[:min(2, len(words))], func(w string) bool { return strings.EqualFold(w, verdict) })
}
