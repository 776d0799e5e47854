package explore

import (
	"context"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// The limits of what is read for a part of a graph.
const (
	maxAtCentre = 2_000 // relations from and to a requested entity
	maxAtOthers = 300   // the same for other entities
	maxReads    = 16    // of entities, one after the other
	maxRim      = 2_000 // entities from which a path search continues at once
)

// excerpt reads a part of a workspace's graph, and more of it where that is needed.
type excerpt struct {
	ctx   context.Context
	store graphstore.Reader
	got   graphstore.Part
	read  map[domain.EntityID]bool // with their relations
	ties  bool                     // including their passages
	all   int                      // passages in the workspace, once counted
}

// excerpt begins to read what passes a filter.
func (r Reader) excerpt(ctx context.Context, f Filter) (*excerpt, error) {
	p := &excerpt{ctx: ctx, store: r.Graph, read: map[domain.EntityID]bool{}, ties: f.Together}
	switch {
	case len(f.Passages) > 0:
		return p, p.add(graphstore.AdjacentQuery{Chunks: f.Passages})
	case f.Passages == nil && len(f.Documents) > 0:
		return p, p.add(graphstore.AdjacentQuery{Documents: slices.Sorted(maps.Keys(f.Documents))})
	}
	return p, nil
}

func (p *excerpt) add(q graphstore.AdjacentQuery) error {
	a, err := p.store.Adjacent(p.ctx, domain.WorkspaceOf(p.ctx), q)
	if err == nil {
		p.got.Merge(a)
		p.all = max(p.all, a.All)
	}
	return err
}

// entities reads the given entities, unless they were read already, each with a limited number of relations.
func (p *excerpt) entities(relations int, ids ...domain.EntityID) error {
	q := graphstore.AdjacentQuery{Relations: relations}
	for _, id := range ids {
		if !p.read[id] {
			p.read[id] = true
			q.Entities = append(q.Entities, id)
		}
	}
	if len(q.Entities) == 0 {
		return nil
	}
	if p.ties {
		q.Passages, q.Counted = everywhere, p.all == 0
	}
	return p.add(q)
}

// graph returns the part of the graph that was read.
func (p *excerpt) graph() *Graph {
	g := New(p.got.Adjacency())
	g.all, g.whole = p.all, make([]bool, len(g.entities))
	for i, e := range g.entities {
		g.whole[i] = p.ties && p.read[e.id]
	}
	return g
}

// passing returns the entities in what was read that pass a filter.
func (p *excerpt) passing(f Filter) (ids []domain.EntityID) {
	g := p.graph()
	return lists.Map(g.mask(f).members(), func(n int32) domain.EntityID { return g.entities[n].id })
}

// unread returns the entities that were not read.
func (p *excerpt) unread(ids []domain.EntityID) []domain.EntityID {
	return slices.DeleteFunc(ids, func(id domain.EntityID) bool { return p.read[id] })
}

// Around returns the entities around the centre with the relations among them, and the
// steps taken. It reads what it shows: of an entity with thousands of relations only those with the most evidence.
func (r Reader) Around(ctx context.Context, q Query) (view View, steps int, err error) {
	p, err := r.excerpt(ctx, q.Filter)
	if err != nil {
		return view, 0, err
	}
	if err := p.entities(maxAtCentre, slices.Concat(q.At, q.Open, q.Path)...); err != nil {
		return view, 0, err
	}
	for range maxReads {
		g := p.graph()
		view, steps = g.Around(q)
		more := g.partners(q.At)
		for _, n := range view.Nodes {
			more = append(more, n.ID)
		}
		if more = p.unread(more); len(more) == 0 {
			break
		}
		if err := p.entities(maxAtOthers, more...); err != nil {
			return view, steps, err
		}
	}
	return view, steps, nil
}

// partners returns the entities that may be tied to some others.
func (g *Graph) partners(of []domain.EntityID) []domain.EntityID {
	var out []domain.EntityID
	for _, n := range g.indices(of) {
		g.ties()
		for _, t := range g.best[n] {
			out = append(out, g.entities[t.a+t.b-n].id)
		}
	}
	return out
}

// Companions lists the entities tied to one, the most strongly tied first.
func (r Reader) Companions(ctx context.Context, id domain.EntityID) ([]Companion, error) {
	p, err := r.excerpt(ctx, Filter{Together: true})
	if err != nil {
		return nil, err
	}
	if err := p.entities(maxAtCentre, id); err != nil {
		return nil, err
	}
	if err := p.entities(maxAtOthers, p.graph().partners([]domain.EntityID{id})...); err != nil {
		return nil, err
	}
	return p.graph().Companions(id), nil
}

// Part returns the heaviest entities mentioned in the documents or passages of a filter, at most limit, in a layout of
// their own.
func (r Reader) Part(ctx context.Context, f Filter, limit int) (View, error) {
	p, err := r.excerpt(ctx, f)
	if err != nil {
		return View{}, err
	}
	ids := p.passing(f)
	if err := p.add(graphstore.AdjacentQuery{Entities: ids}); err != nil { // how many relations each has
		return View{}, err
	}
	g := p.graph()
	members := g.indices(ids)
	slices.SortFunc(members, g.byWeight)
	ids = ids[:0]
	for _, n := range members[:min(len(members), limit)] {
		ids = append(ids, g.entities[n].id)
	}
	if err := p.entities(maxAtOthers, ids...); err != nil {
		return View{}, err
	}
	return p.graph().Part(f, limit), nil
}

// Related is Part without the entities that have no relation in it. Some entities go before the heaviest.
func (r Reader) Related(ctx context.Context, f Filter, limit int, first ...domain.EntityID) (View, error) {
	p, err := r.excerpt(ctx, f)
	if err != nil {
		return View{}, err
	}
	if err := p.entities(maxAtOthers, p.passing(f)...); err != nil {
		return View{}, err
	}
	return p.graph().Related(f, limit, first...), nil
}

// Path returns a shortest chain of relations between two entities, see Graph.Path. It searches from both ends.
func (r Reader) Path(ctx context.Context, f Filter, from, to domain.EntityID) ([]domain.EntityID, error) {
	_, path, err := r.chain(ctx, f, from, to)
	return path, err
}

// chain also returns the graph that was read for it.
func (r Reader) chain(ctx context.Context, f Filter, from, to domain.EntityID) (*Graph, []domain.EntityID, error) {
	f.Together = false
	p, err := r.excerpt(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	more := []domain.EntityID{from, to}
	for range MaxHops {
		if err := p.entities(maxAtOthers, more...); err != nil {
			return nil, nil, err
		}
		g := p.graph()
		if path := g.Path(f, from, to); path != nil {
			return g, path, nil
		}
		m := g.mask(f)
		for _, n := range g.indices([]domain.EntityID{from, to}) {
			m.entities[n] = true
		}
		more = m.rim(p.read, from)
		if other := m.rim(p.read, to); len(other) < len(more) {
			more = other
		}
		if len(more) == 0 {
			break
		}
	}
	return nil, nil, nil
}

// rim returns the unread entities connected to the read ones from start on, the heaviest first.
func (m mask) rim(read map[domain.EntityID]bool, start domain.EntityID) []domain.EntityID {
	seen := m.g.indices([]domain.EntityID{start})
	met := map[int32]bool{}
	var rim []int32
	for len(seen) > 0 {
		n := seen[0]
		seen = seen[1:]
		m.neighbours(n, func(_ relation, other int32) {
			if !met[other] {
				met[other] = true
				if read[m.g.entities[other].id] {
					seen = append(seen, other)
				} else {
					rim = append(rim, other)
				}
			}
		})
	}
	slices.SortFunc(rim, m.g.byWeight)
	return lists.Map(rim[:min(len(rim), maxRim)], func(n int32) domain.EntityID { return m.g.entities[n].id })
}
