// Package explore finds and lays out the parts of a graph for a page or a file: the surroundings of an
// entity, the communities, or the whole. The same graph always gets the same positions.
package explore

import (
	"cmp"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// A Graph is a workspace's graph or a part of it, prepared for exploring. It is safe for
// concurrent use.
type Graph struct {
	all       int      // passages of the workspace
	whole     []bool   // for a part: entities with all their relations and passages; nil means all
	entities  []entity // ordered by id
	relations []relation
	incident  sublists // the relations at each entity
	chunks    sublists // the chunks linked to each entity, in order
	mentions  sublists // those that mention it, rather than only belonging to a document with its name
	documents []domain.DocumentID
	of        []int32 // the document of each chunk, an index into documents
	passages  []domain.ChunkID
	chunk     map[domain.ChunkID]int32 // their indices
	at        map[domain.EntityID]int32

	part   sync.Once
	groups [][]int32

	tying  sync.Once
	best   [][]tie  // the strongest of each entity, for itself
	tied   []tie    // strongest first
	tiesOf sublists // the ties of each entity

	dividing, lay sync.Once
	atlas
}

// entity is an entity with what the whole graph has of it.
type entity struct {
	id    domain.EntityID
	name  string
	label string

	passages, documents, relations int
}

// relation is one stated relation, with its ends as indices of entities.
type relation struct {
	source, target int32
	kind           string
	evidence       int
	periods        []domain.Period
}

// other returns the end of r that is not n.
func (r relation) other(n int32) int32 {
	if r.source == n {
		return r.target
	}
	return r.source
}

// New prepares a graph.
func New(a *graphstore.Adjacency) *Graph {
	a = a.Listed()
	g := &Graph{all: len(a.Chunks), entities: make([]entity, len(a.Entities)), at: make(map[domain.EntityID]int32, len(a.Entities))}
	for i, e := range a.Entities {
		g.entities[i] = entity{e.ID, e.Name, e.Label, int(e.Passages), int(e.Documents), int(e.Relations)}
		g.at[e.ID] = int32(i)
	}
	g.readChunks(a)
	g.relations = make([]relation, len(a.Relations))
	var ends lister
	for i, r := range a.Relations {
		g.relations[i] = relation{source: r.Source, target: r.Target, kind: r.Type, evidence: int(r.Evidence), periods: domain.ReadPeriods(r.Periods)}
		ends.add(r.Source, int32(i))
		if r.Target != r.Source {
			ends.add(r.Target, int32(i))
		}
	}
	g.incident = ends.lists(len(g.entities))
	for i := range g.entities {
		e := &g.entities[i]
		e.relations = max(e.relations, len(g.incident.of(int32(i))))
	}
	return g
}

// readChunks reads which chunks mention which entities.
func (g *Graph) readChunks(a *graphstore.Adjacency) {
	g.of, g.passages, g.chunk = make([]int32, len(a.Chunks)), make([]domain.ChunkID, len(a.Chunks)), make(map[domain.ChunkID]int32, len(a.Chunks))
	for i, c := range a.Chunks {
		if i == 0 || c.Document != a.Chunks[i-1].Document {
			g.documents = append(g.documents, c.Document)
		}
		g.of[i] = int32(len(g.documents) - 1)
		g.passages[i], g.chunk[c.ID] = c.ID, int32(i)
	}
	var linked, mentioned lister
	for _, l := range a.Links {
		linked.add(l.Entity, l.Chunk)
		if l.Kind != graphstore.LinkTitle {
			mentioned.add(l.Entity, l.Chunk)
		}
	}
	g.chunks, g.mentions = linked.lists(len(g.entities)), mentioned.lists(len(g.entities))
	for i := range g.entities {
		e, last, documents := &g.entities[i], int32(-1), 0
		for _, c := range g.chunks.of(int32(i)) {
			if g.of[c] != last {
				documents++
				last = g.of[c]
			}
		}
		e.passages, e.documents = max(e.passages, len(g.chunks.of(int32(i)))), max(e.documents, documents)
	}
}

// indices returns the entities of the graph among ids, each once.
func (g *Graph) indices(ids []domain.EntityID) []int32 {
	var out []int32
	for _, id := range ids {
		if n, ok := g.at[id]; ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// weight returns how much there is about an entity.
func (g *Graph) weight(n int32) int { return g.entities[n].relations + g.entities[n].passages }

// byWeight orders entities by weight, heaviest first, then by name and id.
func (g *Graph) byWeight(a, b int32) int {
	return cmp.Or(cmp.Compare(g.weight(b), g.weight(a)), cmp.Compare(g.entities[a].name, g.entities[b].name), cmp.Compare(a, b))
}

// sublists holds a list of numbers for each of many items, in two slices.
type sublists struct {
	first []int32
	items []int32
}

func (l sublists) of(n int32) []int32 { return l.items[l.first[n]:l.first[n+1]] }

// lister collects the items of sublists.
type lister struct{ owners, items []int32 }

func (l *lister) add(owner, item int32) {
	l.owners, l.items = append(l.owners, owner), append(l.items, item)
}

// lists returns the sublists of n owners, each in the order of adding.
func (l *lister) lists(n int) sublists {
	out := sublists{first: make([]int32, n+1), items: make([]int32, len(l.items))}
	for _, o := range l.owners {
		out.first[o+1]++
	}
	for i := range n {
		out.first[i+1] += out.first[i]
	}
	next := slices.Clone(out.first)
	for i, o := range l.owners {
		out.items[next[o]] = l.items[i]
		next[o]++
	}
	return out
}
