package builtin

import (
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// marks returns the decisive words of a sentence, in its text: of the kind that the
// question asks for, or else what the question does not say. tie is a name by which it
// is known, not what is asked for.
func (r *reading) marks(s *candidate, tie string) domain.Span {
	at, ok := r.offered(s, tie)
	if !ok {
		at = r.news(s)
	}
	for at.Start > 0 && strings.HasPrefix(domain.Span{Start: at.Start - 1, End: at.End}.Slice(s.text), "-") { // of an option
		at.Start--
	}
	return at
}

// offers reports whether a sentence has words of the kind that the question asks for.
func (r *reading) offers(s *candidate, tie string) bool {
	_, ok := r.offered(s, tie)
	return ok
}

func (r *reading) offered(s *candidate, tie string) (domain.Span, bool) {
	switch r.wants {
	case aDate:
		return r.date(s)
	case aNumber:
		return r.number(s)
	case aName, aPlace:
		return r.name(s, tie)
	}
	return domain.Span{}, false
}

// date returns the first date that the question does not name.
func (r *reading) date(s *candidate) (domain.Span, bool) {
	for _, n := range s.names {
		if n.Kind == prose.Date && !r.isAsked(n.Text) {
			return n.Span, true
		}
	}
	return domain.Span{}, false
}

// number returns the first number that is no year, or else the first, with its sign of
// money and its unit.
func (r *reading) number(s *candidate) (domain.Span, bool) {
	tokens, first := prose.Tokens(s.text), -1
	for i, t := range tokens {
		digits := unicode.IsDigit([]rune(t.Text)[0])
		if !digits && !isNumberWord(strings.Split(t.Text, "-")[0]) || r.words[prose.Key(t.Text)] || s.item && i <= 1 {
			continue
		}
		year := digits && len(t.Text) == 4 && (t.Text[0] == '1' || t.Text[0] == '2')
		if first < 0 || !year {
			first = i
		}
		if !year {
			break
		}
	}
	if first < 0 {
		return domain.Span{}, false
	}
	from, to := first, first
	for from > 0 && strings.ContainsAny(tokens[from-1].Text, "£$€¥") {
		from--
	}
	for to+1 < len(tokens) && isNumberWord(tokens[to+1].Text) {
		to++
	}
	if to+1 < len(tokens) && isUnit(tokens[to+1].Text) {
		to++
	}
	return domain.Span{Start: tokens[from].Span.Start, End: tokens[to].Span.End}, true
}

func isNumberWord(text string) bool { return numberWords[strings.ToLower(text)] }

// isUnit reports whether what follows a number belongs to it.
func isUnit(text string) bool {
	return strings.ContainsAny(text, "%°€£$") || !isStop(text) && unicode.IsLetter([]rune(text)[0])
}

// name returns the first name that the question does not have, behind "by" or, where a
// place is asked for, behind a word of place if there is one.
func (r *reading) name(s *candidate, tie string) (domain.Span, bool) {
	leading := agents
	if r.wants == aPlace {
		leading = places
	}
	var first domain.Span
	for _, n := range s.names {
		if n.Kind != prose.Proper && n.Kind != prose.Quoted || r.isAsked(n.Text) || tie != "" && prose.Key(n.Text) == prose.Key(tie) {
			continue
		}
		before := strings.Fields(domain.Span{End: n.Span.Start}.Slice(s.text))
		if len(before) > 0 && leading[strings.ToLower(before[len(before)-1])] {
			return n.Span, true
		}
		if first.Empty() {
			first = n.Span
		}
	}
	return first, !first.Empty()
}

// mostNews bounds the words of a phrase that is marked.
const mostNews = 8

// news returns the longest run of words that the question does not have; empty if there
// is none.
func (r *reading) news(s *candidate) domain.Span {
	tokens := prose.Tokens(s.text)
	var best domain.Span
	most := 0
	for i := 0; i < len(tokens); i++ {
		if isStop(tokens[i].Text) {
			continue
		}
		said, end := 0, i
		for j := i; j < len(tokens) && j < i+mostNews && tokens[j].Word; j++ {
			if stop := isStop(tokens[j].Text); !stop && r.isAsked(tokens[j].Text) {
				break
			} else if !stop {
				said, end = said+1, j+1
			}
		}
		if said > most {
			most, best = said, domain.Span{Start: tokens[i].Span.Start, End: tokens[end-1].Span.End}
		}
		if said > 0 {
			i = max(i, end-1)
		}
	}
	return best
}
