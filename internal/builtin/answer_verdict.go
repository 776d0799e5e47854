package builtin

import "strings"

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
// what is asked negates it there.
func (w *weighing) verdictIn(i int, u unit) offer {
	st := &w.propositions[i]
	if q := st.setting.question; q >= 0 && st.setting.late == 0 && w.weightOf(u.told) >= leastPolarity*w.total {
		if v := st.opensWith(); v != "" {
			return offer{v, 0, true, -1}
		}
	} else if st.bare() && st.setting.heads || w.weightOf(u.said) < leastPolarity*w.total {
		return offer{from: -1}
	}
	first, last := len(st.tokens), 0
	for _, n := range w.needs {
		at := st.having(n.forms)
		if from, to, ok := st.find(n.key, false); n.key != "" && ok {
			at = []int{from, to - 1}
		}
		for _, t := range at {
			first, last = min(first, t), max(last, t)
		}
	}
	if st.negates(first-beforeSaid, last) {
		return offer{no, costMore, true, -1}
	}
	return offer{yes, costMore, true, -1}
}

// beforeSaid is how many tokens before the first one that says what is asked may
// negate it.
const beforeSaid = 2

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

// negates reports whether a negation stands between two tokens.
func (s *proposition) negates(from, to int) bool {
	for i := max(0, from); i <= min(to, len(s.tokens)-1); i++ {
		word := strings.ToLower(s.tokens[i].Text)
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
	return len(words) > 0 && strings.EqualFold(words[0], verdict)
}
