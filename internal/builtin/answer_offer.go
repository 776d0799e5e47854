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
func (s *search) answers(st *proposition) (string, float64, bool) {
	switch s.kind {
	case aTime:
		return s.dateIn(st)
	case aNumber:
		return s.numberIn(st)
	case aPerson:
		return s.personIn(st)
	case aPlace:
		return s.placeIn(st)
	case aNamed:
		return s.namedIn(st)
	}
	return s.newsIn(st)
}

// personIn looks for a name.
func (s *search) personIn(st *proposition) (string, float64, bool) {
	if names := s.bridges(st); len(names) > 0 {
		return names[0].text, 0, true
	}
	return "", 0, false
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

// numberIn looks for a number, and takes the noun behind it.
func (s *search) numberIn(st *proposition) (string, float64, bool) {
	for i, t := range st.tokens {
		key := strings.ToLower(t.Text)
		if s.words[key] || st.marks(i) || !isNumber(key) && !numberWords[strings.Split(key, "-")[0]] {
			continue
		}
		if i+1 < len(st.tokens) && st.tokens[i+1].Word && !isStop(st.tokens[i+1].Text) {
			return t.Text + " " + st.tokens[i+1].Text, 0, true
		}
		return t.Text, 0, true
	}
	return "", 0, false
}

// marks reports whether token i is the number of an item or of an entry elsewhere:
// "2.", "#200".
func (s *proposition) marks(i int) bool {
	if i > 0 && s.tokens[i-1].Text == "#" {
		return true
	}
	return s.setting.item && i <= 1 && i+1 < len(s.tokens) && (s.tokens[i+1].Text == "." || s.tokens[i+1].Text == ")")
}

// placeIn looks for an address or a path, or else a name after a preposition of
// place.
func (s *search) placeIn(st *proposition) (string, float64, bool) {
	before := ""
	for word := range strings.FieldsSeq(st.text) {
		if strings.Contains(word, "@") && len(word) > 3 || strings.Count(word, "/") > 1 || strings.Contains(word, "/") && places[before] {
			return strings.Trim(word, ".,;:()<>"), 0, true
		}
		before = strings.ToLower(word)
	}
	for _, n := range s.bridges(st) {
		if st.follows(n.from, places) {
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

// namedIn looks for a name of the kind asked for.
func (s *search) namedIn(st *proposition) (string, float64, bool) {
	if text, ok := s.optionIn(st); ok {
		return text, 0, true
	}
	text, least, found := "", 0.0, false
	for _, n := range s.bridges(st) {
		if cost := s.kindCost(n, st, s.wanted); cost < costNoKind && (!found || cost < least) {
			text, least, found = n.text, cost, true
		}
	}
	return text, least, found
}

// optionIn looks for an option of a command, if one is asked for.
func (s *search) optionIn(st *proposition) (string, bool) {
	if !shareForm(s.wanted, options) {
		return "", false
	}
	for word := range strings.FieldsSeq(st.text) {
		if word = strings.Trim(word, ".,;:`'\"“”‘’()"); strings.HasPrefix(word, "-") && len(word) > 1 && !s.isAsked(prose.Key(word)) {
			return word, true
		}
	}
	return "", false
}

var options = slices.Sorted(slices.Values(slices.Concat(formsOf("option"), formsOf("flag"), formsOf("switch"))))

// newsIn looks for any word that is not in the question.
func (s *search) newsIn(st *proposition) (string, float64, bool) {
	for i, t := range st.tokens {
		if !s.isNews(st, i) {
			continue
		}
		if at := slices.IndexFunc(st.names, func(n named) bool { return n.from <= i && i < n.to }); at >= 0 {
			return st.names[at].text, 0, true
		}
		end := i + 1
		for end < len(st.tokens) && s.isNews(st, end) {
			end++
		}
		return domain.Span{Start: t.Span.Start, End: st.tokens[end-1].Span.End}.Slice(st.text), 0, true
	}
	return "", 0, false
}

// isNews reports whether a token says something the question does not.
func (s *search) isNews(st *proposition, i int) bool {
	t := st.tokens[i]
	return t.Word && !st.marks(i) && !prose.IsStopWord(t.Text) && !s.words[prose.Key(t.Text)] && !s.asked(st.forms[i])
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

// saysHow reports whether a proposition says why or how, where the question asks
// that.
func (q *question) saysHow(st *proposition) bool {
	says := map[answerKind]map[string]bool{aReason: causes, aWay: means}[q.kind]
	return says == nil || st.setting.question >= 0 || slices.ContainsFunc(st.parts, func(p part) bool { return says[p.key] })
}

// offerOf returns the candidate answer of a proposition. Where nothing states
// the kind asked for, any name or word that is not in the question may be one.
func (w *weighing) offerOf(i int, u unit) offer {
	st := &w.propositions[i]
	none := offer{from: -1}
	switch {
	case st.asks || st.orders || aMark.MatchString(st.text):
		return none
	case w.kind == aVerdict:
		return w.verdictIn(i, u)
	}
	if o, ok := w.statedIn(i, u); ok {
		return o
	}
	return w.openIn(i, u)
}

// statedIn returns an answer of the kind asked for that a proposition states, or
// the value above it.
func (w *weighing) statedIn(i int, u unit) (offer, bool) {
	for _, j := range append([]int{i}, w.valueAbove(i)...) {
		at := &w.propositions[j]
		text, cost, ok := w.answers(at)
		if w.kind == aNamed && shareForm(w.wanted, versions) {
			if version, found := w.versionIn(at); found {
				text, cost, ok = version, 0, true
			}
		}
		if ok && (w.kind != aPerson || w.personal(prose.Key(text)) || u.said&w.askedFor != 0 && (strings.Contains(text, " ") || strings.Contains(at.text, "by "+text))) {
			o := offer{text, cost, true, -1}
			if j != i {
				o.from = j
			}
			return o, true
		}
	}
	return offer{}, false
}

// openIn returns a name or word of a proposition that may be the answer, though
// nothing states its kind.
func (w *weighing) openIn(i int, u unit) offer {
	if w.kind == aNamed {
		if text, _, ok := w.newsIn(&w.propositions[i]); ok {
			return offer{text, w.untyped(i) + costMore, true, -1}
		}
	}
	return offer{from: -1}
}
