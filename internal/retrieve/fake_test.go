package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

const ws = domain.DefaultWorkspace

// fake is an in-memory library: a graph of the names in its passages and an index
// that counts words.
type fake struct {
	mu        sync.Mutex
	asked     []graphstore.NearQuery
	graph     graphstore.Adjacency
	points    map[vectorstore.Collection][]point
	passages  map[domain.ChunkID]domain.Passage
	entityOf  map[string]int32
	denseFail error
	graphFail error // of reading the graph
	wordsFail error // of searching by words
}

type point struct {
	id       string
	document domain.DocumentID
	terms    []string
	vector   []float32
}

var (
	_ Graph = (*fake)(nil)
	_ Index = (*fake)(nil)
	_ Texts = (*fake)(nil)
)

// text is a document with one passage.
type text struct{ title, body string }

// newFake returns a library of texts with numbered document and chunk ids.
func newFake(texts ...text) *fake {
	f := &fake{points: map[vectorstore.Collection][]point{}, passages: map[domain.ChunkID]domain.Passage{}, entityOf: map[string]int32{}}
	for i, t := range texts {
		f.add(i, t)
	}
	for i, t := range texts {
		for j, other := range texts {
			if i != j && strings.Contains(t.body, other.title) {
				f.link(i, other.title, graphstore.LinkTitled)
			}
		}
	}
	slices.SortStableFunc(f.graph.Links, func(a, b graphstore.AdjacentLink) int {
		return cmp.Or(cmp.Compare(a.Chunk, b.Chunk), cmp.Compare(a.Entity, b.Entity))
	})
	return f
}

func (f *fake) add(i int, t text) {
	doc, chunk := domain.DocumentID(fmt.Sprintf("d%04d", i)), domain.ChunkID(fmt.Sprintf("c%04d", i))
	f.graph.Chunks = append(f.graph.Chunks, graphstore.AdjacentChunk{ID: chunk, Document: doc})
	p := domain.Passage{Title: t.title}
	p.ID, p.Document, p.Text = chunk, doc, t.body
	f.passages[chunk] = p
	f.link(i, t.title, graphstore.LinkTitle)
	for _, n := range prose.Names(t.body) {
		if n.Kind == prose.Proper {
			f.link(i, n.Text, graphstore.LinkMention)
		}
	}
	f.point(vectorstore.Chunks, string(chunk), doc, t.title+" "+t.body)
	for n, s := range prose.Sentences(t.body) {
		f.point(vectorstore.Sentences, fmt.Sprintf("%s#%d", chunk, n), doc, t.title+" "+s.Slice(t.body))
	}
}

func (f *fake) point(c vectorstore.Collection, id string, doc domain.DocumentID, text string) {
	f.points[c] = append(f.points[c], point{id: id, document: doc, terms: prose.Terms(text)})
}

// link links the chunk at i to a name, once.
func (f *fake) link(i int, name string, kind graphstore.LinkKind) {
	key := prose.Key(name)
	e, ok := f.entityOf[key]
	if !ok {
		e = int32(len(f.graph.Entities))
		f.entityOf[key] = e
		f.graph.Entities = append(f.graph.Entities, graphstore.AdjacentEntity{ID: domain.EntityID("e:" + key), Key: key, Name: name})
	}
	for at := range f.graph.Links {
		if l := &f.graph.Links[at]; l.Chunk == int32(i) && l.Entity == e {
			l.Kind |= kind
			return
		}
	}
	f.graph.Links = append(f.graph.Links, graphstore.AdjacentLink{Chunk: int32(i), Entity: e, Kind: kind})
}

// relate adds a mined relation between two names.
func (f *fake) relate(from, kind, to string) {
	f.graph.Relations = append(f.graph.Relations, graphstore.AdjacentRelation{
		Source: f.entityOf[prose.Key(from)], Target: f.entityOf[prose.Key(to)], Type: kind, Evidence: 1,
	})
}

// ByKey implements Graph.
func (f *fake) ByKey(_ context.Context, _ domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	var found []domain.Entity
	for _, e := range f.graph.Entities {
		if slices.Contains(keys, e.Key) {
			found = append(found, domain.Entity{ID: e.ID, Key: e.Key, Name: e.Name})
		}
	}
	return found, f.graphFail
}

// Cursor implements Graph.
func (f *fake) Cursor(context.Context, domain.WorkspaceID) (int64, error) {
	return f.graph.Cursor, f.graphFail
}

// Spelt implements Graph.
func (f *fake) Spelt(_ context.Context, _ domain.WorkspaceID, words []string) ([]string, error) {
	var all []string
	for _, e := range f.graph.Entities {
		all = append(all, strings.Fields(e.Key)...)
	}
	return graphstore.SpeltAlike(words, all), f.graphFail
}

// Chunks implements Graph.
func (f *fake) Chunks(_ context.Context, _ domain.WorkspaceID, q graphstore.ChunkQuery) ([]graphstore.AdjacentChunk, error) {
	var found []graphstore.AdjacentChunk
	for _, c := range f.graph.Chunks {
		if (len(q.IDs) == 0 || slices.Contains(q.IDs, c.ID)) && (len(q.Documents) == 0 || slices.Contains(q.Documents, c.Document)) {
			found = append(found, c)
		}
	}
	return found, f.graphFail
}

// Near implements Graph.
func (f *fake) Near(_ context.Context, _ domain.WorkspaceID, q graphstore.NearQuery) (near graphstore.Near, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, q)
	for at, e := range f.graph.Entities {
		if !slices.Contains(q.Keys, e.Key) {
			continue
		}
		n := graphstore.NearName{Entity: e.ID, Key: e.Key, Name: e.Name, Passages: f.passagesOf(int32(at))}
		for _, l := range f.graph.Links {
			if l.Entity == int32(at) && n.Passages <= q.Most {
				n.Links = append(n.Links, graphstore.NearLink{AdjacentChunk: f.graph.Chunks[l.Chunk], Kind: l.Kind})
			}
		}
		for _, r := range f.graph.Relations {
			for _, ends := range [][2]int32{{r.Source, r.Target}, {r.Target, r.Source}} {
				if ends[0] == int32(at) && n.Passages <= q.Most && len(n.Related) <= q.Most {
					n.Related = append(n.Related, f.graph.Entities[ends[1]].Key)
				}
			}
		}
		near.Names = append(near.Names, n)
	}
	for at, c := range f.graph.Chunks {
		if !slices.Contains(q.Chunks, c.ID) {
			continue
		}
		n := graphstore.NearChunk{AdjacentChunk: c}
		for _, l := range f.graph.Links {
			if l.Chunk == int32(at) {
				n.Links = append(n.Links, graphstore.NamedLink{Key: f.graph.Entities[l.Entity].Key, Passages: f.passagesOf(l.Entity), Kind: l.Kind})
			}
		}
		near.Chunks = append(near.Chunks, n)
	}
	graphstore.SortNear(near)
	return near, f.graphFail
}

// passagesOf counts the chunks that are linked to an entity.
func (f *fake) passagesOf(entity int32) int {
	n := 0
	for _, l := range f.graph.Links {
		if l.Entity == entity {
			n++
		}
	}
	return n
}

func (f *fake) Lexical(_ context.Context, _ domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if f.wordsFail != nil {
		return nil, f.wordsFail
	}
	asked := prose.Terms(q.Text)
	return f.best(q.Collection, q.Documents, q.Limit, func(p point) float64 {
		n := 0.0
		for _, t := range asked {
			if slices.Contains(p.terms, t) {
				n++
			}
		}
		return n / (1 + float64(len(p.terms))/100)
	}), nil
}

func (f *fake) Dense(_ context.Context, _ domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	if f.denseFail != nil {
		return nil, f.denseFail
	}
	return f.best(q.Collection, q.Documents, q.Limit, func(p point) float64 {
		sum := 0.0
		for i, x := range p.vector {
			sum += float64(x) * float64(q.Vector[i])
		}
		return sum
	}), nil
}

func (f *fake) Embedded(_ context.Context, _ domain.WorkspaceID, c vectorstore.Collection) (embedded, points int, err error) {
	for _, p := range f.points[c] {
		if p.vector != nil {
			embedded++
		}
	}
	return embedded, len(f.points[c]), f.denseFail
}

func (f *fake) best(c vectorstore.Collection, documents []domain.DocumentID, limit int, score func(point) float64) []vectorstore.Hit {
	var hits []vectorstore.Hit
	for _, p := range f.points[c] {
		if len(documents) > 0 && !slices.Contains(documents, p.document) {
			continue
		}
		if s := score(p); s > 0 {
			hits = append(hits, vectorstore.Hit{ID: p.id, Score: s})
		}
	}
	slices.SortFunc(hits, func(a, b vectorstore.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return hits[:min(limit, len(hits))]
}

func (f *fake) Passages(_ context.Context, _ domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	var list []domain.Passage
	for _, id := range ids {
		if p, ok := f.passages[id]; ok {
			list = append(list, p)
		}
	}
	return list, nil
}

// valley returns a small library with two-hop questions.
func valley() *fake {
	return newFake(
		text{"A guide to the bridges", "Henrike Aldous designed Copper Bridge. It is roofed."},
		text{"Museum labels", "Ruth Garland painted the portrait of Henrike Aldous. It hangs in the hall."},
		text{"Minutes", "The Drapers' Benefit Society paid for the repair of Copper Bridge. The clerk went home."},
		text{"Schools", "Hester Pryor founded the Dame Alley School. Lessons were free."},
		text{"Ferries", "Bartel Crane commanded the ferry Heron. He sang."},
		text{"Karsholm", "The town lies by the sea. Its fish is smoked."},
		text{"Voyages", "Bartel Crane sailed to Karsholm in spring."},
	)
}

func newRetriever(f *fake, opts ...Option) *Retriever {
	at := time.Unix(0, 0)
	return New(Params{Graph: f, Index: f, Texts: f, Now: func() time.Time { return at }}, opts...)
}

func ask(t *testing.T, r *Retriever, q Query) Result {
	t.Helper()
	result, err := r.Retrieve(t.Context(), ws, q)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func chunksOf(r Result) []domain.ChunkID {
	var ids []domain.ChunkID
	for _, p := range r.Passages {
		ids = append(ids, p.Chunk)
	}
	return ids
}
