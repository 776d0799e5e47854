package proposals

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
)

// Limits on the company of an entity.
const (
	maxInChunk = 60   // entities of a chunk; a longer list is a table or an index
	maxCompany = 2000 // of one entity, before repetitions are removed

	keptPassages = 4  // that mention an entity, for terms and the judge
	keptChunks   = 40 // of a document, for terms
)

// library is the graph as entities to compare.
type library struct {
	entities []resolve.Entity
	keys     []string // of entities, by their place
	at       map[domain.EntityID]int32
	inChunk  map[domain.ChunkID][]int32
	first    map[int32][]domain.ChunkID // a few chunks that mention each
	document map[domain.ChunkID]domain.DocumentID
	chunks   map[domain.DocumentID][]domain.ChunkID // some of each document
	born     map[int32][]string                     // years
}

// read reads the graph as the log leaves it without some merges.
func (s *Service) read(ctx context.Context, w domain.WorkspaceID, d decisions) (library, error) {
	leave := map[int64]bool{}
	for seq := range d.rule {
		leave[seq] = true
	}
	seen := s.Projector
	if s.Sight != nil {
		var err error
		if seen, err = s.Sight(ctx, w); err != nil {
			return library{}, err
		}
	}
	part, err := seen.Without(ctx, w, leave)
	if err != nil {
		return library{}, err
	}
	graph, err := s.Graph.Adjacency(ctx, w)
	if err != nil {
		return library{}, err
	}
	part.Entities = slices.DeleteFunc(part.Entities, func(e graphstore.Entity) bool { return e.Unlisted })
	return gather(graph.Listed(), part), nil
}

// longestEmbedded bounds the names that are embedded, in runes.
const longestEmbedded = 200

// embed adds the meaning of each name, in batches. Names that were embedded before
// cost nothing.
func (s *Service) embed(ctx context.Context, l library) error {
	if s.Embedder == nil {
		return nil
	}
	for part := range slices.Chunk(l.entities, llm.EmbedBatch) {
		names := lists.Map(part, func(e resolve.Entity) string { return domain.Cut(e.Name, longestEmbedded) })
		vectors, err := llm.Vectors(ctx, s.Ledger, s.Embedder, names)
		if err != nil {
			return err
		}
		for i := range part {
			if v := vectors[domain.Hash([]byte(names[i]))]; v != nil {
				m := resolve.MeaningOf(v)
				part[i].Meaning = &m
			}
		}
	}
	return nil
}

// gather joins the graph with the part that replaces the entities of its keys.
func gather(graph *graphstore.Adjacency, part projection.Part) library {
	l := library{at: map[domain.EntityID]int32{}, inChunk: map[domain.ChunkID][]int32{}, first: map[int32][]domain.ChunkID{}, born: map[int32][]string{},
		document: map[domain.ChunkID]domain.DocumentID{}, chunks: map[domain.DocumentID][]domain.ChunkID{}}
	for _, c := range graph.Chunks {
		l.document[c.ID] = c.Document
		if len(l.chunks[c.Document]) < keptChunks {
			l.chunks[c.Document] = append(l.chunks[c.Document], c.ID)
		}
	}
	replaced := lists.Set(part.Keys)
	for _, e := range graph.Entities {
		if !replaced[e.Key] {
			l.add(resolve.Entity{ID: e.ID, Label: e.Label, Name: e.Name, Aliases: e.AliasKeys}, e.Key)
		}
	}
	for _, e := range part.Entities {
		l.add(resolve.Entity{ID: e.ID, Label: e.Label, Name: e.Name, Aliases: e.AliasKeys}, e.Key)
	}
	for _, link := range graph.Links {
		l.link(graph.Entities[link.Entity].ID, graph.Chunks[link.Chunk].ID, replaced[graph.Entities[link.Entity].Key])
	}
	for _, e := range part.Entities {
		for _, link := range e.Links {
			l.link(e.ID, link.Chunk, false)
		}
	}
	for _, r := range graph.Relations {
		a, b := graph.Entities[r.Source], graph.Entities[r.Target]
		if !replaced[a.Key] && !replaced[b.Key] {
			l.relate(a.ID, b.ID, r.Type)
		}
	}
	for _, r := range part.Relations {
		l.relate(r.Source, r.Target, r.Type)
	}
	l.finish()
	return l
}

func (l *library) add(e resolve.Entity, key string) {
	l.at[e.ID] = int32(len(l.entities))
	l.entities, l.keys = append(l.entities, e), append(l.keys, key)
}

func (l *library) link(id domain.EntityID, chunk domain.ChunkID, replaced bool) {
	i, ok := l.at[id]
	if !ok || replaced {
		return
	}
	l.entities[i].Mentions++
	l.inChunk[chunk] = append(l.inChunk[chunk], i)
	if len(l.first[i]) < keptPassages {
		l.first[i] = append(l.first[i], chunk)
	}
}

var year = regexp.MustCompile(`\b[12][0-9]{3}\b`)

// relate records a relation, and the year in which somebody was born.
func (l *library) relate(source, target domain.EntityID, kind string) {
	i, ok1 := l.at[source]
	j, ok2 := l.at[target]
	if !ok1 || !ok2 || i == j {
		return
	}
	a, b := &l.entities[i], &l.entities[j]
	a.Neighbours, b.Neighbours = append(a.Neighbours, j), append(b.Neighbours, i)
	if strings.Contains(kind, "BORN") || strings.Contains(kind, "BIRTH") {
		l.born[i] = append(l.born[i], year.FindAllString(b.Name, -1)...)
	}
}

// finish adds the company, and sorts.
func (l *library) finish() {
	for _, chunk := range slices.Sorted(maps.Keys(l.inChunk)) {
		of := l.inChunk[chunk]
		if len(of) > maxInChunk {
			continue
		}
		for _, i := range of {
			if e := &l.entities[i]; len(e.Company) < maxCompany {
				e.Company = append(e.Company, of...)
			}
		}
	}
	for i, years := range l.born {
		slices.Sort(years)
		if years = slices.Compact(years); len(years) == 1 { // several contradict each other
			l.entities[i].Born = years[0]
		}
	}
	for i := range l.entities {
		e := &l.entities[i]
		slices.Sort(e.Neighbours)
		e.Neighbours = slices.Compact(e.Neighbours)
		slices.Sort(e.Company)
		e.Company = slices.DeleteFunc(slices.Compact(e.Company), func(j int32) bool { return int(j) == i })
	}
}

// withoutTerms leaves out the proposals between two terms. A term is a name whose words also occur in lower case in all
// documents that mention it: a contract defines "the Work" and goes on about works. Whether two terms are the same says
// nothing about the world, and they would fill the queue of a library with a few licences.
func (s *Service) withoutTerms(ctx context.Context, w domain.WorkspaceID, l library, list []ledger.Proposal) ([]ledger.Proposal, error) {
	small := map[domain.DocumentID]map[string]bool{} // stems of words that a document writes in lower case
	for _, p := range list {
		for _, id := range []domain.EntityID{p.A, p.B} {
			for _, chunk := range l.first[l.at[id]] {
				if d := l.document[chunk]; small[d] == nil {
					passages, err := s.Ledger.Passages(ctx, w, l.chunks[d])
					if err != nil {
						return nil, err
					}
					small[d] = smallWords(passages)
				}
			}
		}
	}
	isTerm := func(id domain.EntityID) bool {
		i := l.at[id]
		return isTerm(l.entities[i].Name, func(stem string) bool {
			return slices.ContainsFunc(l.first[i], func(c domain.ChunkID) bool { return small[l.document[c]][stem] })
		})
	}
	return slices.DeleteFunc(list, func(p ledger.Proposal) bool { return isTerm(p.A) && isTerm(p.B) }), nil
}

// isTerm reports whether a name has words with a capital, and each of them is written
// small elsewhere.
func isTerm(name string, writtenSmall func(stem string) bool) bool {
	capitals := 0
	for _, word := range wordsOf(name) {
		if first := []rune(word)[0]; !unicode.IsUpper(first) {
			if !unicode.IsLower(first) {
				return false // a script without lower case, or a number
			}
			continue
		}
		if capitals++; !writtenSmall(prose.Stem(strings.ToLower(word))) {
			return false
		}
	}
	return capitals > 0
}

func smallWords(passages []domain.Passage) map[string]bool {
	stems := map[string]bool{}
	for _, p := range passages {
		for _, word := range wordsOf(p.Text) {
			if unicode.IsLower([]rune(word)[0]) {
				stems[prose.Stem(word)] = true
			}
		}
	}
	return stems
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
