package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/schemas"
	"github.com/clewhq/clew/views/format"
)

// schemaOperator stands for whoever saves a schema by a command.
const schemaOperator = "clew schema"

// schemaVersion is a version of a schema in the output of clew schema --json.
type schemaVersion struct {
	Number   int64             `json:"number"`
	Tag      string            `json:"tag,omitempty"`
	Name     string            `json:"name,omitempty"`
	Document domain.DocumentID `json:"document,omitempty"`
	At       time.Time         `json:"at"`
	Who      string            `json:"who,omitempty"`
	Note     string            `json:"note,omitempty"`
	Cleared  bool              `json:"cleared,omitempty"`
	Guide    *extract.Guide    `json:"guide,omitempty"` // not in lists
}

func versionJSON(v schemas.Version) schemaVersion {
	return schemaVersion{Number: v.Number, Tag: v.Scope.Tag, Name: v.Scope.Name, Document: v.Scope.Document, At: v.At, Who: v.Who, Note: v.Note, Cleared: v.Cleared}
}

// schemaFlags are the flags of the commands about schemas.
type schemaFlags struct {
	tag, name, document, note string
	asJSON                    bool
}

// schemaShell is the program while a command about schemas runs.
type schemaShell struct {
	*app
	schemaFlags
	ctx   context.Context
	args  []string
	scope schemas.Scope
}

func schemaCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var flags schemaFlags
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Set the labels, types and triples that guide how documents are read",
		Long: `Set the schema that guides extraction: labels, relation types, triples,
properties, instructions, examples. The library has one, and so may a tag
(--tag) and a document (--document), and some are kept under a name (--name), to
be chosen for documents; the narrowest one guides a document, alone.
A saved version guides the documents that are read from then on.
docs/schema.md describes the file.`,
		Example: `  clew schema use minutes
  clew schema edit
  clew schema export schema.yaml
  clew schema set schema.yaml --note "bridges are works"
  clew schema diff 1 2
  clew schema propose > draft.yaml
  clew schema try draft.yaml --saying "the piers"
  clew schema apply --dry`,
	}
	cmd.PersistentFlags().StringVar(&flags.tag, "tag", "", "the schema of the documents with this tag")
	cmd.PersistentFlags().StringVar(&flags.name, "name", "", "the schema that is kept under this name, to be chosen for documents")
	cmd.PersistentFlags().StringVar(&flags.document, "document", "", "the schema of one document, by its id or the name of its file")
	cmd.MarkFlagsMutuallyExclusive("tag", "name", "document")
	add := func(use, short, long string, args cobra.PositionalArgs, f func(schemaShell) error) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Long: long, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				scope, err := a.schemaScope(cmd.Context(), flags)
				if err != nil {
					return err
				}
				return f(schemaShell{a, flags, cmd.Context(), args, scope})
			})
		}}
		cmd.AddCommand(sub)
		return sub
	}
	prints := func(sub *cobra.Command) { jsonFlag(sub, &flags.asJSON, jsonObject) }
	lists := func(sub *cobra.Command) { jsonFlag(sub, &flags.asJSON, jsonArray) }
	saves := func(sub *cobra.Command) {
		prints(sub)
		sub.Flags().StringVar(&flags.note, "note", "", "why it changes, kept with the version")
	}
	prints(add("show [VERSION]", "Print the schema in force, or a version, as YAML", "", cobra.MaximumNArgs(1), schemaShell.show))
	add("export FILE", "Write the schema in force to a YAML file", "Write the schema in force to FILE as YAML, to standard output if FILE is -.", oneFile, schemaShell.export)
	saves(add("set FILE", "Save a YAML file as the next version", "Save the schema in FILE, or on standard input if FILE is -, as the next version.", oneFile, schemaShell.set))
	saves(add("edit", "Edit the schema in an editor, and save it as the next version", `Open the schema in force as YAML in the editor of the environment variable VISUAL
or EDITOR, or else in vi. What is saved there is checked: if it can't be read, it
opens again and says which line is wrong. Otherwise it becomes the next version.
Nothing changes if the text stays as it is or is emptied.`, cobra.NoArgs, schemaShell.edit))
	saves(add("allow KIND NAME…", "Allow what the schema drops, as the next version", `Allow what clew documents dropped lists, and save that as the next version:

  label NAME                 entities with a label
  type NAME                  relations of a type
  triple LABEL TYPE LABEL    a type between two labels
  property OF KEY            a property of a label or a type
  value OF KEY               any value of a property

clew schema apply then brings it back without a call of a model.`, cobra.MinimumNArgs(2), schemaShell.allow))
	lists(add("list", "List the versions, the latest first", "", cobra.NoArgs, schemaShell.list))
	lists(add("scopes", "List what has a schema: the library, tags, names, documents", "", cobra.NoArgs, schemaShell.scopes))
	lists(add("diff A B", "Print what changes from version A to version B", "", cobra.ExactArgs(2), schemaShell.diff))
	prints(add("restore VERSION", "Save an earlier version once more", "", cobra.ExactArgs(1), schemaShell.restore))
	saves(add("clear", "Read without this schema from now on", "Take the schema out of force: documents fall back to a wider one, or to none.\nIts versions stay.", cobra.NoArgs, schemaShell.clear))
	lists(add("templates", "List the schemas to start from", "", cobra.NoArgs, schemaShell.templates))
	saves(add("use TEMPLATE", "Save a template as the next version", "", cobra.ExactArgs(1), schemaShell.use))
	prints(add("propose", "Propose a schema from a sample of the library", `Print a schema that is proposed from a sample of the documents: by the model, or
without one by counting the labels and types that were found. Nothing is saved.`, cobra.NoArgs, schemaShell.propose))
	readingCommands(add, prints)
	return cmd
}

// readingCommands adds the commands that read by a schema.
func readingCommands(add func(use, short, long string, args cobra.PositionalArgs, f func(schemaShell) error) *cobra.Command, prints func(*cobra.Command)) {
	var trying tryFlags
	try := add("try FILE", "Try a schema on a few chunks, and say what reading again would cost", `Read a few chunks by the schema in FILE, or on standard input if FILE is -, and
print what would be in the graph beside what is there, and what would be dropped.
Then print what reading again would cost. Nothing is changed. The answers of a
model are recorded, so that reading the same chunks for good does not cost them
again. Without --chunks and --saying it takes a sample, always the same.`, oneFile, func(sh schemaShell) error { return sh.try(trying) })
	try.Flags().StringSliceVar(&trying.chunks, "chunks", nil, "ids of the chunks to try")
	try.Flags().StringVar(&trying.saying, "saying", "", "try chunks that say these words")
	prints(try)
	var applying applyFlags
	apply := add("apply", "Read again what the schemas in force change", `Print the bill, and read again each document that the schemas in force would
change. Of these, a model is asked only for the chunks that it may read
otherwise. The command shows how far it is and ends with the last document. If a
clew serve or clew work runs on the same stores, that one reads, and goes on with
it when this command is stopped.`, cobra.NoArgs, func(sh schemaShell) error { return sh.apply(applying) })
	apply.Flags().BoolVar(&applying.dry, "dry", false, "print the bill and queue nothing")
	apply.Flags().BoolVar(&applying.queue, "queue", false, "queue the documents and leave them to a clew serve or clew work")
	prints(apply)
}

// schemaScope returns what the flags name. The error is NotFound for an unknown
// document, and Invalid for a malformed tag.
func (a *app) schemaScope(ctx context.Context, f schemaFlags) (schemas.Scope, error) {
	if f.tag != "" {
		tags, err := domain.ParseTags(f.tag)
		if err == nil && len(tags) != 1 {
			err = domain.Errorf(domain.Invalid, "A schema is for one tag at a time.")
		}
		if err != nil {
			return schemas.Scope{}, err
		}
		return schemas.Scope{Tag: tags[0]}, nil
	}
	if f.name != "" {
		name, err := schemas.Name(f.name)
		return schemas.Scope{Name: name}, err
	}
	if f.document == "" {
		return schemas.Scope{}, nil
	}
	ids, err := a.documents.Find(ctx, domain.DefaultWorkspace, []string{f.document})
	if err != nil {
		return schemas.Scope{}, err
	}
	return schemas.Scope{Document: ids[0]}, nil
}

// number reads the number of a version.
func (sh schemaShell) number(arg string) (int64, error) {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n <= 0 {
		return 0, domain.Errorf(domain.Invalid, "%q is no version. clew schema list shows their numbers.", arg)
	}
	return n, nil
}

func (sh schemaShell) latest() (schemas.Version, error) {
	return sh.schemas.Latest(sh.ctx, domain.DefaultWorkspace, sh.scope)
}

// inForce returns the scope's schema, or a NotFound error.
func (sh schemaShell) inForce() (schemas.Version, error) {
	v, err := sh.latest()
	if err == nil && (v.Number == 0 || v.Cleared) {
		err = domain.Errorf(domain.NotFound, "There is no schema here. clew schema templates lists some to start from.")
	}
	return v, err
}

func (sh schemaShell) print(value any) error { return printJSON(sh.env.stdout, value) }

func (sh schemaShell) show() error {
	v, err := sh.inForce()
	if len(sh.args) == 1 {
		var n int64
		if n, err = sh.number(sh.args[0]); err == nil {
			v, err = sh.schemas.At(sh.ctx, domain.DefaultWorkspace, n)
		}
	}
	if err != nil {
		return err
	}
	if sh.asJSON {
		out := versionJSON(v)
		out.Guide = &v.Guide
		return sh.print(out)
	}
	return sh.write(v.Guide, sh.env.stdout)
}

func (sh schemaShell) write(g extract.Guide, w io.Writer) error {
	text, err := schemas.Write(g)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (sh schemaShell) export() error {
	v, err := sh.inForce()
	if err != nil {
		return err
	}
	return writeFile(sh.args[0], sh.env.stdout, func(w io.Writer) error { return sh.write(v.Guide, w) })
}

func (sh schemaShell) set() error {
	data, err := readFile(sh.args[0], sh.env.stdin, schemas.MaxYAML)
	if err != nil {
		return err
	}
	g, err := schemas.Read(data)
	if err != nil {
		return err
	}
	return sh.save(g, sh.note)
}

// oneFile checks that a command names one file.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return domain.Errorf(domain.Invalid, "Name one YAML file, or - for a pipe: clew schema %s schema.yaml. clew schema show prints a schema to begin with.", cmd.Name())
}

// chooseSchema returns the name under which a schema is kept that can be chosen for
// documents. A YAML file is kept under its own name.
func (a *app) chooseSchema(ctx context.Context, chosen string) (string, error) {
	ending := filepath.Ext(chosen)
	if ending != ".yaml" && ending != ".yml" {
		return a.schemas.Choose(ctx, domain.DefaultWorkspace, chosen, schemaOperator)
	}
	data, err := readFile(chosen, nil, schemas.MaxYAML)
	if err != nil {
		return "", err
	}
	g, err := schemas.Read(data)
	if err != nil {
		return "", err
	}
	name, err := schemas.Name(strings.TrimSuffix(filepath.Base(chosen), ending))
	if err != nil {
		return "", err
	}
	return name, a.schemas.Keep(ctx, domain.DefaultWorkspace, name, g, schemaOperator, "From "+filepath.Base(chosen))
}

// allow saves the schema with what it drops allowed.
func (sh schemaShell) allow() error {
	v, err := sh.inForce()
	if err != nil {
		return err
	}
	names := sh.args[1:]
	d := domain.Dropped{Code: domain.DropCode(sh.args[0])}
	switch d.Code {
	case domain.DropLabel:
		d.Label = strings.Join(names, " ")
	case domain.DropType:
		d.Type = strings.Join(names, " ")
	case domain.DropTriple:
		if len(names) == len(d.Lacks) {
			d.Lacks = [3]string(names)
		}
	case domain.DropProperty, domain.DropValue:
		d.Label, d.Property.Key = names[0], strings.Join(names[1:], " ")
	}
	g, said := schemas.Allow(v.Guide, d)
	if said == "" {
		return domain.Errorf(domain.Invalid, "The schema allows this already, or has no place for it. clew documents dropped says what it drops; clew schema allow --help, how to name it.")
	}
	note := sh.note
	if note == "" {
		note = "Allows " + said
	}
	return sh.save(g, domain.Cut(note, schemas.MaxNote))
}

// save saves a schema on top of the latest version.
func (sh schemaShell) save(g extract.Guide, note string) error {
	latest, err := sh.latest()
	if err != nil {
		return err
	}
	v, err := sh.schemas.Save(sh.ctx, domain.DefaultWorkspace, schemas.Draft{Scope: sh.scope, Base: latest.Number, Who: schemaOperator, Note: note, Guide: g})
	return sh.saved(v, err)
}

func (sh schemaShell) saved(v schemas.Version, err error) error {
	if err != nil {
		return err
	}
	if sh.asJSON {
		return sh.print(versionJSON(v))
	}
	fmt.Fprintf(sh.env.stdout, "Saved as version %d. It guides the documents that are read from now on.\nWhat it changes in the others: clew schema apply --dry\n", v.Number)
	return nil
}

func (sh schemaShell) list() error {
	all, err := sh.schemas.Versions(sh.ctx, domain.DefaultWorkspace, sh.scope, 0)
	if err != nil {
		return err
	}
	return sh.table(all)
}

func (sh schemaShell) scopes() error {
	all, err := sh.schemas.Scopes(sh.ctx, domain.DefaultWorkspace)
	if err != nil {
		return err
	}
	return sh.table(all)
}

func (sh schemaShell) table(all []schemas.Version) error {
	if sh.asJSON {
		list := make([]schemaVersion, len(all))
		for i, v := range all {
			list[i] = versionJSON(v)
		}
		return sh.print(list)
	}
	table := tabwriter.NewWriter(sh.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "VERSION\tOF\tSAVED\tBY\tNOTE")
	for _, v := range all {
		note := v.Note
		if v.Cleared {
			note = strings.TrimSpace("(no schema) " + note)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", v.Number, scopeName(v.Scope), format.Moment(v.At), v.Who, note)
	}
	return table.Flush()
}

func scopeName(s schemas.Scope) string {
	switch {
	case s.Document != "":
		return "document " + string(s.Document)
	case s.Name != "":
		return "name " + s.Name
	case s.Tag != "":
		return "tag " + s.Tag
	}
	return "library"
}

func (sh schemaShell) diff() error {
	var guides [2]extract.Guide
	for i, arg := range sh.args {
		n, err := sh.number(arg)
		if err != nil {
			return err
		}
		v, err := sh.schemas.At(sh.ctx, domain.DefaultWorkspace, n)
		if err != nil {
			return err
		}
		guides[i] = v.Guide
	}
	changes := schemas.Diff(guides[0], guides[1])
	if sh.asJSON {
		return sh.print(changes)
	}
	if len(changes) == 0 {
		fmt.Fprintln(sh.env.stdout, "They say the same.")
	}
	for _, c := range changes {
		sh.printChange(c)
	}
	return nil
}

func (sh schemaShell) printChange(c schemas.Change) {
	sign := map[schemas.Mark]string{schemas.Added: "+", schemas.Removed: "-", schemas.Changed: "~"}[c.Mark]
	fmt.Fprintf(sh.env.stdout, "%s %s %s\n", sign, c.Part, c.Name)
	if c.From != "" {
		fmt.Fprintf(sh.env.stdout, "    - %s\n", strings.ReplaceAll(c.From, "\n", "\n      "))
	}
	if c.To != "" {
		fmt.Fprintf(sh.env.stdout, "    + %s\n", strings.ReplaceAll(c.To, "\n", "\n      "))
	}
}

func (sh schemaShell) restore() error {
	n, err := sh.number(sh.args[0])
	if err != nil {
		return err
	}
	return sh.saved(sh.schemas.Restore(sh.ctx, domain.DefaultWorkspace, n, schemaOperator))
}

func (sh schemaShell) clear() error {
	latest, err := sh.latest()
	if err != nil {
		return err
	}
	v, err := sh.schemas.Clear(sh.ctx, domain.DefaultWorkspace, schemas.Draft{Scope: sh.scope, Base: latest.Number, Who: schemaOperator, Note: sh.note})
	if err != nil || sh.asJSON {
		return sh.saved(v, err)
	}
	fmt.Fprintf(sh.env.stdout, "Cleared with version %d.\n", v.Number)
	return nil
}

func (sh schemaShell) templates() error {
	if sh.asJSON {
		return sh.print(schemas.Templates())
	}
	table := tabwriter.NewWriter(sh.env.stdout, 0, 0, 2, ' ', 0)
	for _, t := range schemas.Templates() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", t.Name, t.Title, t.About)
	}
	return table.Flush()
}

func (sh schemaShell) use() error {
	t, err := schemas.FindTemplate(sh.args[0])
	if err != nil {
		return err
	}
	g, err := t.Guide()
	if err != nil {
		return err
	}
	note := sh.note
	if note == "" {
		note = "The template " + t.Title
	}
	return sh.save(g, note)
}

func (sh schemaShell) propose() error {
	p, err := sh.schemas.Propose(sh.ctx, domain.DefaultWorkspace)
	if err != nil {
		return err
	}
	if sh.asJSON {
		return sh.print(struct {
			Documents int           `json:"documents"`
			By        string        `json:"by,omitempty"`
			Guide     extract.Guide `json:"guide"`
		}{p.Documents, p.By, p.Guide})
	}
	return sh.write(p.Guide, sh.env.stdout)
}
