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
	Name  string `json:"name" arg:"[NAME]"`
	Limit int    `json:"limit" default:"50" doc:"list at most so many; 0 lists all"`
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
	From string `json:"from" arg:"FROM"`
	To   string `json:"to" arg:"TO"`
}

// Step is a relation of a chain.
type Step struct {
	From string `json:"from"`
	Type string `json:"type"`
	To   string `json:"to"`
}

// Operations are what can be looked at in the graph.
func Operations() []operation.Operation[graphstore.Reader] {
	return []operation.Operation[graphstore.Reader]{
		operation.Op[graphstore.Reader, listing, operation.Page[Listed]]{
			Name: "entities list", Short: "List entities, or those with a name", Who: operation.Readers,
			Example: "  clew entities list \"copper bri\"",
			Do: func(g graphstore.Reader, ctx context.Context, in listing) (page operation.Page[Listed], err error) {
				found, total, err := g.Entities(ctx, domain.WorkspaceOf(ctx), graphstore.EntityQuery{Text: in.Name, Limit: in.Limit})
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
		operation.Op[graphstore.Reader, ends, []Step]{
			Name: "entities path", Short: "Print a shortest chain of relations between two entities", Who: operation.Readers,
			Example: "  clew entities path \"Copper Bridge\" \"Velm Mutual Office\"",
			Do:      path,
			Text: func(w io.Writer, steps []Step) error {
				for _, s := range steps {
					fmt.Fprintln(w, strings.Join([]string{s.From, s.Type, s.To}, " "))
				}
				return nil
			},
		},
	}
}

func path(g graphstore.Reader, ctx context.Context, in ends) ([]Step, error) {
	w := domain.WorkspaceOf(ctx)
	var at [2]domain.Entity
	for i, name := range []string{in.From, in.To} {
		found, _, err := g.Entities(ctx, w, graphstore.EntityQuery{Text: name, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, domain.Errorf(domain.NotFound, "No entity is called %q. clew entities list shows their names.", name)
		}
		at[i] = found[0]
	}
	way, err := graphstore.FindPath(ctx, g, w, at[0].ID, at[1].ID, graphstore.MaxHops)
	if err != nil {
		return nil, err
	}
	if len(way.Edges) == 0 {
		return nil, domain.Errorf(domain.NotFound, "No chain of up to %d relations leads from %s to %s.", graphstore.MaxHops, at[0].Name, at[1].Name)
	}
	steps := make([]Step, len(way.Edges))
	for i, e := range way.Edges {
		steps[i] = Step{e.From.Name, e.Type, e.To.Name}
	}
	return steps, nil
}
