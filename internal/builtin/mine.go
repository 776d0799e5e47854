package builtin

import (
	"cmp"
	"html"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Miner extracts entities and relations from prose by rules. The same chunk
// always gives the same graph. It prefers missing a relation to inventing one:
// two names in one sentence are not evidence enough.
type Miner struct{}

// Mine extracts from one chunk of a document titled title. The nodes are the
// names in the chunk in order of first mention, each in its most complete form;
// names without relations are kept. Spans refer to the document's text.
func (m *Miner) Mine(title string, chunk domain.Chunk) domain.GraphDocument {
	title = html.UnescapeString(title)
	known := knownName(title, chunk.Text)
	town, _, _ := strings.Cut(known, ",")
	names := prose.Names(chunk.Text, known, town)
	people := newCast(title, findMentions(names))
	people.register = registerOf(chunk.Text)
	sentences := readSentences(chunk.Text, people.mentions, names)
	for _, s := range sentences {
		people.hear(s)
		s.label(people)
	}
	people.resolve()
	people.settle(sentences)
	g, place := people.nodes()
	g.Relationships = relationships(people, sentences, place)
	shift(&g, chunk.Span.Start)
	return people.split(g, place)
}

type mention struct {
	prose.Name
	entity int // index in the cast
}

// findMentions returns the names that can be entities.
func findMentions(names []prose.Name) []mention {
	var list []mention
	for _, n := range names {
		if n.Kind == prose.Date || n.Kind == prose.Number || isNoEntity(n) {
			continue
		}
		list = append(list, mention{Name: n})
	}
	return list
}

// isNoEntity reports whether a name says nothing alone: a single letter, a
// nationality, a compass point, an office.
func isNoEntity(n prose.Name) bool {
	key := prose.Key(n.Text)
	last := n.Text[strings.LastIndexByte(n.Text, '-')+1:]
	if len(key) < 2 || len(last) < len(n.Text) && (participial[last] || isRegularPast(last)) {
		return true
	}
	for word := range strings.FieldsSeq(key) {
		if len(word) == 1 {
			continue
		}
		if !officeWords[word] && !demonyms[word] && !bareWords[word] {
			return false
		}
	}
	return true
}

// knownName returns the title of a document, without what brackets add, if it is
// a name that its text mentions as such.
func knownName(title, text string) string {
	name, note, _ := strings.Cut(title, " (")
	words := strings.Fields(name)
	if len(words) > 1 && startsWith(text, name) && !strings.Contains(text, " "+strings.ToLower(name)) {
		return name
	}
	for i, w := range words {
		lower := strings.ToLower(w)
		if !prose.IsCapitalised(w) && (i == 0 || !prose.IsStopWord(w) && !strings.ContainsAny(w, "&0123456789")) ||
			len(words) == 1 && note == "" && !prose.IsAcronym(w) && (prose.IsStopWord(w) || strings.Contains(text, " "+lower)) {
			return ""
		}
	}
	return name
}

// startsWith reports whether a text starts with the words of a name.
func startsWith(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	return ok && (rest == "" || strings.ContainsRune(" ,(", rune(rest[0])))
}

// relationships merges the statements of the sentences: a relation stated twice
// is one relation with both spans. place maps the cast to nodes.
func relationships(c *cast, sentences []*sentence, place []int) []domain.GraphRelationship {
	type edge struct {
		source, target int
		kind           string
	}
	at := map[edge]int{}
	var out []domain.GraphRelationship
	topic := newTopic(c)
	for _, s := range sentences {
		for _, st := range s.statements(c, topic) {
			e := edge{place[st.source], place[st.target], st.kind}
			if e.source == e.target || e.source < 0 || e.target < 0 {
				continue
			}
			i, ok := at[e]
			if !ok {
				i = len(out)
				at[e] = i
				out = append(out, domain.GraphRelationship{Source: e.source, Target: e.target, Type: st.kind, Raw: st.raw, Properties: st.properties})
			}
			if !slices.Contains(out[i].Spans, s.span) {
				out[i].Spans = append(out[i].Spans, s.span)
			}
		}
	}
	return out
}

// shift moves the spans of a graph from the chunk to its document.
func shift(g *domain.GraphDocument, by int) {
	for i := range g.Nodes {
		move(g.Nodes[i].Spans, by)
	}
	for i := range g.Relationships {
		move(g.Relationships[i].Spans, by)
	}
}

func move(spans []domain.Span, by int) {
	for i := range spans {
		spans[i] = spans[i].Shift(by)
	}
	slices.SortFunc(spans, func(a, b domain.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
}
