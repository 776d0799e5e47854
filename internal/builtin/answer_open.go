package builtin

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// mostIntroducing bounds the sentences of an introduction.
const mostIntroducing = 3

// openOn returns the subject of an open question, one that asks for nothing in
// particular: "Tell me about X", "Who was X?", "What does X mean?", "What
// happened in 1897?", "X".
func (q *question) openOn() (element, bool) {
	if e, ok := q.defines(); ok {
		return e, true
	}
	var on []element
	for _, it := range q.pieces {
		switch {
		case it.opens || it.key == "" && !anybody[strings.ToLower(it.text)] && !inviting[strings.ToLower(it.text)]:
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

// longestTerm bounds the words of a term whose definition is asked for.
const longestTerm = 4

// defines returns the term of a question for a definition: "What is an X?",
// "What does X do?", "What does X mean in Y?".
func (q *question) defines() (element, bool) {
	if q.word(0) != "what" && q.word(0) != "who" || !beings[q.word(1)] && q.word(1) != "does" && q.word(1) != "do" {
		return element{}, false
	}
	from := 2
	for determiners[q.word(from)] || !q.wordAt(from) && from < len(q.tokens) {
		from++
	}
	to := from
	for q.wordAt(to) && !isStop(q.word(to)) && !(q.word(1) == "does" && (q.word(to) == "mean" || q.word(to) == "stand")) {
		to++
	}
	rest := strings.Join(q.wordsFrom(to), " ")
	asks := rest == "" || rest == "for" || rest == "used for" || strings.HasPrefix(rest, "in ") || strings.HasPrefix(rest, "under ")
	if does := strings.HasPrefix(q.word(1), "do"); does {
		asks = rest == "mean" || rest == "stand for" || strings.HasPrefix(rest, "mean in ") || rest == "do"
	}
	if !asks || to == from || to-from > longestTerm || isPastVerb(q.word(to-1)) {
		return element{}, false
	}
	text := textOf(q.tokens[from:to])
	return element{text: text, key: prose.Key(text), from: from, to: to}, true
}

func (q *question) wordAt(i int) bool { return i < len(q.tokens) && q.tokens[i].Word }

// wordsFrom returns the words from token i on in lower case.
func (q *question) wordsFrom(i int) []string {
	var out []string
	for ; i < len(q.tokens); i++ {
		if q.tokens[i].Word {
			out = append(out, q.word(i))
		}
	}
	return out
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
	name := prose.IsCapitalised(on.text)
	if len(found) > 0 && (found[0].rank == mentioning || !name && found[0].rank > defining) {
		return nil
	}
	var out []bundle
	for _, t := range found[:min(mostIntroducing, len(found))] {
		if t.rank > defining && !name || found[0].rank == defining && len(out) > 0 {
			break
		}
		out = append(out, bundle{propositions: []int{t.proposition}, adds: []string{"introduces " + on.text}})
	}
	return out
}

// The ranks of sentences about a thing.
const (
	opening    = 1 // the first of a passage about it
	defining   = 2 // says what it is
	beginning  = 3 // begins with it
	mentioning = 4 // is also about something else: it can extend an introduction but not start one
)

// introduces ranks a proposition as an introduction of key, 0 for none.
func (w *weighing) introduces(i int, key string) int {
	st := &w.propositions[i]
	from, to, ok := st.find(key, false)
	switch {
	case st.asks || st.orders:
		return 0
	case ok && len(key) > 1 && st.writesOut(key):
		return opening
	case w.standsFor():
		return 0
	case ok && st.labelled(from):
		return defining
	case st.bare() && !st.setting.item:
		return 0
	case isNumber(key) && ok:
		return opening
	case w.about[st.passage] == key && w.openings[st.passage] == i:
		return opening
	case !ok || isNumber(key):
		return 0
	case st.tellsOf(to) || st.setting.item && from <= 1:
		return defining
	case from <= 1:
		return beginning
	}
	return mentioning
}

// writesOut reports whether words of the proposition begin with the letters of a short
// form, in their order, with nothing but stop words between: "Simple Authentication and
// Security Layer" for SASL.
func (s *proposition) writesOut(short string) bool {
	for i := range s.tokens {
		if s.writesOutFrom(i, short) {
			return true
		}
	}
	return false
}

func (s *proposition) writesOutFrom(i int, short string) bool {
	left := short
	for ; i < len(s.tokens) && left != ""; i++ {
		switch t := s.tokens[i]; {
		case t.Word && strings.EqualFold(t.Text[:1], left[:1]) && !strings.EqualFold(t.Text, short):
			left = left[1:]
		case left == short || !isStop(t.Text):
			return false
		}
	}
	return left == ""
}

// standsFor reports whether the question asks what a short form stands for.
func (q *question) standsFor() bool {
	return q.word(1) == "does" && len(q.tokens) > 3 && strings.HasSuffix(strings.Join(q.wordsFrom(2), " "), " stand for")
}

// labelled reports whether the name at token i follows a label: "Editor: Ann
// Lee".
func (s *proposition) labelled(i int) bool {
	return i > 1 && s.tokens[i-1].Text == ":" && s.tokens[i-2].Word && i <= 5
}

// tellsOf reports whether the words from token i say what the preceding name
// is: "Ann Lee was a builder", "Ann Lee, the builder", "a "User" means".
func (s *proposition) tellsOf(i int) bool {
	for i < len(s.tokens) && strings.ContainsAny(s.tokens[i].Text, "\"”’'`)*") && !s.tokens[i].Word {
		i++
	}
	if i+1 >= len(s.tokens) {
		return false
	}
	sign, next := strings.ToLower(s.tokens[i].Text), strings.ToLower(s.tokens[i+1].Text)
	switch {
	case definitions[sign]:
		return true
	case sign == ",":
		return determiners[next]
	case sign == "is" || sign == "are":
		return next != "not" && !isPastVerb(next)
	}
	return beings[sign] && determiners[next]
}

// definitions are verbs with which a term is defined.
var definitions = wordSet("means mean refers denotes stands describes designates comprises")
