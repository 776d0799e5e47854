package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// leaning says that a proposition speaks of something without naming it.
type leaning struct {
	names []named // what it may speak of, the likeliest first
	where int     // the proposition that names it; -1 when a title or heading does
}

// leaning finds what a proposition speaks of that begins with a pronoun, or
// that stands under a heading and has no name of its own.
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

// headed takes the names of the heading that a proposition without a name
// stands under.
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

// pronounKind says for what a pronoun can stand.
type pronounKind int

const (
	noPronoun pronounKind = iota
	ofPerson
	ofPeople // one of each sex
	ofThing
)

// pronoun is the kind of pronoun that stands before the first name.
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

// subjects are the names that a later pronoun of a kind may speak of: a place
// in which something happens is seldom one.
func (s *proposition) subjects(kind pronounKind) []named {
	if kind != ofThing {
		return s.names
	}
	return slices.DeleteFunc(slices.Clone(s.names), func(n named) bool { return s.follows(n.from, locatives) })
}

// pick are the names that a pronoun of a kind can stand for. Where all read
// like people, a thing is the last of several: whom somebody did it to.
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

// personal reports whether a name reads like that of a person: two words or
// more without a small one among them, the last of which is no noun that the
// passages use.
func (f *findings) personal(key string) bool {
	words := strings.Fields(key)
	return len(words) > 1 && !f.lower[words[len(words)-1]] && !slices.ContainsFunc(words, prose.IsStopWord)
}

// titled takes the name in a document's title for what its pronouns stand for:
// the title is a name, or has that of a person the document speaks of.
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
