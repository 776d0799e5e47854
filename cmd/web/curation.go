package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// atTerminal is who decided, in the log of what was decided with a command.
const atTerminal = "command line"

// namedLong says how the commands name an entity.
const namedLong = "\n\nNAME is a name or an id. If several entities have the name, the command lists them\nwith their ids and changes nothing. clew changes undo takes it back."

// curating returns a command that makes one decision and prints it.
func curating(s env, load func() (config.Config, error), cmd *cobra.Command, decide func(ctx context.Context, a *app, args []string) (ledger.Curation, error)) *cobra.Command {
	var asJSON bool
	jsonFlag(cmd, &asJSON, jsonObject+": the change")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return onGraph(cmd.Context(), s, load, func(a *app) error {
			entry, err := decide(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			line, err := a.curator.Change(cmd.Context(), domain.DefaultWorkspace, entry.Seq)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.stdout, changeOf(line))
			}
			about := fmt.Sprintf("Change %d", line.Seq)
			if of := curate.Result(entry); of != "" {
				about += ", entity " + string(of)
			}
			_, err = fmt.Fprintf(s.stdout, "%s. (%s)\n", line.Text, about)
			return err
		})
	}
	return cmd
}

// changed is a change as clew changes list --json prints it.
type changed struct {
	Change int64               `json:"change"`
	At     time.Time           `json:"at"`
	Who    string              `json:"who,omitempty"`
	Kind   ledger.CurationKind `json:"kind"`
	Text   string              `json:"text"`
	Entity domain.EntityID     `json:"entity,omitempty"`
	Undoes int64               `json:"undoes,omitempty"`
	Undone bool                `json:"undone"`
	Inert  bool                `json:"no_effect"`
}

func changeOf(l curate.Line) changed {
	return changed{l.Seq, l.At, l.Who, l.Kind, l.Text, curate.Result(l.Curation), l.Undoes, l.Undone, l.Inert}
}

// curationCommands returns the commands of clew entities that change the graph.
func curationCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	one := func(use, short, example string, args cobra.PositionalArgs, decide func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error)) *cobra.Command {
		return curating(s, load, &cobra.Command{Use: use, Short: short, Long: short + "." + namedLong, Example: example, Args: args},
			func(ctx context.Context, a *app, args []string) (ledger.Curation, error) {
				e, err := a.curator.One(ctx, domain.DefaultWorkspace, args[0])
				if err != nil {
					return ledger.Curation{}, err
				}
				return decide(ctx, a, e, args[1:])
			})
	}
	const w = domain.DefaultWorkspace
	return []*cobra.Command{
		one("rename NAME NEW", "Show an entity under another name", `  clew entities rename "Mrs Lovibond" "Agnes Lovibond"`, cobra.ExactArgs(2),
			func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
				return a.curator.Rename(ctx, w, atTerminal, e.ID, args[0])
			}),
		one("relabel NAME LABEL", "Give an entity another label", `  clew entities relabel "Carrow Foundry" Company`, cobra.ExactArgs(2),
			func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
				return a.curator.Relabel(ctx, w, atTerminal, e.ID, args[0])
			}),
		mergeCommand(one),
		splitCommand(one),
		deleteCommand(one),
		one("retype NAME RELATION TYPE", "Give a relation of an entity another type", `  clew entities retype "Agnes Lovibond" r0a1b2c3d4e5f60718293 MANAGES`, cobra.ExactArgs(3),
			func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
				return a.curator.Retype(ctx, w, atTerminal, e.ID, domain.RelationID(args[0]), args[1])
			}),
		createCommand(s, load),
		relateCommand(one),
		setCommand(one),
		unsetCommand(one),
	}
}

// oneEntity makes a command about one entity.
type oneEntity = func(use, short, example string, args cobra.PositionalArgs, decide func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error)) *cobra.Command

func mergeCommand(one oneEntity) *cobra.Command {
	name := ""
	cmd := one("merge NAME OTHER...", "Make other entities part of an entity", `  clew entities merge "Agnes Lovibond" "Mrs Lovibond" "A. Lovibond"`, cobra.MinimumNArgs(2),
		func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
			var others []domain.EntityID
			for _, arg := range args {
				o, err := a.curator.One(ctx, domain.DefaultWorkspace, arg)
				if err != nil {
					return ledger.Curation{}, err
				}
				others = append(others, o.ID)
			}
			return a.curator.Merge(ctx, domain.DefaultWorkspace, atTerminal, e.ID, others, name)
		})
	cmd.Flags().StringVar(&name, "name", "", "call it this from now on")
	return cmd
}

func splitCommand(one oneEntity) *cobra.Command {
	name, forms, chunks := "", []string(nil), []string(nil)
	cmd := one("split NAME", "Take some mentions out of an entity", `  clew entities split Mercury --form "Mercury (planet)" --name "Mercury, the planet"`, cobra.ExactArgs(1),
		func(ctx context.Context, a *app, e domain.Entity, _ []string) (ledger.Curation, error) {
			ids := make([]domain.ChunkID, len(chunks))
			for i, c := range chunks {
				ids[i] = domain.ChunkID(c)
			}
			return a.curator.Split(ctx, domain.DefaultWorkspace, atTerminal, e.ID, ids, forms, name)
		})
	cmd.Flags().StringArrayVar(&forms, "form", nil, "take out all mentions written like this; can be repeated")
	cmd.Flags().StringArrayVar(&chunks, "chunk", nil, "take out all mentions in a passage, by the id that clew entities show prints; can be repeated")
	cmd.Flags().StringVar(&name, "name", "", "name of the new entity; as its mentions write it unless given")
	return cmd
}

func deleteCommand(one oneEntity) *cobra.Command {
	relation := ""
	cmd := one("delete NAME", "Delete an entity with its relations, or one of them, from the graph; the documents stay", `  clew entities delete "Table of Contents"`, cobra.ExactArgs(1),
		func(ctx context.Context, a *app, e domain.Entity, _ []string) (ledger.Curation, error) {
			if relation != "" {
				return a.curator.HideRelation(ctx, domain.DefaultWorkspace, atTerminal, e.ID, domain.RelationID(relation))
			}
			return a.curator.Hide(ctx, domain.DefaultWorkspace, atTerminal, e.ID)
		})
	cmd.Flags().StringVar(&relation, "relation", "", "delete only this relation, by the id that clew entities show prints")
	return cmd
}

// marking are the flags that name words of a document.
type marking struct{ document, words string }

func (m *marking) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.document, "document", "", "id of the document that says so; without it, it is added by hand")
	cmd.Flags().StringVar(&m.words, "words", "", "exact words of the document; the first place that has them counts")
	cmd.MarkFlagsRequiredTogether("document", "words")
}

func (m *marking) source(ctx context.Context, a *app) (curate.Source, error) {
	if m.document == "" {
		return curate.Source{}, nil
	}
	return a.curator.Find(ctx, domain.DefaultWorkspace, domain.DocumentID(m.document), m.words, 0)
}

func createCommand(s env, load func() (config.Config, error)) *cobra.Command {
	label, at := "", marking{}
	cmd := curating(s, load, &cobra.Command{
		Use:   "create NAME",
		Short: "Add an entity by hand",
		Long: `Add an entity by hand. With --document and --words, these words are its first
mention, and it goes with the document. Without, it is marked as added by hand
and stays until the change is undone.`,
		Example: `  clew entities create "Guild of Bell Founders" --label Organisation
  clew entities create "" --label Person --document d0a1b2c3d4e5f60718293 --words "Ida Quennell"`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, a *app, args []string) (ledger.Curation, error) {
		from, err := at.source(ctx, a)
		if err != nil {
			return ledger.Curation{}, err
		}
		return a.curator.Create(ctx, domain.DefaultWorkspace, atTerminal, from, args[0], label)
	})
	cmd.Flags().StringVar(&label, "label", "", "its label, for instance Person; unlabelled unless given")
	at.flags(cmd)
	return cmd
}

func relateCommand(one oneEntity) *cobra.Command {
	at := marking{}
	cmd := one("relate NAME TYPE TARGET", "Add a relation between two entities by hand", `  clew entities relate "Agnes Lovibond" FOUNDED "Carrow Foundry"`, cobra.ExactArgs(3),
		func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
			target, err := a.curator.One(ctx, domain.DefaultWorkspace, args[1])
			if err != nil {
				return ledger.Curation{}, err
			}
			from, err := at.source(ctx, a)
			if err != nil {
				return ledger.Curation{}, err
			}
			return a.curator.Relate(ctx, domain.DefaultWorkspace, atTerminal, e.ID, args[0], target.ID, from)
		})
	at.flags(cmd)
	return cmd
}

func setCommand(one oneEntity) *cobra.Command {
	relation := ""
	cmd := one("set NAME PROPERTY VALUE", "Give a property of an entity, or of a relation, one value", `  clew entities set "Agnes Lovibond" born 1831`, cobra.ExactArgs(3),
		func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
			return a.curator.Set(ctx, domain.DefaultWorkspace, atTerminal, curate.Subject{Entity: e.ID, Relation: domain.RelationID(relation)}, args[0], "", args[1])
		})
	relationFlag(cmd, &relation)
	return cmd
}

func unsetCommand(one oneEntity) *cobra.Command {
	relation := ""
	cmd := one("unset NAME PROPERTY [VALUE]", "Remove a property of an entity, or of a relation, or one value of it", `  clew entities unset "Agnes Lovibond" born 1813`, cobra.RangeArgs(2, 3),
		func(ctx context.Context, a *app, e domain.Entity, args []string) (ledger.Curation, error) {
			value := ""
			if len(args) > 1 {
				value = args[1]
			}
			return a.curator.Unset(ctx, domain.DefaultWorkspace, atTerminal, curate.Subject{Entity: e.ID, Relation: domain.RelationID(relation)}, args[0], value)
		})
	relationFlag(cmd, &relation)
	return cmd
}

func relationFlag(cmd *cobra.Command, relation *string) {
	cmd.Flags().StringVar(relation, "relation", "", "a property of this relation, by the id that clew entities show prints")
}

// shownEntity is an entity as clew entities show --json prints it.
type shownEntity struct {
	domain.Entity
	ByHand    bool              `json:"by_hand"` // no document names it
	Relations []domain.Relation `json:"relations"`
	Chunks    []domain.Evidence `json:"passages"` // chunks that name it
	Together  []together        `json:"mentioned_together"`
}

// together is a name that passages mention together with an entity more often than by
// chance.
type together struct {
	ID       domain.EntityID `json:"id"`
	Name     string          `json:"name"`
	Passages int             `json:"passages"`
}

func entitiesShowCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show an entity with its properties, relations, passages and the names mentioned together with it",
		Example: "  clew entities show \"Agnes Lovibond\"\n  clew entities show e0a1b2c3d4e5f60718293 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error { return a.showEntity(cmd.Context(), args[0], asJSON) })
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (a *app) showEntity(ctx context.Context, name string, asJSON bool) error {
	e, err := a.curator.One(ctx, domain.DefaultWorkspace, name)
	if err != nil {
		return err
	}
	edges, err := a.graph.Relations(ctx, domain.DefaultWorkspace, e.ID, 0)
	if err != nil {
		return err
	}
	links, err := a.graph.Links(ctx, domain.DefaultWorkspace, e.ID, 0)
	if err != nil {
		return err
	}
	g, err := a.explored(ctx)
	if err != nil {
		return err
	}
	companions := []together{}
	for _, c := range g.Companions(e.ID) {
		companions = append(companions, together{c.ID, c.Name, c.Together})
	}
	if asJSON {
		shown := shownEntity{Entity: e, ByHand: e.Documents == 0, Relations: []domain.Relation{}, Chunks: []domain.Evidence{}, Together: companions}
		for _, edge := range edges {
			shown.Relations = append(shown.Relations, edge.Relation)
		}
		for _, l := range links {
			shown.Chunks = append(shown.Chunks, domain.Evidence{Chunk: l.Chunk, Document: l.Document, Spans: l.Spans})
		}
		return printJSON(a.env.stdout, shown)
	}
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\t%s\nlabel\t%s\n", e.Name, e.ID, e.Label)
	for _, alias := range e.Aliases {
		fmt.Fprintf(table, "also\t%s\n", alias)
	}
	for _, p := range e.Properties {
		fmt.Fprintf(table, "%s\t%s\n", p.Key, p.Value)
	}
	if e.Documents == 0 {
		fmt.Fprintln(table, "source\tadded by hand")
	}
	for _, edge := range edges {
		source := strconv.Itoa(len(edge.Evidence)) + " passages"
		if len(edge.Evidence) == 0 {
			source = "added by hand"
		}
		fmt.Fprintf(table, "%s\t%s %s %s, %s\n", edge.ID, edge.From.Name, edge.Type, edge.To.Name, source)
	}
	for _, c := range companions {
		fmt.Fprintf(table, "%s\tmentioned together with %s, %d passages\n", c.ID, c.Name, c.Passages)
	}
	for _, l := range links {
		fmt.Fprintf(table, "%s\tdocument %s\n", l.Chunk, l.Document)
	}
	return table.Flush()
}

func changesCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "changes", Short: "List what people changed in the graph by hand, and undo it"}
	cmd.AddCommand(changesListCommand(s, load), curating(s, load, &cobra.Command{
		Use:     "undo CHANGE",
		Short:   "Undo a change, by its number",
		Long:    "Undo a change, by its number. Changes can be undone in any order. An undo is a change\ntoo: undoing it brings back what it undid.",
		Example: "  clew changes undo 1207",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, a *app, args []string) (ledger.Curation, error) {
		seq, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return ledger.Curation{}, domain.Errorf(domain.Invalid, "A change has a number, not %q. clew changes list shows them.", args[0])
		}
		return a.curator.Undo(ctx, domain.DefaultWorkspace, atTerminal, seq)
	}))
	return cmd
}

func changesListCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	var which curate.Which
	var kind string
	limit := 0
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the changes, newest first",
		Example: "  clew changes list --limit 20\n  clew changes list --kind merge --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			which.Kind = ledger.CurationKind(kind)
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				lines, _, err := a.curator.Changes(cmd.Context(), domain.DefaultWorkspace, which, 0, limit)
				if err != nil {
					return err
				}
				return printChanges(s, lines, asJSON)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many; 0 lists all")
	cmd.Flags().StringVar(&which.Who, "who", "", "list only the changes of this account")
	cmd.Flags().StringVar(&kind, "kind", "", "list only changes of this kind: "+curate.KindNames())
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func printChanges(s env, lines []curate.Line, asJSON bool) error {
	if asJSON {
		list := make([]changed, len(lines))
		for i, l := range lines {
			list[i] = changeOf(l)
		}
		return printJSON(s.stdout, list)
	}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHANGE\tWHEN\tWHO\tSTATE\tWHAT")
	for _, l := range lines {
		state := "in force"
		switch {
		case l.Undone:
			state = "undone"
		case l.Inert:
			state = "no effect"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", l.Seq, l.At.Format(time.DateTime), l.Who, state, l.Text)
	}
	return table.Flush()
}
