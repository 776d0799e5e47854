package schemas

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
)

// A Desk is where people work on schemas.
type Desk struct {
	*Service
	Documents interface {
		Find(ctx context.Context, w domain.WorkspaceID, names []string) ([]domain.DocumentID, error)
		Choose(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, schema string) error
	}
}

// Of names the scope of a schema: the library unless one field is set.
type Of struct {
	Tag      string `json:"tag" xor:"of" doc:"the schema of the documents with this tag"`
	Name     string `json:"name" xor:"of" doc:"the schema saved under this name, which can be chosen for documents"`
	Document string `json:"document" xor:"of" doc:"the schema of one document, by its id or file name"`
}

// Scope returns the scope that the fields name. The error is NotFound for an unknown document, and Invalid for a
// malformed tag.
func (d Desk) Scope(ctx context.Context, of Of) (Scope, error) {
	switch {
	case of.Tag != "":
		tags, err := domain.ParseTags(of.Tag)
		if err == nil && len(tags) != 1 {
			err = domain.Errorf(domain.Invalid, "Choose the schema of a single tag.")
		}
		if err != nil {
			return Scope{}, err
		}
		return Scope{Tag: tags[0]}, nil
	case of.Name != "":
		name, err := Name(of.Name)
		return Scope{Name: name}, err
	case of.Document == "":
		return Scope{}, nil
	}
	ids, err := d.Documents.Find(ctx, domain.WorkspaceOf(ctx), []string{of.Document})
	if err != nil {
		return Scope{}, err
	}
	return Scope{Document: ids[0]}, nil
}

// InForceOf returns the schema of a scope, or a NotFound error if it has none.
func (d Desk) InForceOf(ctx context.Context, of Of) (Version, error) {
	scope, err := d.Scope(ctx, of)
	if err != nil {
		return Version{}, err
	}
	v, err := d.Latest(ctx, domain.WorkspaceOf(ctx), scope)
	if err == nil && (v.Number == 0 || v.Cleared) {
		err = domain.Errorf(domain.NotFound, "There is no schema here. clew schema templates lists some to start from.")
	}
	return v, err
}

// Kept is a version of a schema.
type Kept struct {
	Number   int64             `json:"number" trail:""`
	Tag      string            `json:"tag,omitempty"`
	Name     string            `json:"name,omitempty"`
	Document domain.DocumentID `json:"document,omitempty"`
	At       time.Time         `json:"at"`
	Who      string            `json:"who,omitempty"`
	Note     string            `json:"note,omitempty"`
	Cleared  bool              `json:"cleared,omitempty"`
	Guide    *extract.Guide    `json:"guide,omitempty"` // not in lists
}

// KeptOf returns a version without its guide.
func KeptOf(v Version) Kept {
	return Kept{Number: v.Number, Tag: v.Scope.Tag, Name: v.Scope.Name, Document: v.Scope.Document, At: v.At, Who: v.Who, Note: v.Note, Cleared: v.Cleared}
}

func (k Kept) String() string {
	if k.Cleared {
		return fmt.Sprintf("Cleared with version %d.", k.Number)
	}
	return fmt.Sprintf("Saved as version %d. It guides the documents that are read from now on.\nWhat it changes in the others: clew schema apply --dry", k.Number)
}

// ScopeName names the scope of a schema.
func ScopeName(s Scope) string {
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

type noting struct {
	Of
	Note string `json:"note" doc:"why it changes; stored with the version"`
}

type oneVersion struct {
	Of
	Version int64 `json:"version" arg:"VERSION" wrong:"There is no version %q. clew schema list shows the numbers." doc:"number of a version"`
}

type anyVersion struct {
	Of
	Version int64 `json:"version" arg:"[VERSION]" wrong:"There is no version %q. clew schema list shows the numbers." doc:"number of a version"`
}

type setting struct {
	YAML string `json:"yaml" arg:"FILE" file:"1048576" missing:"Name one YAML file, or - for a pipe: clew schema set schema.yaml. clew schema show prints a schema to start with." doc:"text of the schema"`
	Base *int64 `json:"base" doc:"number of the version that it is made from, 0 for none: it is refused if another was saved since"`
	noting
}

type allowing struct {
	Kind  domain.DropCode `json:"kind" arg:"KIND" doc:"label, type, triple, property or value"`
	Names []string        `json:"names" arg:"NAME…" doc:"what is allowed: a label, a type, or the words of a triple, a property or a value"`
	noting
}

type using struct {
	Template string `json:"template" arg:"TEMPLATE" trail:"" doc:"name of a template"`
	noting
}

type comparing struct {
	Of
	A int64 `json:"a" arg:"A" wrong:"There is no version %q. clew schema list shows the numbers." doc:"number of a version"`
	B int64 `json:"b" arg:"B" wrong:"There is no version %q. clew schema list shows the numbers." doc:"version to compare with"`
}

// Proposed is a schema made from a sample of the library.
type Proposed struct {
	Documents int           `json:"documents"`
	By        string        `json:"by,omitempty"`
	Guide     extract.Guide `json:"guide"`
}

// table prints versions.
var table = operation.Table("VERSION\tOF\tSAVED\tBY\tNOTE", "", func(k Kept) []any {
	note := k.Note
	if k.Cleared {
		note = strings.TrimSpace("(no schema) " + note)
	}
	return []any{k.Number, ScopeName(Scope{Tag: k.Tag, Name: k.Name, Document: k.Document}), format.Moment(k.At), k.Who, note}
})

// Operations returns the operations on schemas.
func Operations() []operation.Operation[Desk] {
	return append(append(looking(), choosing()...), []operation.Operation[Desk]{
		operation.Op[Desk, setting, Kept]{
			Name: "schema set", Short: "Save a YAML file as the next version", Scope: operation.WriteSchema, Routes: []string{"PUT /schema"},
			Long: "Save the schema in FILE, or on standard input if FILE is -, as the next version.",
			Do:   Desk.set,
		},
		operation.Op[Desk, allowing, Kept]{
			Name: "schema allow", Short: "Allow what the schema drops, as the next version", Scope: operation.WriteSchema, Routes: []string{"POST /schema/allow"},
			Long: `Allow what clew documents dropped lists, and save that as the next version:

  label NAME                 entities with a label
  type NAME                  relations of a type
  triple LABEL TYPE LABEL    a type between two labels
  property OF KEY            a property of a label or a type
  value OF KEY               any value of a property

clew schema apply then brings it back without a call of a model.`,
			Do: Desk.allow,
		},
		operation.Op[Desk, oneVersion, Kept]{
			Name: "schema restore", Short: "Save an earlier version once more", Scope: operation.WriteSchema, Routes: []string{"POST /schema/versions/{version}/restore"},
			Do: func(d Desk, ctx context.Context, in oneVersion) (Kept, error) {
				v, err := d.Restore(ctx, domain.WorkspaceOf(ctx), in.Version, domain.PersonOf(ctx))
				return KeptOf(v), err
			},
		},
		operation.Op[Desk, noting, Kept]{
			Name: "schema clear", Short: "Read without this schema from now on", Scope: operation.WriteSchema, Routes: []string{"DELETE /schema"},
			Long: "Stop using the schema: documents fall back to a wider one, or to none.\nIts versions stay.",
			Do: func(d Desk, ctx context.Context, in noting) (Kept, error) {
				draft, err := d.draft(ctx, in)
				if err != nil {
					return Kept{}, err
				}
				v, err := d.Clear(ctx, domain.WorkspaceOf(ctx), draft)
				return KeptOf(v), err
			},
		},
		operation.Op[Desk, using, Kept]{
			Name: "schema use", Short: "Save a template as the next version", Scope: operation.WriteSchema, Routes: []string{"POST /schema/use"},
			Do: func(d Desk, ctx context.Context, in using) (Kept, error) {
				t, err := FindTemplate(in.Template)
				if err != nil {
					return Kept{}, err
				}
				g, err := t.Guide()
				if err != nil {
					return Kept{}, err
				}
				return d.saved(ctx, in.noting, g, "The template "+t.Title)
			},
		},
		operation.Op[Desk, struct{}, Proposed]{
			Name: "schema propose", Short: "Propose a schema from a sample of the library", Scope: operation.Read, Routes: []string{"POST /schemas/propose"},
			Long: `Print a schema that is proposed from a sample of the documents: by the model, or
without one by counting the labels and types that were found. Nothing is saved.`,
			Do: func(d Desk, ctx context.Context, _ struct{}) (Proposed, error) {
				p, err := d.Propose(ctx, domain.WorkspaceOf(ctx))
				return Proposed{p.Documents, p.By, p.Guide}, err
			},
			Text: func(w io.Writer, p Proposed) error { return printYAML(w, p.Guide) },
		},
	}...)
}

// looking are the operations that look at what is kept.
func looking() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		operation.Op[Desk, struct{}, []Template]{
			Name: "schema templates", Short: "List the schemas to start from", Scope: operation.Read, Routes: []string{"GET /schemas/templates"},
			Do:   func(Desk, context.Context, struct{}) ([]Template, error) { return Templates(), nil },
			Text: operation.Table("", "", func(t Template) []any { return []any{t.Name, t.Title, t.About} }),
		},
		operation.Op[Desk, anyVersion, Kept]{
			Name: "schema show", Short: "Print the schema in force, or a version, as YAML", Scope: operation.Read, Routes: []string{"GET /schema", "GET /schema/versions/{version}"},
			Do:   Desk.show,
			Text: func(w io.Writer, k Kept) error { return printYAML(w, *k.Guide) },
		},
		operation.Op[Desk, Of, []Kept]{
			Name: "schema list", Short: "List the versions, the latest first", Scope: operation.Read, Routes: []string{"GET /schema/versions"}, Text: table,
			Do: func(d Desk, ctx context.Context, in Of) ([]Kept, error) {
				scope, err := d.Scope(ctx, in)
				if err != nil {
					return nil, err
				}
				return listed(d.Versions(ctx, domain.WorkspaceOf(ctx), scope, 0))
			},
		},
		operation.Op[Desk, struct{}, []Kept]{
			Name: "schema scopes", Short: "List what has a schema: the library, tags, names, documents", Scope: operation.Read, Routes: []string{"GET /schemas"}, Text: table,
			Do: func(d Desk, ctx context.Context, _ struct{}) ([]Kept, error) {
				return listed(d.Scopes(ctx, domain.WorkspaceOf(ctx)))
			},
		},
		operation.Op[Desk, Of, []extract.FieldRule]{
			Name: "schema fields", Short: "List the document fields of the schema in use", Scope: operation.Read, Routes: []string{"GET /schema/fields"},
			Long: `List the document fields of the schema in use. Reading fills them in from lines that state
them, such as Status: final, and by the model that reads documents where none does.
They are a part of the schema: clew schema edit adds some.`,
			Do: func(d Desk, ctx context.Context, in Of) ([]extract.FieldRule, error) {
				scope, err := d.Scope(ctx, in)
				if err != nil {
					return nil, err
				}
				v, err := d.Latest(ctx, domain.WorkspaceOf(ctx), scope)
				return append([]extract.FieldRule{}, v.Guide.Fields...), err
			},
			Text: operation.Table("FIELD\tTYPE\tCHOICES\tOTHER NAMES\tMEANING", "The schema asks documents for no fields: clew schema edit.", func(r extract.FieldRule) []any {
				return []any{r.Name, cmp.Or(r.Type, extract.Text), strings.Join(r.Choices, ", "), strings.Join(r.Synonyms, ", "), domain.Cut(domain.OneLine(r.Description), 60)}
			}),
		},
		operation.Op[Desk, comparing, []Change]{
			Name: "schema diff", Short: "Print what changes from version A to version B", Scope: operation.Read, Routes: []string{"GET /schema/diff"},
			Do: Desk.diff, Text: printChanges,
		},
	}
}

func printYAML(w io.Writer, g extract.Guide) error {
	text, err := Write(g)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (d Desk) show(ctx context.Context, in anyVersion) (Kept, error) {
	var v Version
	var err error
	if in.Version != 0 {
		v, err = d.At(ctx, domain.WorkspaceOf(ctx), in.Version)
	} else {
		v, err = d.InForceOf(ctx, in.Of)
	}
	if err != nil {
		return Kept{}, err
	}
	k := KeptOf(v)
	k.Guide = &v.Guide
	return k, nil
}

// draft returns a draft on top of the latest version.
func (d Desk) draft(ctx context.Context, in noting) (Draft, error) {
	scope, err := d.Scope(ctx, in.Of)
	if err != nil {
		return Draft{}, err
	}
	latest, err := d.Latest(ctx, domain.WorkspaceOf(ctx), scope)
	return Draft{Scope: scope, Base: latest.Number, Who: domain.PersonOf(ctx), Note: in.Note}, err
}

// saved saves a schema on top of the latest version, with a note if there is none.
func (d Desk) saved(ctx context.Context, in noting, g extract.Guide, note string) (Kept, error) {
	in.Note = cmp.Or(in.Note, note)
	draft, err := d.draft(ctx, in)
	if err != nil {
		return Kept{}, err
	}
	return d.save(ctx, draft, g)
}

func (d Desk) set(ctx context.Context, in setting) (Kept, error) {
	g, err := Read([]byte(in.YAML))
	if err != nil {
		return Kept{}, err
	}
	draft, err := d.draft(ctx, in.noting)
	if err != nil {
		return Kept{}, err
	}
	if in.Base != nil {
		draft.Base = *in.Base
	}
	return d.save(ctx, draft, g)
}

func (d Desk) save(ctx context.Context, draft Draft, g extract.Guide) (Kept, error) {
	draft.Guide = g
	v, err := d.Save(ctx, domain.WorkspaceOf(ctx), draft)
	if err != nil {
		return Kept{}, err
	}
	return KeptOf(v), nil
}

func (d Desk) allow(ctx context.Context, in allowing) (Kept, error) {
	v, err := d.InForceOf(ctx, in.Of)
	if err != nil {
		return Kept{}, err
	}
	drop := domain.Dropped{Code: in.Kind}
	switch drop.Code {
	case domain.DropLabel:
		drop.Label = strings.Join(in.Names, " ")
	case domain.DropType:
		drop.Type = strings.Join(in.Names, " ")
	case domain.DropTriple:
		if len(in.Names) == len(drop.Lacks) {
			drop.Lacks = [3]string(in.Names)
		}
	case domain.DropProperty, domain.DropValue:
		drop.Label, drop.Property.Key = in.Names[0], strings.Join(in.Names[1:], " ")
	}
	g, said := Allow(v.Guide, drop)
	if said == "" {
		return Kept{}, domain.Errorf(domain.Invalid, "The schema already allows this, or has no place for it. clew documents dropped shows what it drops; clew schema allow --help explains how to name it.")
	}
	in.Note = domain.Cut(cmp.Or(in.Note, "Allows "+said), MaxNote)
	return d.saved(ctx, in.noting, g, "")
}

func listed(all []Version, err error) ([]Kept, error) {
	return lists.Map(all, KeptOf), err
}

func (d Desk) diff(ctx context.Context, in comparing) ([]Change, error) {
	var guides [2]extract.Guide
	for i, n := range []int64{in.A, in.B} {
		v, err := d.At(ctx, domain.WorkspaceOf(ctx), n)
		if err != nil {
			return nil, err
		}
		guides[i] = v.Guide
	}
	return Diff(guides[0], guides[1]), nil
}

func printChanges(w io.Writer, changes []Change) error {
	if len(changes) == 0 {
		fmt.Fprintln(w, "The two versions are the same.")
	}
	for _, c := range changes {
		fmt.Fprintf(w, "%s %s %s\n", map[Mark]string{Added: "+", Removed: "-", Changed: "~"}[c.Mark], c.Part, c.Name)
		if c.From != "" {
			fmt.Fprintf(w, "    - %s\n", strings.ReplaceAll(c.From, "\n", "\n      "))
		}
		if c.To != "" {
			fmt.Fprintf(w, "    + %s\n", strings.ReplaceAll(c.To, "\n", "\n      "))
		}
	}
	return nil
}
