package schemas

import (
	"context"
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

type exporting struct {
	File string `json:"file" arg:"FILE" default:"schema.yaml" missing:"Name one YAML file, or - for a pipe: clew schema export schema.yaml. clew schema show prints a schema to begin with." doc:"name of the file"`
	Of
}

// Choosing selects the schema that guides a document.
type Choosing struct {
	Document string `json:"document" arg:"DOCUMENT" doc:"name or id of a document, or the end of its name after a slash"`
	Schema   string `json:"schema" arg:"[NAME]" doc:"name under which a schema is kept, or that of a template"`
	Library  bool   `json:"library" doc:"let the tags of the document and the library decide"`
}

type guidedDocument struct {
	Document string `json:"document" arg:"DOCUMENT" doc:"name or id of a document, or the end of its name after a slash"`
}

// Guided lists the schemas by which a document is read.
type Guided struct {
	ID   domain.DocumentID `json:"id"`
	Name string            `json:"document"`
	By   Kept              `json:"read_with"` // 0 if there is none
	Next Kept              `json:"next"`      // to be used when it is read again
}

// choosing are the operations that write a schema to a file, or choose one for a document.
func choosing() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		operation.Op[Desk, exporting, operation.Made]{
			Name: "schema export", Short: "Write the schema in use to a YAML file", Scope: operation.Read, Routes: []string{"GET /schema/yaml"},
			Long: "Write the schema in use to FILE as YAML, to standard output if FILE is -.",
			Do: func(d Desk, ctx context.Context, in exporting) (operation.Made, error) {
				v, err := d.InForceOf(ctx, in.Of)
				if err != nil {
					return operation.Made{}, err
				}
				text, err := Write(v.Guide)
				return operation.Made{Name: in.File, Type: "application/yaml", Write: func(w io.Writer) error {
					_, err := w.Write(text)
					return err
				}}, err
			},
		},
		operation.Op[Desk, Choosing, Guided]{
			Name: "documents schema", Short: "Choose the schema that guides a document", Scope: operation.WriteDocuments, Routes: []string{"PUT /documents/{document}/schema"}, Own: true,
			Do: Desk.Guide,
		},
		operation.Op[Desk, guidedDocument, Guided]{
			Name: "documents guided", Short: "Say which schema guides a document", Scope: operation.Read, Routes: []string{"GET /documents/{document}/schema"},
			Do: func(d Desk, ctx context.Context, in guidedDocument) (Guided, error) {
				return d.guided(ctx, in.Document)
			},
			Text: PrintGuided,
		},
	}
}

// Guide chooses the schema that guides a document, unless none is named, and returns what guides it then.
func (d Desk) Guide(ctx context.Context, in Choosing) (Guided, error) {
	if in.Library && in.Schema != "" {
		return Guided{}, domain.Errorf(domain.Invalid, "Choose a schema or --library, not both.")
	}
	if in.Library || in.Schema != "" {
		w := domain.WorkspaceOf(ctx)
		ids, err := d.Documents.Find(ctx, w, []string{in.Document})
		if err != nil {
			return Guided{}, err
		}
		if in.Schema != "" {
			if in.Schema, err = d.Choose(ctx, w, in.Schema, domain.PersonOf(ctx)); err != nil {
				return Guided{}, err
			}
		}
		if err := d.Documents.Choose(ctx, w, ids[0], in.Schema); err != nil {
			return Guided{}, err
		}
	}
	return d.guided(ctx, in.Document)
}

func (d Desk) guided(ctx context.Context, name string) (g Guided, err error) {
	w := domain.WorkspaceOf(ctx)
	ids, err := d.Documents.Find(ctx, w, []string{name})
	if err != nil {
		return g, err
	}
	doc, err := d.Ledger.Document(ctx, w, ids[0])
	if err != nil {
		return g, err
	}
	by, err := d.At(ctx, w, doc.Schema)
	if err != nil {
		return g, err
	}
	next, err := d.For(ctx, w, doc.ID)
	return Guided{doc.ID, doc.Name, KeptOf(by), KeptOf(next)}, err
}

// PrintGuided prints which schema a document was read with, and which one is next.
func PrintGuided(w io.Writer, g Guided) error {
	fmt.Fprintf(w, "%s was read with %s.\n", g.Name, g.By.of())
	if g.By.Number != g.Next.Number {
		fmt.Fprintf(w, "When it is read again: %s. clew schema apply does that.\n", g.Next.of())
	}
	return nil
}

// of names the version and what it is of.
func (k Kept) of() string {
	if k.Number == 0 {
		return "no schema"
	}
	return fmt.Sprintf("version %d, of %s", k.Number, ScopeName(Scope{Tag: k.Tag, Name: k.Name, Document: k.Document}))
}
