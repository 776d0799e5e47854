package explore

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/operation"
)

// An encoder writes a graph to a file. All entities come before all relations.
type encoder interface {
	entity(e domain.Entity) error
	relation(r domain.Relation) error
	end() error
}

// format is a format of files.
type format struct {
	media  string
	encode func(io.Writer) encoder
}

// formats are the formats of files, by the ending of their names.
var formats = map[string]format{
	"graphml": {"application/graphml+xml; charset=utf-8", newGraphML}, "csv": {"text/csv; charset=utf-8", newCSV},
	"json": {"application/json", newJSON}, "cypher": {"text/plain; charset=utf-8", newCypher},
}

// batch is how many entities are read at a time.
const batch = 500

// A Part says which entities and relations of a graph to export.
type Part struct {
	Entities  []domain.EntityID
	Relations map[domain.RelationID]bool
}

// Part returns what a view shows.
func (v View) Part() Part {
	p := Part{Relations: map[domain.RelationID]bool{}}
	for _, n := range v.Nodes {
		p.Entities = append(p.Entities, n.ID)
	}
	for _, e := range v.Edges {
		for _, k := range e.Kinds {
			from, to := v.Nodes[e.A].ID, v.Nodes[e.B].ID
			if k.Back {
				from, to = to, from
			}
			p.Relations[domain.NewRelationID(from, k.Type, to)] = true
		}
	}
	return p
}

// Exporting says what a file of the graph holds.
type Exporting struct {
	File     string `json:"file" arg:"FILE"` // its name
	Format   string `json:"format" doc:"graphml, csv, json, cypher"`
	Mentions bool   `json:"mentions" doc:"with the names that are only mentioned together"`
	Part     *Part  `json:"-"` // nil for all
}

// Export returns a file of a workspace's graph: of the part, or all
// of it if that is nil. Entities are ordered by name and id, relations by their
// ends and type, so the same graph gives the same file. It holds a batch in
// memory and the ids of all entities.
func (r Reader) Export(ctx context.Context, in Exporting) (operation.Made, error) {
	named := cmp.Or(in.Format, strings.TrimPrefix(path.Ext(in.File), "."))
	f, known := formats[named]
	if !known {
		return operation.Made{}, domain.Errorf(domain.Invalid, "There is no format %q. The formats are graphml, csv, json, cypher.", named)
	}
	w := domain.WorkspaceOf(ctx)
	if _, err := r.Graph.Cursor(ctx, w); err != nil { // before the file begins, while an error can still be told
		return operation.Made{}, err
	}
	var mentioned []domain.Relation
	if in.Mentions {
		g, err := r.Library.Get(ctx, w)
		if err != nil {
			return operation.Made{}, err
		}
		mentioned = g.TieRelations()
	}
	return operation.Made{Name: in.File, Type: f.media, Write: func(out io.Writer) error {
		return export(ctx, r.Graph, w, in.Part, mentioned, f.encode, out)
	}}, nil
}

// export writes a graph, and after its relations those of mentioned whose ends are written.
func export(ctx context.Context, store graphstore.Reader, w domain.WorkspaceID, part *Part, mentioned []domain.Relation, encode func(io.Writer) encoder, out io.Writer) error {
	buffered := bufio.NewWriter(out)
	x := &exporter{ctx: ctx, store: store, workspace: w, encoder: encode(buffered), part: part, written: map[domain.EntityID]bool{}}
	write := x.all
	if part != nil {
		write = x.some
	}
	if err := write(); err != nil {
		return err
	}
	for _, r := range mentioned {
		if x.written[r.Source] && x.written[r.Target] {
			if err := x.relation(r); err != nil {
				return err
			}
		}
	}
	if err := x.end(); err != nil {
		return err
	}
	return buffered.Flush()
}

type exporter struct {
	encoder

	ctx       context.Context
	store     graphstore.Reader
	workspace domain.WorkspaceID
	part      *Part
	written   map[domain.EntityID]bool
	order     []domain.EntityID // of written
}

// all writes everything. What is deleted meanwhile is left out, with the
// relations of it.
func (x *exporter) all() error {
	for offset := 0; ; offset += batch {
		page, _, err := x.store.Entities(x.ctx, x.workspace, graphstore.EntityQuery{Order: graphstore.ByName, Limit: batch, Offset: offset})
		if err != nil {
			return err
		}
		if err := x.entities(page); err != nil {
			return err
		}
		if len(page) < batch {
			break
		}
	}
	return x.relations()
}

func (x *exporter) entities(list []domain.Entity) error {
	for _, e := range list {
		if x.written[e.ID] {
			continue
		}
		x.written[e.ID] = true
		x.order = append(x.order, e.ID)
		if err := x.entity(e); err != nil {
			return err
		}
	}
	return nil
}

// relations writes the relations whose source was written, in its order.
func (x *exporter) relations() error {
	for ids := range slices.Chunk(x.order, batch) {
		edges, err := x.store.Around(x.ctx, x.workspace, ids, 0)
		if err != nil {
			return err
		}
		from := make(map[domain.EntityID]bool, len(ids))
		for _, id := range ids {
			from[id] = true
		}
		if err := x.edges(edges, func(e graphstore.Edge) bool { return from[e.Source] }); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) edges(edges []graphstore.Edge, wanted func(graphstore.Edge) bool) error {
	slices.SortFunc(edges, func(a, b graphstore.Edge) int {
		return strings.Compare(string(a.Source)+" "+string(a.Target)+" "+a.Type, string(b.Source)+" "+string(b.Target)+" "+b.Type)
	})
	for _, e := range edges {
		if !wanted(e) || !x.written[e.Source] || !x.written[e.Target] {
			continue
		}
		if err := x.relation(e.Relation); err != nil {
			return err
		}
	}
	return nil
}

// some writes the part, whose entities and relations come from one look around
// them. An entity without relations is read by itself.
func (x *exporter) some() error {
	edges, err := x.store.Around(x.ctx, x.workspace, x.part.Entities, 0)
	if err != nil {
		return err
	}
	found := map[domain.EntityID]domain.Entity{}
	for _, e := range edges {
		found[e.Source], found[e.Target] = e.From, e.To
	}
	var list []domain.Entity
	for _, id := range x.part.Entities {
		e, known := found[id]
		if !known {
			if e, err = x.store.Entity(x.ctx, x.workspace, id); domain.KindOf(err) == domain.NotFound {
				continue
			} else if err != nil {
				return err
			}
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b domain.Entity) int {
		return strings.Compare(a.Name+"\x00"+string(a.ID), b.Name+"\x00"+string(b.ID))
	})
	if err := x.entities(list); err != nil {
		return err
	}
	return x.edges(edges, func(e graphstore.Edge) bool { return x.part.Relations[e.ID] })
}

// documents returns the documents of a relation's evidence, each once.
func documents(r domain.Relation) []string {
	var ids []string
	for _, e := range r.Evidence {
		ids = append(ids, string(e.Document))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
