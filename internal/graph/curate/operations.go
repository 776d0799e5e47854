package curate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// Changed is a change of the graph, or of tags, by hand.
type Changed struct {
	Change int64               `json:"change"`
	At     time.Time           `json:"at"`
	Who    string              `json:"who,omitempty"`
	Kind   ledger.CurationKind `json:"kind"`
	Text   string              `json:"text"`
	Entity domain.EntityID     `json:"entity,omitempty"`
	Undoes int64               `json:"undoes,omitempty"`
	Undone bool                `json:"undone"`
	Inert  bool                `json:"no_effect"`

	result domain.EntityID // of the decision, "" for an undo
}

func changeOf(l Line) Changed {
	return Changed{l.Seq, l.At, l.Who, l.Kind, l.Text, Result(l.Curation), l.Undoes, l.Undone, l.Inert, ""}
}

func (c Changed) String() string {
	about := fmt.Sprintf("Change %d", c.Change)
	if c.result != "" {
		about += ", entity " + string(c.result)
	}
	return fmt.Sprintf("%s. (%s)", c.Text, about)
}

// decided returns the change that a decision made.
func (c *Curator) decided(ctx context.Context, entry ledger.Curation, err error) (Changed, error) {
	if err != nil {
		return Changed{}, err
	}
	line, err := c.Change(ctx, domain.WorkspaceOf(ctx), entry.Seq)
	if err != nil {
		return Changed{}, err
	}
	changed := changeOf(line)
	changed.result = Result(entry)
	return changed, nil
}

// One names an entity.
type One struct {
	Name string `json:"entity" arg:"NAME"`
}

func (o One) one() string { return o.Name }

// deciding returns an operation that makes one decision about an entity.
func deciding[In interface{ one() string }](name, short, example string, decide func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in In) (ledger.Curation, error)) operation.Operation[*Curator] {
	return operation.Op[*Curator, In, Changed]{
		Name: "entities " + name, Short: short, Example: example, JSON: ": the change", Who: operation.Writers,
		Long: short + ".\n\nNAME is a name or an id. If several entities have the name, the command lists them\nwith their ids and changes nothing. clew changes undo takes it back.",
		Do: func(c *Curator, ctx context.Context, in In) (Changed, error) {
			e, err := c.One(ctx, domain.WorkspaceOf(ctx), in.one())
			if err != nil {
				return Changed{}, err
			}
			entry, err := decide(c, ctx, domain.WorkspaceOf(ctx), domain.PersonOf(ctx), e.ID, in)
			return c.decided(ctx, entry, err)
		},
	}
}

type renaming struct {
	One
	To string `json:"new" arg:"NEW"`
}

type relabelling struct {
	One
	Label string `json:"label" arg:"LABEL"`
}

type merging struct {
	One
	Others []string `json:"others" arg:"OTHER..."`
	To     string   `json:"name" doc:"call it this from now on"`
}

type splitting struct {
	One
	Forms  []string `json:"form" whole:"" doc:"take out all mentions written like this; can be repeated"`
	Chunks []string `json:"chunk" whole:"" doc:"take out all mentions in a passage, by the id that clew entities show prints; can be repeated"`
	To     string   `json:"name" doc:"name of the new entity; as its mentions write it unless given"`
}

type deleting struct {
	One
	Relation domain.RelationID `json:"relation" doc:"delete only this relation, by the id that clew entities show prints"`
}

type retyping struct {
	One
	Relation domain.RelationID `json:"relation" arg:"RELATION"`
	Type     string            `json:"type" arg:"TYPE"`
}

// Marking names words of a document.
type Marking struct {
	Document domain.DocumentID `json:"document" with:"mark" doc:"id of the document that says so; without it, it is added by hand"`
	Words    string            `json:"words" with:"mark" doc:"exact words of the document; the first place that has them counts"`
}

func (m Marking) source(ctx context.Context, c *Curator) (Source, error) {
	if m.Document == "" {
		return Source{}, nil
	}
	return c.Find(ctx, domain.WorkspaceOf(ctx), m.Document, m.Words, 0)
}

type creating struct {
	Name  string `json:"name" arg:"NAME"`
	Label string `json:"label" doc:"its label, for instance Person; unlabelled unless given"`
	Marking
}

type relating struct {
	One
	Type   string `json:"type" arg:"TYPE"`
	Target string `json:"target" arg:"TARGET"`
	Marking
}

type setting struct {
	One
	Key      string            `json:"property" arg:"PROPERTY"`
	Value    string            `json:"value" arg:"VALUE"`
	Relation domain.RelationID `json:"relation" doc:"a property of this relation, by the id that clew entities show prints"`
}

type unsetting struct {
	One
	Key      string            `json:"property" arg:"PROPERTY"`
	Value    string            `json:"value" arg:"[VALUE]"`
	Relation domain.RelationID `json:"relation" doc:"a property of this relation, by the id that clew entities show prints"`
}

type undoing struct {
	Change int64 `json:"change" arg:"CHANGE" wrong:"A change has a number, not %q. clew changes list shows them."`
}

// Operations are what can be done with single entities, and with the changes made by hand.
func Operations() []operation.Operation[*Curator] {
	return append(adding(), []operation.Operation[*Curator]{
		operation.Op[*Curator, One, Shown]{
			Name: "entities show", Short: "Show an entity with its properties, relations, passages and the names mentioned together with it", Who: operation.Readers,
			Example: "  clew entities show \"Agnes Lovibond\"\n  clew entities show e0a1b2c3d4e5f60718293 --json",
			Do:      (*Curator).show, Text: printShown,
		},
		deciding("rename", "Show an entity under another name", `  clew entities rename "Mrs Lovibond" "Agnes Lovibond"`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in renaming) (ledger.Curation, error) {
				return c.Rename(ctx, w, who, e, in.To)
			}),
		deciding("relabel", "Give an entity another label", `  clew entities relabel "Carrow Foundry" Company`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in relabelling) (ledger.Curation, error) {
				return c.Relabel(ctx, w, who, e, in.Label)
			}),
		deciding("merge", "Make other entities part of an entity", `  clew entities merge "Agnes Lovibond" "Mrs Lovibond" "A. Lovibond"`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in merging) (ledger.Curation, error) {
				others := make([]domain.EntityID, len(in.Others))
				for i, name := range in.Others {
					o, err := c.One(ctx, w, name)
					if err != nil {
						return ledger.Curation{}, err
					}
					others[i] = o.ID
				}
				return c.Merge(ctx, w, who, e, others, in.To)
			}),
		deciding("split", "Take some mentions out of an entity", `  clew entities split Mercury --form "Mercury (planet)" --name "Mercury, the planet"`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in splitting) (ledger.Curation, error) {
				ids := make([]domain.ChunkID, len(in.Chunks))
				for i, id := range in.Chunks {
					ids[i] = domain.ChunkID(id)
				}
				return c.Split(ctx, w, who, e, ids, in.Forms, in.To)
			}),
		deciding("delete", "Delete an entity with its relations, or one of them, from the graph; the documents stay", `  clew entities delete "Table of Contents"`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in deleting) (ledger.Curation, error) {
				if in.Relation != "" {
					return c.HideRelation(ctx, w, who, e, in.Relation)
				}
				return c.Hide(ctx, w, who, e)
			}),
		deciding("retype", "Give a relation of an entity another type", `  clew entities retype "Agnes Lovibond" r0a1b2c3d4e5f60718293 MANAGES`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in retyping) (ledger.Curation, error) {
				return c.Retype(ctx, w, who, e, in.Relation, in.Type)
			}),
		operation.Op[*Curator, undoing, Changed]{
			Name: "changes undo", Short: "Undo a change, by its number", JSON: ": the change", Who: operation.Writers,
			Long:    "Undo a change, by its number. Changes can be undone in any order. An undo is a change\ntoo: undoing it brings back what it undid.",
			Example: "  clew changes undo 1207",
			Do: func(c *Curator, ctx context.Context, in undoing) (Changed, error) {
				entry, err := c.Undo(ctx, domain.WorkspaceOf(ctx), domain.PersonOf(ctx), in.Change)
				return c.decided(ctx, entry, err)
			},
		},
		operation.Op[*Curator, changesWanted, operation.Page[Changed]]{
			Name: "changes list", Short: "List the changes, newest first", Who: operation.Readers,
			Example: "  clew changes list --limit 20\n  clew changes list --kind merge --json",
			Do:      (*Curator).changes, Text: printChanges,
		},
	}...)
}

// adding are the operations that add something to an entity, or take it off.
func adding() []operation.Operation[*Curator] {
	return []operation.Operation[*Curator]{
		operation.Op[*Curator, creating, Changed]{
			Name: "entities create", Short: "Add an entity by hand", JSON: ": the change", Who: operation.Writers,
			Long: `Add an entity by hand. With --document and --words, these words are its first
mention, and it goes with the document. Without, it is marked as added by hand
and stays until the change is undone.`,
			Example: `  clew entities create "Guild of Bell Founders" --label Organisation
  clew entities create "" --label Person --document d0a1b2c3d4e5f60718293 --words "Ida Quennell"`,
			Do: func(c *Curator, ctx context.Context, in creating) (Changed, error) {
				from, err := in.source(ctx, c)
				if err != nil {
					return Changed{}, err
				}
				entry, err := c.Create(ctx, domain.WorkspaceOf(ctx), domain.PersonOf(ctx), from, in.Name, in.Label)
				return c.decided(ctx, entry, err)
			},
		},
		deciding("relate", "Add a relation between two entities by hand", `  clew entities relate "Agnes Lovibond" FOUNDED "Carrow Foundry"`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in relating) (ledger.Curation, error) {
				target, err := c.One(ctx, w, in.Target)
				if err != nil {
					return ledger.Curation{}, err
				}
				from, err := in.source(ctx, c)
				if err != nil {
					return ledger.Curation{}, err
				}
				return c.Relate(ctx, w, who, e, in.Type, target.ID, from)
			}),
		deciding("set", "Give a property of an entity, or of a relation, one value", `  clew entities set "Agnes Lovibond" born 1831`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in setting) (ledger.Curation, error) {
				return c.Set(ctx, w, who, Subject{Entity: e, Relation: in.Relation}, in.Key, "", in.Value)
			}),
		deciding("unset", "Remove a property of an entity, or of a relation, or one value of it", `  clew entities unset "Agnes Lovibond" born 1813`,
			func(c *Curator, ctx context.Context, w domain.WorkspaceID, who string, e domain.EntityID, in unsetting) (ledger.Curation, error) {
				return c.Unset(ctx, w, who, Subject{Entity: e, Relation: in.Relation}, in.Key, in.Value)
			}),
	}
}

type changesWanted struct {
	Limit int                 `json:"limit" default:"50" doc:"list at most so many; 0 lists all"`
	Who   string              `json:"who" doc:"list only the changes of this account"`
	Kind  ledger.CurationKind `json:"kind" doc:"list only changes of this kind: merge, split, rename, relabel, set, unset, create, relate, retype, hide, hide_relation, apart, tag, undo"`
}

func (c *Curator) changes(ctx context.Context, in changesWanted) (operation.Page[Changed], error) {
	lines, total, err := c.Changes(ctx, domain.WorkspaceOf(ctx), Which{Who: in.Who, Kind: in.Kind}, 0, in.Limit)
	page := operation.Page[Changed]{Items: make([]Changed, len(lines)), Total: total}
	for i, l := range lines {
		page.Items[i] = changeOf(l)
	}
	return page, err
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
	Chunks    []domain.Evidence `json:"passages"` // chunks that name it
	Together  []Together        `json:"mentioned_together"`

	stated [][2]string // the ends of the relations
}

// Together is a name that passages mention together with an entity more often than by chance.
type Together struct {
	ID       domain.EntityID `json:"id"`
	Name     string          `json:"name"`
	Passages int             `json:"passages"`
}

func (c *Curator) show(ctx context.Context, in One) (Shown, error) {
	w := domain.WorkspaceOf(ctx)
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
	whole, err := c.Graph.Adjacency(ctx, w)
	if err != nil {
		return Shown{}, err
	}
	shown := Shown{Entity: e, ByHand: e.Documents == 0, Relations: []domain.Relation{}, Chunks: []domain.Evidence{}, Together: []Together{}}
	for _, near := range explore.New(whole).Companions(e.ID) {
		shown.Together = append(shown.Together, Together{near.ID, near.Name, near.Together})
	}
	for _, edge := range edges {
		shown.Relations, shown.stated = append(shown.Relations, edge.Relation), append(shown.stated, [2]string{edge.From.Name, edge.To.Name})
	}
	for _, l := range links {
		shown.Chunks = append(shown.Chunks, domain.Evidence{Chunk: l.Chunk, Document: l.Document, Spans: l.Spans})
	}
	return shown, nil
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
			source := strconv.Itoa(len(r.Evidence)) + " passages"
			if len(r.Evidence) == 0 {
				source = "added by hand"
			}
			line(r.ID, fmt.Sprintf("%s %s %s, %s", e.stated[i][0], r.Type, e.stated[i][1], source))
		}
		for _, c := range e.Together {
			line(c.ID, fmt.Sprintf("mentioned together with %s, %d passages", c.Name, c.Passages))
		}
		for _, l := range e.Chunks {
			line(l.Chunk, "document "+string(l.Document))
		}
	})
}
