package explore

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// A Library keeps what the graphs explored last are divided into, and those of which a page showed everything for a while.
type Library struct {
	divided *graphstore.Cache[*Divided]
	graphs  *graphstore.Cache[*Graph]
}

// graphUnused is how long a graph is kept after its last use.
const graphUnused = time.Minute

// NewLibrary returns a library that keeps up to most workspaces and shares the divisions of their graphs with other
// processes.
func NewLibrary(store graphstore.Whole, most int, shared Shared) *Library {
	return &Library{
		divided: graphstore.NewShared(store, most, shared, func(a *graphstore.Adjacency) *Divided { return New(a).keep() }),
		graphs:  graphstore.NewCache(store, most, graphUnused, New),
	}
}

// The most communities of which passages are kept, and the most of these.
const maxKept, maxKeptPassages = 24, 8

// A Divided is a workspace's graph divided into communities, without the graph itself.
type Divided struct {
	Overview    View                // without a filter
	Ties        int                 // pairs of names only mentioned together
	Communities []Community         // by relations alone, at most maxKept
	Places      [][]domain.EntityID // members of the communities of the overview, heaviest first
}

// keep returns what is kept of a graph.
func (g *Graph) keep() *Divided {
	d := &Divided{Overview: g.Overview(Filter{Together: true}), Ties: g.Ties(), Communities: g.Communities(nil, maxKept, maxKeptPassages)}
	for _, p := range g.places {
		if p.loose {
			continue
		}
		d.Places = append(d.Places, lists.Map(p.members, func(n int32) domain.EntityID { return g.entities[n].id }))
	}
	return d
}

// Plain reports whether a filter lets everything pass.
func (f Filter) Plain() bool {
	return f.Together && f.Evidence <= 1 && !f.AsOf.Known() && len(f.Labels)+len(f.Types)+len(f.Hide) == 0 && f.Documents == nil && f.Passages == nil
}

// Members returns the members of the community that an entity belongs to, none if nothing joins it to others.
func (d *Divided) Members(of domain.EntityID) []domain.EntityID {
	return lists.First(d.Places, func(ids []domain.EntityID) bool { return slices.Contains(ids, of) })
}

// Divided returns what the graph is divided into. While a large library keeps changing, that may be what it was divided into some
// time ago, reported as behind, as long as all entities of the overview are still there.
func (r Reader) Divided(ctx context.Context) (d *Divided, behind bool, err error) {
	w := domain.WorkspaceOf(ctx)
	d, behind, err = r.Library.divided.Recent(ctx, w)
	if err != nil || !behind {
		return d, behind, err
	}
	if there, err := r.there(ctx, d.Overview); err != nil || there {
		return d, true, err
	}
	d, err = r.Library.divided.Get(ctx, w)
	return d, false, err
}

// there reports whether all entities of a view are still in the graph.
func (r Reader) there(ctx context.Context, v View) (bool, error) {
	ids := lists.Map(v.Nodes, func(n Node) domain.EntityID { return n.ID })
	found, err := r.Graph.Named(ctx, domain.WorkspaceOf(ctx), ids)
	return len(graphstore.Listed(found)) == len(ids), err
}

// whole returns the whole graph of the workspace.
func (r Reader) whole(ctx context.Context) (*Graph, error) {
	return r.Library.graphs.Get(ctx, domain.WorkspaceOf(ctx))
}

// Wide takes a view of the whole graph. Like what it is divided into, see Divided, the graph may be an earlier one, as long as all
// entities of the view are still there.
func (r Reader) Wide(ctx context.Context, take func(*Graph) View) (v View, behind bool, err error) {
	g, behind, err := r.Library.graphs.Recent(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return View{}, false, err
	}
	if v = take(g); !behind {
		return v, false, nil
	}
	if there, err := r.there(ctx, v); err != nil || there {
		return v, true, err
	}
	if g, err = r.whole(ctx); err != nil {
		return View{}, false, err
	}
	return take(g), false, nil
}

// Community returns those of the members of a community that pass a filter, with the relations among them.
func (r Reader) Community(ctx context.Context, f Filter, members []domain.EntityID) (View, error) {
	p, err := r.excerpt(ctx, f)
	if err != nil {
		return View{}, err
	}
	if err := p.entities(maxAtOthers, members...); err != nil {
		return View{}, err
	}
	g := p.graph()
	g.places, g.points = []place{{members: g.indices(members)}}, make([]Point, len(g.entities))
	g.in = make([]int32, len(g.entities))
	g.places[0].r = radius(len(members))
	g.settle(0)
	m := g.mask(f)
	return g.cut(m, m.among(g.places[0].members), MaxNodes, MaxEdges), nil
}

// Communities returns at most most communities, each with at most passages passages, see Graph.Communities.
func (r Reader) Communities(ctx context.Context, within []domain.DocumentID, most, passages int) ([]Community, error) {
	if len(within) > 0 || most > maxKept || passages > maxKeptPassages {
		g, err := r.whole(ctx)
		if err != nil {
			return nil, err
		}
		return g.Communities(within, most, passages), nil
	}
	d, _, err := r.Divided(ctx)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(d.Communities[:min(len(d.Communities), most)])
	for i, c := range list {
		list[i].Passages = c.Passages[:min(len(c.Passages), passages)]
	}
	return list, nil
}

// An Entity is an entity with passages that mention it, in the order of documents.
type Entity struct {
	Name     string
	Passages []domain.ChunkID
}

// Mentioned lists at most most entities with a label that fits, those first that most passages of the
// documents mention, each with at most passages of these. No documents mean all.
func (r Reader) Mentioned(ctx context.Context, within []domain.DocumentID, fits func(label string) bool, most, passages int) ([]Entity, error) {
	if len(within) > 0 {
		return r.mentionedIn(ctx, within, fits, most, passages)
	}
	w := domain.WorkspaceOf(ctx)
	counts, err := r.Graph.Labels(ctx, w)
	if err != nil {
		return nil, err
	}
	q := graphstore.EntityQuery{Limit: 4 * most} // entities with more mentions may have fewer passages
	for _, l := range counts {
		if fits(l.Label) {
			q.Labels = append(q.Labels, l.Label)
		}
	}
	if len(q.Labels) == 0 {
		return nil, nil
	}
	found, _, err := r.Graph.Entities(ctx, w, q)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b domain.Entity) int {
		return cmp.Or(cmp.Compare(b.Chunks, a.Chunks), cmp.Compare(b.Relations, a.Relations), cmp.Compare(a.Name, b.Name))
	})
	var out []Entity
	for _, e := range found[:min(len(found), most)] {
		links, err := r.Graph.Links(ctx, w, e.ID, passages)
		if err != nil {
			return nil, err
		}
		entity := Entity{Name: e.Name}
		entity.Passages = lists.Map(links, func(l graphstore.Link) domain.ChunkID { return l.Chunk })
		if len(links) > 0 {
			out = append(out, entity)
		}
	}
	return out, nil
}

func (r Reader) mentionedIn(ctx context.Context, within []domain.DocumentID, fits func(label string) bool, most, passages int) ([]Entity, error) {
	f := Filter{Documents: map[domain.DocumentID]bool{}}
	for _, d := range within {
		f.Documents[d] = true
	}
	p, err := r.excerpt(ctx, f)
	if err != nil {
		return nil, err
	}
	var ids []domain.EntityID
	for _, e := range p.graph().entities {
		if fits(e.label) {
			ids = append(ids, e.id)
		}
	}
	if err := p.add(graphstore.AdjacentQuery{Entities: ids}); err != nil {
		return nil, err
	}
	return p.graph().mentionedMost(fits, most, passages), nil
}

// mentionedMost lists the entities with a label that fits that most passages mention.
func (g *Graph) mentionedMost(fits func(label string) bool, most, passages int) []Entity {
	var found []int32
	for n := range int32(len(g.entities)) {
		if fits(g.entities[n].label) && len(g.chunks.of(n)) > 0 {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(g.chunks.of(b)), len(g.chunks.of(a))), g.byWeight(a, b))
	})
	out := make([]Entity, 0, most)
	for _, n := range found[:min(len(found), most)] {
		e := Entity{Name: g.entities[n].name}
		for _, c := range g.chunks.of(n)[:min(len(g.chunks.of(n)), passages)] {
			e.Passages = append(e.Passages, g.passages[c])
		}
		out = append(out, e)
	}
	return out
}

// FirstMentions returns the first passage of some documents that mentions each of some entities, without those that none
// mentions. No documents mean all.
func (r Reader) FirstMentions(ctx context.Context, entities []domain.Entity, within []domain.DocumentID) (map[domain.EntityID]domain.ChunkID, error) {
	w, first := domain.WorkspaceOf(ctx), map[domain.EntityID]domain.ChunkID{}
	in := lists.Set(within)
	mention := func(id domain.EntityID, chunk domain.ChunkID, document domain.DocumentID, kind graphstore.LinkKind) {
		if first[id] == "" && kind != graphstore.LinkTitle && (len(in) == 0 || in[document]) {
			first[id] = chunk
		}
	}
	var few []domain.EntityID
	for _, e := range entities {
		if e.Chunks <= everywhere {
			few = append(few, e.ID)
			continue
		}
		links, err := r.Graph.Links(ctx, w, e.ID, 0)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			mention(e.ID, l.Chunk, l.Document, l.Kind)
		}
	}
	if len(few) == 0 {
		return first, nil
	}
	a, err := r.Graph.Adjacent(ctx, w, graphstore.AdjacentQuery{Entities: few, Passages: everywhere})
	if err != nil {
		return nil, err
	}
	for _, l := range a.Links {
		mention(a.Entities[l.Entity].ID, a.Chunks[l.Chunk].ID, a.Chunks[l.Chunk].Document, l.Kind)
	}
	return first, nil
}

// Shared keeps what graphs are divided into where all processes find it, so that one of them divides for all. All fields are
// required.
type Shared struct {
	Divisions Divisions
	Leases    Leases
	Program   string // its version: another one may divide differently
}

// Divisions stores the communities of graphs; the ledger implements it.
type Divisions interface {
	Division(ctx context.Context, w, place domain.WorkspaceID, program string, after int64) (ledger.Division, bool, error)
	KeepDivision(ctx context.Context, w domain.WorkspaceID, d ledger.Division) error
}

// Leases gives one process at a time a named lease, as package lease does.
type Leases interface {
	Hold(ctx context.Context, name domain.WorkspaceID, work func(ctx context.Context, token int64) error) error
}

var _ graphstore.Shelf[*Divided] = Shared{}

// Take implements graphstore.Shelf.
func (s Shared) Take(ctx context.Context, w, place domain.WorkspaceID, after int64) (*graphstore.Made[*Divided], error) {
	d, found, err := s.Divisions.Division(ctx, w, place, s.Program, after)
	if err != nil || !found {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(d.Content))
	if err != nil {
		return nil, fmt.Errorf("unpack a division: %w", err)
	}
	divided := new(Divided)
	if err := json.NewDecoder(unpacked).Decode(divided); err != nil {
		return nil, fmt.Errorf("unpack a division: %w", err)
	}
	return &graphstore.Made[*Divided]{Value: divided, Cursor: d.Change, At: d.MadeAt, Took: d.Took}, nil
}

// Put implements graphstore.Shelf.
func (s Shared) Put(ctx context.Context, w, place domain.WorkspaceID, m graphstore.Made[*Divided]) error {
	var content bytes.Buffer
	packed := gzip.NewWriter(&content)
	if err := json.NewEncoder(packed).Encode(m.Value); err != nil {
		return fmt.Errorf("pack a division: %w", err)
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("pack a division: %w", err)
	}
	return s.Divisions.KeepDivision(ctx, w, ledger.Division{
		Place: place, Change: m.Cursor, Program: s.Program, MadeAt: m.At, Took: m.Took, Content: content.Bytes(),
	})
}

// dividing follows the place in the name of the lease of who divides its graph.
const dividing = "~dividing"

// Hold implements graphstore.Shelf.
func (s Shared) Hold(ctx context.Context, place domain.WorkspaceID, work func(ctx context.Context) error) error {
	return s.Leases.Hold(ctx, place+dividing, func(ctx context.Context, _ int64) error { return work(ctx) })
}
