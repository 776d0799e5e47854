package explore

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/operation"
)

type listing struct {
	Name   string `json:"name" arg:"[NAME]" doc:"part of a name (default all)"`
	Limit  int    `json:"limit" default:"50" doc:"list at most this many; 0 lists all"`
	Offset int    `json:"offset" doc:"leave out this many first"`
}

// Listed is an entity in a list.
type Listed struct {
	ID        domain.EntityID `json:"id"`
	Label     string          `json:"label"`
	Name      string          `json:"name"`
	Mentions  int             `json:"mentions"`
	Documents int             `json:"documents"`
	Relations int             `json:"relations"`
}

type ends struct {
	From string `json:"from" arg:"FROM" doc:"name or id of the entity at one end"`
	To   string `json:"to" arg:"TO" doc:"name or id of the entity at the other end"`
	AsOf string `json:"as_of" doc:"follow only the relations that hold at this time: 1995, 1995-06 or 1995-06-30"`
}

// Step is a relation of a chain.
type Step struct {
	From string `json:"from"`
	Type string `json:"type"`
	To   string `json:"to"`
}

// Operations are the operations that look at the graph.
func Operations() []operation.Operation[Reader] {
	return []operation.Operation[Reader]{
		operation.Op[Reader, listing, operation.Page[Listed]]{
			Name: "entities list", Short: "List entities, or those with a name", Scope: operation.Read, Routes: []string{"GET /entities"}, Example: "  clew entities list \"copper bri\"",
			Tool: operation.Tool{Name: "find_entities", Title: "Find entities", Fields: "name limit",
				About: "Find people, places, works and other entities of the graph by a part of their name."},
			Do: func(r Reader, ctx context.Context, in listing) (page operation.Page[Listed], err error) {
				found, total, err := r.Graph.Entities(ctx, domain.WorkspaceOf(ctx), graphstore.EntityQuery{Text: in.Name, Limit: in.Limit, Offset: max(in.Offset, 0)})
				page.Total = total
				for _, e := range found {
					page.Items = append(page.Items, Listed{e.ID, e.Label, e.Name, e.Mentions, e.Documents, e.Relations})
				}
				return page, err
			},
			Text: func(w io.Writer, page operation.Page[Listed]) error {
				return operation.Table("ID\tLABEL\tNAME\tMENTIONS\tDOCUMENTS\tRELATIONS", "", func(e Listed) []any {
					return []any{e.ID, e.Label, e.Name, e.Mentions, e.Documents, e.Relations}
				})(w, page.Items)
			},
		},
		operation.Op[Reader, Exporting, operation.Made]{
			Name: "entities export", Short: "Write the whole graph to a file", Scope: operation.Read, Routes: []string{"GET /graph"}, Trail: operation.Trail{Kept: true},
			Long: `Write all entities and relations to FILE as GraphML, CSV, JSON or Cypher. The
same graph gives the same file. The ending of FILE tells the format unless
--format does. If FILE is -, the graph goes to standard output. With --mentions, names
that are only mentioned together are joined by relations of the type MENTIONED_WITH.`,
			Example: `  clew entities export graph.graphml
  clew entities export --format cypher - | cypher-shell`,
			Do: Reader.Export,
		},
		operation.Op[Reader, nearby, []Near]{
			Name: "entities near", Short: "List the entities around one, as the graph shows them", Scope: operation.Read, Routes: []string{"GET /entities/{name}/neighbours"}, Example: `  clew entities near "Copper Bridge" --steps 2 --as-of 1995`,
			Tool: operation.Tool{Name: "neighbours", Title: "Show the neighbours of an entity", Fields: "id=name depth=steps limit as_of",
				About: "List the entities that are connected with one."},
			Long: `List the entities around one, as the graph shows them: those that relations lead to in
so many steps, and those that are only mentioned together with it.`,
			Do: Reader.near,
			Text: operation.Table("ID\tSTEPS\tLABEL\tNAME\tRELATIONS\tDOCUMENTS", "It has no neighbours.", func(n Near) []any {
				return []any{n.ID, n.Steps, n.Label, n.Name, n.Relations, n.Documents}
			}),
		},
		operation.Op[Reader, ends, []Step]{
			Name: "entities path", Short: "Print a shortest chain of relations between two entities", Scope: operation.Read, Routes: []string{"GET /paths"}, Example: "  clew entities path \"Copper Bridge\" \"Velm Mutual Office\"",
			Tool: operation.Tool{Name: "path", Title: "Find a path", Fields: "from to as_of",
				About: "Find a shortest chain of relations between two entities."},
			Do: Reader.path,
			Text: func(w io.Writer, steps []Step) error {
				for _, s := range steps {
					fmt.Fprintln(w, strings.Join([]string{s.From, s.Type, s.To}, " "))
				}
				return nil
			},
		},
	}
}

type nearby struct {
	Name  string `json:"name" arg:"NAME" doc:"name or id of an entity"`
	Steps int    `json:"steps" default:"1" doc:"how many relations away, at most 3; 0 chooses 1 or 2, whichever is readable"`
	Limit int    `json:"limit" default:"50" doc:"list at most this many, the best connected; at most 299"`
	AsOf  string `json:"as_of" doc:"follow only the relations that hold at this time: 1995, 1995-06 or 1995-06-30"`
}

// Near is an entity around another one.
type Near struct {
	ID        domain.EntityID `json:"id"`
	Label     string          `json:"label"`
	Name      string          `json:"name"`
	Steps     int             `json:"steps"` // away
	Relations int             `json:"relations"`
	Documents int             `json:"documents"`
}

func (r Reader) near(ctx context.Context, in nearby) ([]Near, error) {
	if in.Steps < 0 || in.Steps > MaxSteps || in.Limit < 1 || in.Limit >= MaxNodes {
		return nil, domain.Errorf(domain.Invalid, "Choose between 0 and %d steps, and between 1 and %d entities.", MaxSteps, MaxNodes-1)
	}
	at, err := domain.AsOf(in.AsOf)
	if err != nil {
		return nil, err
	}
	from, err := r.find(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	view, _, err := r.Around(ctx, Query{Filter: Filter{Together: true, AsOf: at}, At: []domain.EntityID{from.ID}, Steps: in.Steps, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	list := []Near{}
	for _, n := range view.Nodes {
		if n.ID != from.ID {
			list = append(list, Near{n.ID, n.Label, n.Name, n.Depth, n.Relations, n.Documents})
		}
	}
	return list, nil
}

func (r Reader) path(ctx context.Context, in ends) ([]Step, error) {
	at, err := domain.AsOf(in.AsOf)
	if err != nil {
		return nil, err
	}
	from, err := r.find(ctx, in.From)
	if err != nil {
		return nil, err
	}
	way, err := r.Way(ctx, Filter{AsOf: at}, from.ID, in.To)
	switch {
	case err != nil:
		return nil, err
	case way.Other.ID == "":
		return nil, nobody(in.To)
	case len(way.Hops) == 0:
		return nil, domain.Errorf(domain.NotFound, "No chain of up to %d relations connects %s and %s.", MaxHops, from.Name, way.Other.Name)
	}
	steps, last := make([]Step, len(way.Hops)), from.Name
	for i, h := range way.Hops {
		if steps[i] = (Step{last, h.Type, h.Other.Name}); h.Back {
			steps[i] = Step{h.Other.Name, h.Type, last}
		}
		last = h.Other.Name
	}
	return steps, nil
}

// find returns the most mentioned entity with a name.
func (r Reader) find(ctx context.Context, name string) (domain.Entity, error) {
	found, _, err := r.Graph.Entities(ctx, domain.WorkspaceOf(ctx), graphstore.EntityQuery{Text: name, Limit: 1})
	if err != nil {
		return domain.Entity{}, err
	}
	if len(found) == 0 {
		return domain.Entity{}, nobody(name)
	}
	return found[0], nil
}

func nobody(name string) error {
	return domain.Errorf(domain.NotFound, "No entity is called %q. clew entities list shows their names.", name)
}
