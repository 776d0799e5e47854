package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/worklist"
)

// workLine is an entry in the output of clew entities worklist --json.
type workLine struct {
	List      worklist.Name   `json:"list"`
	Entity    domain.EntityID `json:"entity"`
	Name      string          `json:"name"`
	Label     string          `json:"label"`
	Mentions  int             `json:"mentions"`
	Documents int             `json:"documents"`
	Property  string          `json:"property,omitempty"` // with contradicting values
	Values    []string        `json:"values,omitempty"`   // of the property
	Sure      float64         `json:"sure,omitempty"`     // how sure a weak relation is, from 0 to 1
	Relations []workRelation  `json:"relations,omitempty"`
}

type workRelation struct {
	ID     domain.RelationID `json:"id"`
	Type   string            `json:"type"`
	Target string            `json:"target"` // its name
}

func entitiesWorklistCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	var limit, offset int
	var label, document string
	var names []string
	for _, n := range worklist.Names() {
		names = append(names, string(n))
	}
	cmd := &cobra.Command{
		Use:   "worklist [NAME]",
		Short: "List what in the graph wants a person's eye",
		Long: `List the entities of a work list, or without NAME how many each list has:

  unlabelled      without a label, most mentioned first
  contradictions  with two values for what an entity has one of, such as a birth year,
                  or of what a schema says so
  weak            with a relation that one passage states, and not surely
  orphans         without a relation
  once            mentioned in one document`,
		Example:   "  clew entities worklist unlabelled --json --limit 0",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				adjacency, err := a.graph.Adjacency(cmd.Context(), domain.DefaultWorkspace)
				if err != nil {
					return err
				}
				set, err := a.schemas.InForce(cmd.Context(), domain.DefaultWorkspace)
				if err != nil {
					return err
				}
				lists := worklist.New(adjacency).By(set)
				if len(args) == 0 {
					return printCounts(s, lists, asJSON)
				}
				items, _ := lists.Page(worklist.Name(args[0]), worklist.Filter{Label: label, Document: domain.DocumentID(document)}, offset, limit)
				return a.printWork(cmd.Context(), worklist.Name(args[0]), items, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&label, "label", "", "list only entities with this label")
	cmd.Flags().StringVar(&document, "document", "", "list only entities that the document with this id mentions")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many; 0 lists all")
	cmd.Flags().IntVar(&offset, "offset", 0, "leave out so many from the beginning")
	jsonFlag(cmd, &asJSON, jsonArray+" of the entries, and without LIST an object with their numbers")
	return cmd
}

func printCounts(s env, lists *worklist.Lists, asJSON bool) error {
	counts := map[worklist.Name]int{}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, n := range worklist.Names() {
		counts[n] = lists.Count(n)
		if !asJSON {
			fmt.Fprintf(table, "%s\t%d\n", n, counts[n])
		}
	}
	if asJSON {
		return printJSON(s.stdout, counts)
	}
	return table.Flush()
}

func (a *app) printWork(ctx context.Context, list worklist.Name, items []worklist.Item, asJSON bool) error {
	var all []workLine
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tLABEL\tNAME\tMENTIONS\tDOCUMENTS\tWHAT")
	for part := range slices.Chunk(items, 500) {
		rows, err := a.worked(ctx, list, part)
		if err != nil {
			return err
		}
		for _, r := range rows {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%s\n", r.Entity, r.Label, r.Name, r.Mentions, r.Documents, r.what())
		}
		all = append(all, rows...)
	}
	if asJSON {
		return printJSON(a.env.stdout, all)
	}
	return table.Flush()
}

// worked returns entries with what the graph says of them.
func (a *app) worked(ctx context.Context, list worklist.Name, items []worklist.Item) ([]workLine, error) {
	var ids []domain.EntityID
	var refs []graphstore.RelationRef
	for _, it := range items {
		ids, refs = append(ids, it.Entity), append(refs, it.Relations...)
	}
	named, err := a.graph.Named(ctx, domain.DefaultWorkspace, ids)
	if err != nil {
		return nil, err
	}
	stated, err := a.graph.Stated(ctx, domain.DefaultWorkspace, refs)
	if err != nil {
		return nil, err
	}
	entities, edges := map[domain.EntityID]domain.Entity{}, map[domain.RelationID]graphstore.Edge{}
	for _, e := range named {
		entities[e.ID] = e
	}
	for _, e := range stated {
		edges[e.ID] = e
	}
	var rows []workLine
	for _, it := range items {
		e := entities[it.Entity]
		row := workLine{List: list, Entity: it.Entity, Name: e.Name, Label: e.Label, Mentions: e.Mentions, Documents: e.Documents, Property: it.Property, Sure: it.Sure}
		for _, p := range e.Properties {
			if it.Property != "" && p.Key == it.Property {
				row.Values = append(row.Values, p.Value)
			}
		}
		for _, r := range it.Relations {
			row.Relations = append(row.Relations, workRelation{r.ID, edges[r.ID].Type, edges[r.ID].To.Name})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// what describes an entry in a few words.
func (w workLine) what() string {
	if len(w.Values) > 0 {
		return w.Property + " " + strings.Join(w.Values, " or ")
	}
	var said []string
	for _, r := range w.Relations {
		said = append(said, r.Type+" "+r.Target)
	}
	return strings.Join(said, ", ")
}
