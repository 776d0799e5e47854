package builtin

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// answers reports whether a proposition offers what the question asks for, the
// answer, and its cost.
func (s *search) answers(st *proposition, cov coverage, c clause) (string, float64, bool) {
	switch s.kind {
	case aTime:
		return s.dateIn(st)
	case aNumber:
		return s.numberIn(st)
	case aPerson:
		return s.personIn(st, cov, c)
	case aPlace:
		return s.placeIn(st, cov)
	case aNamed:
		return s.namedIn(st, cov, c)
	}
	return s.newsIn(st, cov)
}

// isoDate matches a date as lists of changes write it.
var isoDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func (s *search) dateIn(st *proposition) (string, float64, bool) {
	for _, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if !s.words[key] && (isYear(key) || isoDate.MatchString(key) || monthsAndDay[key] && prose.IsCapitalised(t.Text)) {
			return t.Text, 0, true
		}
	}
	return "", 0, false
}

func isYear(s string) bool {
	return (len(s) == 4 || len(s) == 5 && s[4] == 's') && isNumber(s) && !strings.ContainsAny(s, ".,:")
}

// numberIn looks for a number, at best next to what the question counts.
func (s *search) numberIn(st *proposition) (string, float64, bool) {
	counted := s.counted()
	text, least := "", 1.0
	for i, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if s.words[key] || !isNumber(key) && !numberWords[strings.Split(key, "-")[0]] || st.isNote(i) {
			continue
		}
		cost, after := 0.0, min(i+1, len(st.tokens)-1)
		if counted != nil && !slices.ContainsFunc(st.forms[after:min(i+4, len(st.forms))], func(f []string) bool { return shareForm(f, counted) }) {
			cost = costUntyped
		}
		if s.word(s.asks.to-1) == "much" && !st.measures(i) {
			cost = costUnkind
		}
		if cost >= least {
			continue
		}
		text, least = t.Text, cost
		if next := st.tokens[after]; after > i && next.Word && !prose.IsStopWord(next.Text) {
			text += " " + next.Text // with the counted noun
		}
	}
	return text, least, text != ""
}

// measures reports whether a sign or a word of an amount stands beside the
// number at token i.
func (s *proposition) measures(i int) bool {
	return i > 0 && strings.ContainsAny(s.tokens[i-1].Text, "$€£") || i+1 < len(s.tokens) && (s.tokens[i+1].Text == "%" || s.tokens[i+1].Word && !isStop(s.tokens[i+1].Text))
}

// counted returns the forms of the noun after "how many".
func (s *search) counted() []string {
	for _, it := range s.pieces {
		if it.from == s.asks.to && it.key == "" && s.word(s.asks.to-1) == "many" {
			return it.forms
		}
	}
	return nil
}

// isNote reports whether the number at token i marks an item or a note: "1.",
// "[2]".
func (s *proposition) isNote(i int) bool {
	if i == 0 && i+1 < len(s.tokens) && (s.tokens[1].Text == "." || s.tokens[1].Text == ")") {
		return true
	}
	return i > 0 && i+1 < len(s.tokens) && s.tokens[i-1].Text == "[" && s.tokens[i+1].Text == "]"
}

// personIn looks for a name that is more than the place of an event.
func (s *search) personIn(st *proposition, cov coverage, c clause) (string, float64, bool) {
	for _, n := range s.bridges(st, cov) {
		if !st.follows(n.from, locatives) && s.agrees(st, cov, c, s.asks, stretch{n.from, n.to}) {
			return n.text, 0, true
		}
	}
	return "", 0, false
}

// follows reports whether one of words, and perhaps an article, precedes token
// i.
func (s *proposition) follows(i int, words map[string]bool) bool {
	if i > 0 && determiners[strings.ToLower(s.tokens[i-1].Text)] {
		i--
	}
	return i > 0 && words[strings.ToLower(s.tokens[i-1].Text)]
}

// placeIn looks for a name, or else a noun, after a preposition of place.
func (s *search) placeIn(st *proposition, cov coverage) (string, float64, bool) {
	for word := range strings.FieldsSeq(st.text) {
		if strings.Contains(word, "@") && len(word) > 3 || strings.Count(word, "/") > 1 {
			return strings.Trim(word, ".,;:()<>"), 0, true // an address or a path
		}
	}
	for _, n := range s.bridges(st, cov) {
		if st.follows(n.from, places) {
			return n.text, 0, true
		}
	}
	for i, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if t.Word && !cov.used[i] && !prose.IsStopWord(key) && !s.words[key] && !isNumber(key) && !monthsAndDay[key] && !numberWords[key] && st.follows(i, places) {
			return t.Text, costNoKind, true
		}
	}
	return "", 0, false
}

// namedIn looks for a name of the kind asked for.
func (s *search) namedIn(st *proposition, cov coverage, c clause) (string, float64, bool) {
	text, least, found := "", 0.0, false
	for _, n := range s.bridges(st, cov) {
		cost, ok := s.kindCost(n, st, s.wanted)
		if !ok || cost >= costNoKind || !s.agrees(st, cov, c, s.asks, stretch{n.from, n.to}) {
			continue
		}
		if !found || cost < least {
			text, least, found = n.text, cost, true
		}
	}
	return text, least, found
}

// newsIn looks for any word that is not in the question.
func (s *search) newsIn(st *proposition, cov coverage) (string, float64, bool) {
	for i, t := range st.tokens {
		if cov.used[i] || !s.isNews(st, i) {
			continue
		}
		if n, ok := st.within(i, i+1); ok {
			return n.text, 0, true
		}
		end := i + 1
		for end < len(st.tokens) && !cov.used[end] && s.isNews(st, end) {
			end++
		}
		return domain.Span{Start: t.Span.Start, End: st.tokens[end-1].Span.End}.Slice(st.text), 0, true
	}
	return "", 0, false
}

// isNews reports whether a token says something the question does not.
func (s *search) isNews(st *proposition, i int) bool {
	t := st.tokens[i]
	return t.Word && !prose.IsStopWord(t.Text) && !s.words[prose.Key(t.Text)] && !s.asked(st.forms[i])
}

// asked reports whether a word shares a form with a word of the question.
func (s *search) asked(forms []string) bool {
	return slices.ContainsFunc(s.pieces, func(it piece) bool { return it.forms != nil && shareForm(it.forms, forms) })
}

// Words that say why, and how.
var (
	causes = wordSet("because since so due therefore thus hence as otherwise reason reasons cause causes caused avoid ensure prevent allow allows order")
	means  = wordSet("run use using by can via with through command option set add install type enable edit create put see")
)

// wayCost returns the cost of a proposition that does not say why or how, where
// the question asks that.
func (w *weighing) wayCost(st *proposition) float64 {
	says := map[answerKind]map[string]bool{aReason: causes, aWay: means}[w.kind]
	if says == nil || st.setting.question >= 0 {
		return 0
	}
	if slices.ContainsFunc(st.parts, func(p part) bool { return says[p.key] }) {
		return 0
	}
	return costUntyped
}
