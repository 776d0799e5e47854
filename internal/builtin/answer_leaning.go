package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// leaning records that a proposition refers to something without naming it.
type leaning struct {
	names []named // candidate referents, most likely first
	where int     // index of the proposition that names it; -1 for a title or heading
}

// leaning resolves the reference of a proposition that starts with a pronoun,
// or that has no name and is under a heading.
func (f *findings) leaning(i int) *leaning {
	s := &f.propositions[i]
	kind := s.pronoun()
	if kind == noPronoun {
		return f.headed(i)
	}
	for j := i - 1; j >= 0 && j >= i-3 && f.propositions[j].passage == s.passage; j-- {
		before := &f.propositions[j]
		if names := f.pick(before.subjects(kind), kind); len(names) > 0 {
			return &leaning{names, j}
		}
		if l := before.leans; l != nil && l.where >= 0 && len(f.pick(l.names, kind)) > 0 {
			return l
		}
	}
	return f.titled(s.passage)
}

// headed resolves a proposition without names to the names in its heading.
func (f *findings) headed(i int) *leaning {
	s := &f.propositions[i]
	if len(s.names) > 0 || s.bare() {
		return nil
	}
	for j := i - 1; j >= 0 && f.propositions[j].passage == s.passage; j-- {
		if above := &f.propositions[j]; above.bare() {
			if len(above.names) == 0 {
				return nil
			}
			return &leaning{above.names[:1], -1}
		}
	}
	return nil
}

// bare reports whether the proposition is a heading or another line that does
// not end like a sentence.
func (s *proposition) bare() bool {
	return len(s.tokens) > 0 && !strings.ContainsAny(s.text[max(0, len(s.text)-6):], ".!?…")
}

// pronounKind says what a pronoun can refer to.
type pronounKind int

const (
	noPronoun pronounKind = iota
	ofPerson
	ofPeople // one of each sex
	ofThing
)

// pronoun returns the kind of the pronoun before the first name.
func (s *proposition) pronoun() pronounKind {
	end := len(s.tokens)
	if len(s.names) > 0 {
		end = s.names[0].from
	}
	kind, first := noPronoun, ""
	for _, t := range s.tokens[:end] {
		word := strings.ToLower(t.Text)
		switch {
		case pronounsOfPeople[word] && kind == noPronoun:
			kind, first = ofPerson, word
		case pronounsOfPeople[word] && kind == ofPerson && sex[word] != sex[first]:
			return ofPeople
		case pronounsOfThings[word] && kind == noPronoun:
			kind = ofThing
		}
	}
	return kind
}

// subjects returns the names that a later pronoun can refer to; a place where
// something happens rarely is one.
func (s *proposition) subjects(kind pronounKind) []named {
	if kind != ofThing {
		return s.names
	}
	return slices.DeleteFunc(slices.Clone(s.names), func(n named) bool { return s.follows(n.from, locatives) })
}

// pick returns the names that a pronoun can refer to. If all look like people,
// a thing is the last of several: the one acted upon.
func (f *findings) pick(names []named, kind pronounKind) []named {
	var out []named
	for _, n := range names {
		if f.personal(n.key) != (kind == ofThing) {
			out = append(out, n)
		}
	}
	switch {
	case kind == ofThing && len(out) == 0 && len(names) > 1:
		return names[len(names)-1:]
	case kind != ofPeople && len(out) > 1:
		return out[:1]
	}
	return out
}

// personal reports whether a name looks like a person's: two or more words, no
// small word, and a last word that the passages do not use as a noun.
func (f *findings) personal(key string) bool {
	words := strings.Fields(key)
	return len(words) > 1 && !f.lower[words[len(words)-1]] && !slices.ContainsFunc(words, prose.IsStopWord)
}

// titled resolves a document's pronouns to its title, if the title is a name or
// contains the name of a person in the document.
func (f *findings) titled(passage int) *leaning {
	p := f.passages[passage]
	title, _, _ := strings.Cut(p.Title, ",")
	best := named{from: -1, to: -1}
	for _, n := range prose.Names(title) {
		if prose.Key(n.Text) == prose.Key(title) {
			best.text, best.key = n.Text, prose.Key(n.Text)
		}
	}
	whole := " " + prose.Key(p.Title) + " "
	for i := range f.propositions {
		if s := &f.propositions[i]; best.key == "" && f.passages[s.passage].Document == p.Document {
			for _, n := range s.names {
				if f.personal(n.key) && strings.Contains(whole, " "+n.key+" ") {
					best.text, best.key = n.text, n.key
				}
			}
		}
	}
	if best.key == "" {
		return nil
	}
	best.full = best.key
	return &leaning{[]named{best}, -1}
}
