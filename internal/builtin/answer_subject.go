package builtin

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// readSubjects finds the subject of each passage: the one thing that its title
// names and its first sentence starts with, as in an encyclopedia. Every
// sentence of such a passage is about it, by name or not.
func (w *weighing) readSubjects() {
	w.about, w.openings = make([]string, len(w.passages)), make([]int, len(w.passages))
	for i := range w.passages {
		w.openings[i] = -1
	}
	for i := range w.propositions {
		s := &w.propositions[i]
		if w.openings[s.passage] < 0 && !s.bare() {
			w.openings[s.passage] = i
			w.about[s.passage] = s.introduces(w.passages[s.passage].Title)
		}
	}
}

// introduces returns the key of a title without its brackets if the proposition
// starts with it, or with a pronoun in its place.
func (s *proposition) introduces(title string) string {
	title, _, _ = strings.Cut(title, " (")
	key := prose.Key(title)
	words := strings.Fields(key)
	if len(words) == 0 || len(s.parts) == 0 {
		return ""
	}
	if first := s.parts[0].key; pronounsOfPeople[first] || pronounsOfThings[first] {
		return key
	}
	begins := map[string]bool{}
	for _, p := range s.parts[:min(len(words)+4, len(s.parts))] {
		begins[p.key] = true
	}
	if share(words, begins) < nameCover/1.5 {
		return ""
	}
	return key
}

// lifespan matches the dates in brackets after the name of somebody dead.
var lifespan = regexp.MustCompile(`^[^(]{3,80}\([^()]*\d{4}[^()]*[–-][^()]*\d{4}`)

// implies reports whether the opening of a life states a need without its word:
// birth and death by two dates in brackets, and the nationality by an adjective.
func (w *weighing) implies(i int, n need) bool {
	st := &w.propositions[i]
	switch {
	case w.openings[st.passage] != i:
		return false
	case shareForm(n.forms, formsOf("born")), shareForm(n.forms, formsOf("died")):
		return lifespan.MatchString(st.text)
	}
	return shareForm(n.forms, nationality) && len(st.demonyms()) > 0
}

var nationality = formsOf("nationality")

// demonyms returns the tokens that are adjectives of nationality.
func (s *proposition) demonyms() []int {
	var at []int
	for i, t := range s.tokens {
		if demonym(t.Text) {
			at = append(at, i)
		}
	}
	return at
}

// linked returns what links a proposition to one in a row, and at what cost.
func (w *weighing) linked(row []int, next int) (string, float64, bool) {
	least, by := 1.0, ""
	for _, i := range row {
		if name, cost, ok := w.link(i, next); ok && cost < least {
			least, by = cost, name
		}
	}
	return by, least, least < 1
}

// link returns what links two propositions: the subject of one passage, if the
// other mentions it, or a shared name.
func (w *weighing) link(i, j int) (string, float64, bool) {
	a, b := &w.propositions[i], &w.propositions[j]
	aboutA, aboutB := w.about[a.passage], w.about[b.passage]
	switch {
	case a.passage == b.passage && aboutA != "":
		return w.passages[a.passage].Title, 0, true
	case aboutB != "" && a.mentions(aboutB):
		return w.passages[b.passage].Title, 0, true
	case aboutA != "" && b.mentions(aboutA):
		return w.passages[a.passage].Title, 0, true
	}
	for _, n := range a.names {
		if slices.ContainsFunc(b.names, func(o named) bool { return o.key == n.key }) && !demonym(n.text) && (strings.Contains(n.key, " ") || w.isTold(n)) && !w.isAsked(n.key) {
			return n.text, costMore, true
		}
	}
	return "", 0, false
}

// isTold reports whether a proposition says that a name is of a kind that the
// question speaks of: "the ferry Heron".
func (w *weighing) isTold(n named) bool {
	told, known := w.told[n.key]
	if !known {
		told = slices.ContainsFunc(w.needs, func(need need) bool { return need.key == "" && w.toldKind(n, need.forms) })
		w.told[n.key] = told
	}
	return told
}

// mentions reports whether a proposition contains a name, possibly inside a
// longer one.
func (s *proposition) mentions(key string) bool {
	_, _, ok := s.find(key, true)
	return ok
}
