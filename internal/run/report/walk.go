package report

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
)

// Walk returns the paths to the passages of a search, or nil if there are no passages. Deleted passages have no name. It
// takes one read of the ledger and one of the graph.
func (p *Runs) Walk(ctx context.Context, w domain.WorkspaceID, found []domain.FoundPassage) (outline.Walk, error) {
	if len(found) == 0 || p.Ledger == nil {
		return nil, nil
	}
	names, err := p.names(ctx, w, found)
	if err != nil {
		return nil, err
	}
	var all outline.Walk
	for i, f := range found {
		all = append(all, names.path(f, i+1))
	}
	return all, nil
}

// named holds the names of the nodes on the paths of a search.
type named struct {
	passages map[domain.ChunkID]string
	labels   map[domain.EntityID]string
	unlisted map[domain.EntityID]bool
}

func (p *Runs) names(ctx context.Context, w domain.WorkspaceID, found []domain.FoundPassage) (named, error) {
	var chunks []domain.ChunkID
	var entities []domain.EntityID
	for _, f := range found {
		chunks = append(chunks, f.Chunk)
		for _, h := range f.Path {
			if h.From != "" && !slices.Contains(chunks, h.From) {
				chunks = append(chunks, h.From)
			}
			if h.Entity != "" && !slices.Contains(entities, h.Entity) {
				entities = append(entities, h.Entity)
			}
		}
	}
	n := named{map[domain.ChunkID]string{}, map[domain.EntityID]string{}, map[domain.EntityID]bool{}}
	passages, err := p.Ledger.Passages(ctx, w, chunks)
	if err != nil {
		return n, err
	}
	for _, passage := range passages {
		n.passages[passage.ID] = PassageName(passage)
	}
	list, err := p.Graph.Named(ctx, w, entities)
	if err != nil && domain.KindOf(err) != domain.Unavailable { // shapes are optional
		return n, err
	}
	for _, e := range list {
		n.labels[e.ID], n.unlisted[e.ID] = e.Label, e.Unlisted
	}
	return n, nil
}

// PassageName names a passage by its document and place.
func PassageName(p domain.Passage) string {
	if p.ID == "" {
		return gone
	}
	return domain.Where(p.Name, p.Page, p.Place(p.Span))
}

// gone replaces the name of a deleted passage.
const gone = "a passage that was deleted"

func (n named) passage(id domain.ChunkID, rank int) diagram.WalkNode {
	name, ok := n.passages[id]
	if !ok {
		return diagram.WalkNode{Key: string(id), Name: gone, Passage: true, Rank: rank}
	}
	return diagram.WalkNode{Key: string(id), Name: name, Passage: true, Chunk: id, Rank: rank}
}

// ways describes the link by which a hop reaches its name.
var ways = map[string]string{
	"name": "the question names", "mention": "which mentions", "title": "which mentions", "relation": "which is related to",
}

// path returns the way to a passage found at a rank.
func (n named) path(f domain.FoundPassage, rank int) outline.WalkPath {
	p := outline.WalkPath{WalkPath: diagram.WalkPath{Only: onlyOverGraph(f)}}
	add := func(how string, node diagram.WalkNode) {
		p.How, p.Nodes = append(p.How, how), append(p.Nodes, node)
	}
	last := "words or vectors of the question lead to"
	for i, h := range f.Path {
		if h.From != "" && i == 0 {
			add("words of the question lead to", n.passage(h.From, 0))
		} else if h.From != "" {
			add("which is mentioned in", n.passage(h.From, 0))
		}
		node := diagram.WalkNode{Key: string(h.Entity) + h.Name, Name: h.Name, Label: n.labels[h.Entity]}
		if !n.unlisted[h.Entity] {
			node.Entity = h.Entity
		}
		add(ways[h.Method], node)
		last = "which is mentioned in"
		if h.Method == "title" {
			last = "which is the title of"
		}
	}
	add(last, n.passage(f.Chunk, rank))
	return p
}

// onlyOverGraph reports whether no other method has the passage among its candidates.
func onlyOverGraph(f domain.FoundPassage) bool {
	return len(f.Methods) == 1 && f.Methods[0] == domain.MethodWalk
}
