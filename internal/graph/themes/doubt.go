package themes

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
)

// maxDoubts is the maximum number of sentences that are shown against a count.
const maxDoubts = 5

// kindsBefore are kinds that precede a name and are part of it.
var kindsBefore = prose.KeySet("comet lake loch mount fort cape hurricane asteroid operation project")

// saysKind reports whether a sentence states that a named thing is of a kind: "the ferry Heron", or "Heron is an old
// ferry".
func saysKind(sentence, name string, noun []string) bool {
	before, after, found := strings.Cut(sentence, name)
	if !found || len(noun) == 0 {
		return false
	}
	same := func(word string) bool {
		return !prose.IsCapitalised(word) && slices.Equal(prose.Terms(word), noun)
	}
	if words := strings.Fields(before); len(words) > 0 && same(words[len(words)-1]) {
		return true
	}
	if strings.HasPrefix(strings.TrimSpace(after), "(") {
		_, after, _ = strings.Cut(after, ")")
	}
	words := strings.Fields(after)
	if len(words) < 3 || words[0] != "is" && words[0] != "was" || words[1] != "a" && words[1] != "an" && words[1] != "the" {
		return false
	}
	for i, word := range words[2:] {
		last := strings.ContainsAny(word, ",;.")
		if ends := prepositions[word] || verbal(word); ends || last {
			if ends {
				i--
			}
			return i >= 0 && same(strings.Trim(words[2+i], ",;."))
		}
	}
	return false
}

var (
	prepositions = prose.KeySet("by of in on at for with from that which who and to")
	notVerbs     = prose.KeySet("during hundred king evening morning building spring")
)

// verbal reports whether a word looks like a form of a verb.
func verbal(word string) bool {
	return len(word) > 4 && !notVerbs[word] && !prose.IsCapitalised(word) && (strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing") || baseOf[word] != "")
}

// sameClause reports whether no other verb separates a name from a form of the verb in a sentence, except one joined to
// it by "and" or "or". It is true if either is missing.
func sameClause(sentence string, verb []string, name string) bool {
	before, after, found := strings.Cut(sentence, name)
	if !found {
		return true
	}
	is := func(word string) bool {
		has := lemmas(strings.Trim(word, ",;.()"))
		return slices.ContainsFunc(verb, func(v string) bool { return slices.Contains(has, v) })
	}
	left, right := strings.Fields(before), strings.Fields(after)
	slices.Reverse(left)
	reached := false
	for _, side := range [][]string{left, right} {
		if at := slices.IndexFunc(side, is); at >= 0 {
			if reached = true; alone(side[:at]) {
				return true
			}
		}
	}
	return !reached
}

// alone reports whether the words up to a verb contain no other verb but those that are joined to it.
func alone(words []string) bool {
	joined := true
	for _, word := range slices.Backward(words) {
		switch {
		case word == "and" || word == "or":
		case !verbal(strings.Trim(word, ",;.()")):
			joined = false
		case !joined:
			return false
		}
	}
	return true
}

// doubt collects sentences that cast doubt on a count by relations: they state the relation in a clause of another
// verb, give another number, or have the verb and an uncounted thing of the kind whose owner no relation names.
func (s *Service) doubt(ctx context.Context, w domain.WorkspaceID, t *Tally, what wantedCount, unsure []domain.Entity, among func(domain.DocumentID) bool) error {
	add := func(said Said) {
		if len(t.Doubts) < maxDoubts && !slices.Contains(t.Doubts, said) {
			t.Doubts = append(t.Doubts, said)
		}
	}
	for _, c := range t.Items {
		if !sameClause(c.Text, what.verb, c.Name) {
			add(c.Said)
		}
		alike := func(e domain.Entity) bool { return e.Label == c.Label }
		if what.said(c.Text, c.Name) && slices.ContainsFunc(unsure, alike) {
			add(c.Said) // no sentence states the kind of a similar one
		}
	}
	for _, said := range t.Stated {
		if n := numberIn(said.Text, prose.Terms(what.noun)); n != t.Count {
			add(said)
		}
	}
	missed, err := s.missed(ctx, w, t, what, among)
	for _, said := range missed {
		add(said)
	}
	return err
}

// missed lists sentences with the verb that name an uncounted thing of the kind without stating a relation of it.
func (s *Service) missed(ctx context.Context, w domain.WorkspaceID, t *Tally, what wantedCount, among func(domain.DocumentID) bool) ([]Said, error) {
	others, err := s.uncounted(ctx, w, t, what)
	if err != nil || len(what.verb) == 0 {
		return nil, err
	}
	var missed []Said
	for _, p := range t.sources {
		if !among(p.Document) {
			continue
		}
		for _, span := range prose.Sentences(p.Text) {
			text := span.Slice(p.Text)
			if has := lemmas(text); slices.ContainsFunc(what.verb, func(v string) bool { return !slices.Contains(has, v) }) {
				continue
			}
			at := span.Shift(p.Span.Start)
			open, err := s.unexplained(ctx, w, others, text, p.ID, at)
			if err != nil {
				return nil, err
			}
			if open {
				missed = append(missed, Said{domain.OneLine(text), p.Name, p.Document, p.PageOf(at), p.Place(at), at.Start, at.End})
			}
		}
	}
	return missed, nil
}

// uncounted lists the entities of a kind that are not counted.
func (s *Service) uncounted(ctx context.Context, w domain.WorkspaceID, t *Tally, what wantedCount) ([]domain.Entity, error) {
	all, _, err := s.Graph.Entities(ctx, w, graphstore.EntityQuery{Limit: maxCounted})
	return slices.DeleteFunc(all, func(e domain.Entity) bool {
		return !what.is(e) || string(e.ID) == t.ByID || strings.Contains(t.By, e.Name) || slices.ContainsFunc(t.Items, func(c Counted) bool { return c.ID == e.ID || strings.Contains(c.Name, e.Name) })
	}), err
}

// unexplained reports whether a sentence names one of the entities, none of whose relations is stated in it.
func (s *Service) unexplained(ctx context.Context, w domain.WorkspaceID, others []domain.Entity, sentence string, chunk domain.ChunkID, at domain.Span) (bool, error) {
	for _, e := range others {
		if !strings.Contains(sentence, e.Name) {
			continue
		}
		edges, err := s.Graph.Relations(ctx, w, e.ID, maxCounted)
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(edges, func(edge graphstore.Edge) bool {
			return slices.ContainsFunc(edge.Evidence, func(ev domain.Evidence) bool {
				return ev.Chunk == chunk && slices.ContainsFunc(ev.Spans, func(span domain.Span) bool { return span.Start < at.End && at.Start < span.End })
			})
		}) {
			return true, nil
		}
	}
	return false, nil
}

// numberIn returns the number right before a noun in a sentence, or 0.
func numberIn(sentence string, noun []string) int {
	words := strings.Fields(strings.ToLower(strings.NewReplacer(",", "", ".", " ", ";", " ").Replace(sentence)))
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			n = numerals[word]
		}
		if n == 0 || err == nil && len(word) == len("1999") { // a year
			continue
		}
		for _, near := range words[i+1 : min(len(words), i+1+farFromNoun)] {
			if len(noun) > 0 && slices.Equal(prose.Terms(near), noun) {
				return n
			}
		}
	}
	return 0
}

// numerals are the numbers that are written as words.
var numerals = func() map[string]int {
	values := map[string]int{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12}
	for i, word := range strings.Fields("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		values[word] = i + 2
	}
	return values
}()
