package curate

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

func (c Changed) String() string {
	about := fmt.Sprintf("Change %d", c.Change)
	if c.Kind != ledger.CurationUndo && c.Entity != "" {
		about += ", entity " + string(c.Entity)
	}
	return fmt.Sprintf("%s. (%s)", c.Text, about)
}

// decided returns the change that a decision made.
func (c *Curator) decided(ctx context.Context, entry ledger.Curation, err error) (Changed, error) {
	if err != nil {
		return Changed{}, err
	}
	return c.Change(ctx, domain.WorkspaceOf(ctx), entry.Seq)
}

// decision returns the operation that makes decisions of a type.
func decision[D Decision](route, name, short, long, example string) operation.Op[*Curator, D, Changed] {
	return operation.Op[*Curator, D, Changed]{
		Name: "entities " + name, Short: short, Long: long, Example: example, JSON: ": the change", Scope: operation.WriteGraph,
		Routes: []string{route}, Do: func(c *Curator, ctx context.Context, d D) (Changed, error) { return c.Decide(ctx, d) },
	}
}

// about returns the operation of decisions about an entity.
func about[D Decision](name, short, example string) operation.Op[*Curator, D, Changed] {
	return decision[D]("POST /entities/{entity}/"+name, name, short, short+".\n\nNAME is a name or an id. If several entities have the name, the command lists them\nwith their ids and changes nothing. clew changes undo takes it back.", "  clew entities "+name+" "+example)
}

// asTool returns an operation that models can call.
func asTool[D Decision](o operation.Op[*Curator, D, Changed], t operation.Tool) operation.Op[*Curator, D, Changed] {
	t.About += " It can be undone on the page of changes."
	o.Tool = t
	return o
}

type undoing struct {
	Change int64 `json:"change" arg:"CHANGE" wrong:"A change has a number, not %q. clew changes list shows them." doc:"number of the change"`
}

// What pages do as well as commands.
var (
	Create = decision[Creating]("POST /entities", "create", "Add an entity by hand", `Add an entity by hand. With --document and --words, these words are its first
mention, and it goes with the document. Without, it is marked as added by hand
and stays until the change is undone.`, `  clew entities create "Guild of Bell Founders" --label Organisation
  clew entities create "" --label Person --document d0a1b2c3d4e5f60718293 --words "Ida Quennell"`)
	Merge = asTool(about[Merging]("merge", "Make other entities part of an entity", `"Agnes Lovibond" "Mrs Lovibond" "A. Lovibond"`), operation.Tool{
		Name: "merge", Title: "Merge entities", About: "Make other entities part of one.", Fields: "id=entity others name", Destroys: true,
	})
	Split  = about[Splitting]("split", "Take some mentions out of an entity", `Mercury --form "Mercury (planet)" --name "Mercury, the planet"`)
	Apart  = about[Parting]("apart", "Keep two entities apart, however alike", `"Mercury" "Mercury, the planet"`)
	Delete = about[Deleting]("delete", "Delete an entity with its relations, or one of them, from the graph; the documents stay", `"Table of Contents"`)
	Retype = about[Retyping]("retype", "Give a relation of an entity another type", `"Agnes Lovibond" r0a1b2c3d4e5f60718293 MANAGES`)
	Undo   = operation.Op[*Curator, undoing, Changed]{
		Name: "changes undo", Short: "Undo a change, by its number", JSON: ": the change", Scope: operation.WriteGraph, Routes: []string{"POST /changes/{change}/undo"}, Example: "  clew changes undo 1207",
		Long: "Undo a change, by its number. Changes can be undone in any order. An undo is a change\ntoo: undoing it brings back what it undid.",
		Do: func(c *Curator, ctx context.Context, in undoing) (Changed, error) {
			entry, err := c.Undo(ctx, in.Change)
			return c.decided(ctx, entry, err)
		},
	}
)

// Operations returns the operations on single entities, and with the changes made by hand.
func Operations() []operation.Operation[*Curator] {
	return []operation.Operation[*Curator]{
		Create, Merge, Split, Apart, Delete, Retype, Undo,
		about[Relating]("relate", "Add a relation between two entities by hand", `"Agnes Lovibond" FOUNDED "Carrow Foundry"`),
		about[Setting]("set", "Give a property of an entity, or of a relation, one value", `"Agnes Lovibond" born 1831`),
		about[Succeeding]("succeed", "Say that a relation of an entity ended when another one began", `"Carrow Foundry" r0a1b2c3d4e5f60718293 r1a2b3c4d5e6f70819203`),
		about[Unsetting]("unset", "Remove a property of an entity, or of a relation, or one value of it", `"Agnes Lovibond" born 1813`),
		asTool(about[Renaming]("rename", "Show an entity under another name", `"Mrs Lovibond" "Agnes Lovibond"`), operation.Tool{
			Name: "rename", Title: "Rename an entity", About: "Show an entity under another name.", Fields: "id=entity name=new",
		}),
		about[Relabelling]("relabel", "Give an entity another label", `"Carrow Foundry" Company`),
		operation.Op[*Curator, shown, Shown]{
			Name: "entities show", Short: "Show an entity with its properties, relations, passages and the names mentioned together with it", Scope: operation.Read, Routes: []string{"GET /entities/{entity}"}, Example: "  clew entities show \"Agnes Lovibond\"\n  clew entities show e0a1b2c3d4e5f60718293 --json\n  clew entities show \"Carrow Foundry\" --as-of 1995",
			Tool: operation.Tool{Name: "entity", Title: "Show an entity", Fields: "id=entity as_of",
				About: "Show an entity by name or id: its properties, relations and passages. as_of leaves out the relations that do not hold at a time."},
			Do: (*Curator).show, Text: printShown,
		},
		operation.Op[*Curator, changesWanted, operation.Page[Changed]]{
			Name: "changes list", Short: "List the changes, newest first", Scope: operation.Read, Routes: []string{"GET /changes"}, Example: "  clew changes list --limit 20\n  clew changes list --kind merge --json",
			Do: (*Curator).changes, Text: printChanges,
		},
	}
}

type changesWanted struct {
	Limit int                 `json:"limit" default:"50" doc:"list at most this many; 0 lists all"`
	Who   string              `json:"who" doc:"list only changes made by this account"`
	Kind  ledger.CurationKind `json:"kind" doc:"list only changes of this kind: merge, split, rename, relabel, set, unset, create, relate, retype, hide, hide_relation, apart, tag, field, undo"`
}

func (c *Curator) changes(ctx context.Context, in changesWanted) (operation.Page[Changed], error) {
	lines, total, err := c.Changes(ctx, domain.WorkspaceOf(ctx), Which{Who: in.Who, Kind: in.Kind}, 0, in.Limit)
	return operation.Page[Changed]{Items: lines, Total: total}, err
}

func printChanges(w io.Writer, page operation.Page[Changed]) error {
	return operation.Table("CHANGE\tWHEN\tWHO\tSTATE\tWHAT", "", func(c Changed) []any {
		state := "in force"
		switch {
		case c.Undone:
			state = "undone"
		case c.Inert:
			state = "no effect"
		}
		return []any{c.Change, c.At.Format(time.DateTime), c.Who, state, c.Text}
	})(w, page.Items)
}

// Shown is an entity with all that is known of it.
type Shown struct {
	domain.Entity
	ByHand    bool              `json:"by_hand"` // no document names it
	Relations []domain.Relation `json:"relations"`
	Passages  []domain.Evidence `json:"passages"` // chunks that name it
	Together  []Together        `json:"mentioned_together"`
	Past      int               `json:"past,omitempty"` // relations left out because they did not hold at the requested time

	stated [][2]string // the ends of the relations
}

// Together is a name that passages mention together with an entity more often than by chance.
type Together struct {
	ID       domain.EntityID `json:"id"`
	Name     string          `json:"name"`
	Passages int             `json:"passages"`
}

type shown struct {
	Name string `json:"entity" arg:"NAME" doc:"name or id of an entity"`
	AsOf string `json:"as_of" doc:"leave out the relations that do not hold at this time: 1995, 1995-06 or 1995-06-30"`
}

func (c *Curator) show(ctx context.Context, in shown) (Shown, error) {
	w := domain.WorkspaceOf(ctx)
	at, err := domain.AsOf(in.AsOf)
	if err != nil {
		return Shown{}, err
	}
	e, err := c.One(ctx, w, in.Name)
	if err != nil {
		return Shown{}, err
	}
	edges, err := c.Graph.Relations(ctx, w, e.ID, 0)
	if err != nil {
		return Shown{}, err
	}
	links, err := c.Graph.Links(ctx, w, e.ID, 0)
	if err != nil {
		return Shown{}, err
	}
	together, err := explore.Reader{Graph: c.Graph}.Companions(ctx, e.ID)
	if err != nil {
		return Shown{}, err
	}
	out := Shown{Entity: e, ByHand: e.Documents == 0, Relations: []domain.Relation{}, Passages: []domain.Evidence{}, Together: []Together{}}
	for _, near := range together {
		out.Together = append(out.Together, Together{near.ID, near.Name, near.Together})
	}
	for _, edge := range edges {
		if !domain.Holds(edge.Type, edge.Periods(), at) {
			out.Past++
			continue
		}
		out.Relations, out.stated = append(out.Relations, edge.Relation), append(out.stated, [2]string{edge.From.Name, edge.To.Name})
	}
	for _, l := range links {
		out.Passages = append(out.Passages, domain.Evidence{Chunk: l.Chunk, Document: l.Document, Spans: l.Spans})
	}
	return out, nil
}

func printShown(w io.Writer, e Shown) error {
	return operation.Columns(w, "", func(line func(...any)) {
		line(e.Name, e.ID)
		line("label", e.Label)
		for _, alias := range e.Aliases {
			line("also", alias)
		}
		for _, p := range e.Properties {
			line(p.Key, p.Value)
		}
		if e.ByHand {
			line("source", "added by hand")
		}
		for i, r := range e.Relations {
			source := domain.Counted(len(r.Evidence), "passage", "passages")
			if len(r.Evidence) == 0 {
				source = "added by hand"
			}
			if periods := r.Periods(); len(periods) > 0 {
				source += ", " + domain.WritePeriods(periods)
			}
			line(r.ID, fmt.Sprintf("%s %s %s, %s", e.stated[i][0], r.Type, e.stated[i][1], source))
		}
		if e.Past > 0 {
			line("left out", domain.Counted(e.Past, "relation that does not hold then", "relations that do not hold then"))
		}
		for _, c := range e.Together {
			line(c.ID, fmt.Sprintf("mentioned together with %s, %s", c.Name, domain.Counted(c.Passages, "passage", "passages")))
		}
		for _, l := range e.Passages {
			line(l.Chunk, "document "+string(l.Document))
		}
	})
}

// Proposed is a pair of entities that may be the same, undecided or decided.
type Proposed struct {
	ledger.Proposal
	NameA string `json:"name_a"` // "" if the entity is not in the graph
	NameB string `json:"name_b"`
}

// A Queue lists the pairs that wait for a decision.
type Queue struct {
	operation.Page[Proposed]     // the first ones
	Today                    int // decided since a time
}
