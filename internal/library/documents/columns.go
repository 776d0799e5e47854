package documents

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// ShownFields lists the fields of a workspace's documents by name. In the list are those that the person has chosen, if any.
func (s *Service) ShownFields(ctx context.Context, w domain.WorkspaceID) ([]domain.Field, error) {
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	chosen, _, err := ledger.SettingOf[[]domain.FieldID](ctx, s.Ledger.SettingStore, w, ledger.ColumnsOf(domain.PersonOf(ctx)))
	for i, f := range fields {
		fields[i].InList = chosen == nil && f.InList || slices.Contains(chosen, f.ID)
	}
	return fields, err
}

// Choosing selects the fields that are columns of the list of documents, for the requesting person.
type Choosing struct {
	Fields []string `json:"fields" arg:"[FIELD...]" whole:"" doc:"names or ids of the fields; without any, no field is a column"`
	Usual  bool     `json:"usual" doc:"show those that the fields themselves say again"`
}

// Columns are the fields that are columns of the list of documents.
type Columns struct {
	Fields []string `json:"fields"`
}

func (c Columns) String() string {
	if len(c.Fields) == 0 {
		return "No field is a column of your list of documents."
	}
	return "The columns of your list of documents: " + strings.Join(c.Fields, ", ") + "."
}

// ChooseColumns chooses the columns of a person's list of documents.
var ChooseColumns = operation.Op[Tagger, Choosing, Columns]{
	Name: "fields columns", Short: "Choose which fields your list of documents shows", Scope: operation.Read, Routes: []string{"PUT /fields/columns"}, Example: "  clew fields columns status year\n  clew fields columns --usual",
	Trail: operation.Trail{Never: "it changes what one person's pages show"},
	Long: `Choose which fields are columns of the list of documents on your pages. It is kept with your
account; where there are no accounts, it holds for everybody.`,
	Do: func(t Tagger, ctx context.Context, in Choosing) (Columns, error) {
		w := domain.WorkspaceOf(ctx)
		fields, err := t.Ledger.Fields(ctx, w)
		if err != nil {
			return Columns{}, err
		}
		chosen := []domain.FieldID{}
		for _, name := range in.Fields {
			f, err := domain.FieldNamed(fields, name)
			if err != nil {
				return Columns{}, err
			}
			chosen = append(chosen, f.ID)
		}
		if in.Usual {
			chosen = nil
		}
		text, err := json.Marshal(chosen)
		if err != nil {
			return Columns{}, err
		}
		if err := t.Ledger.SetSetting(ctx, w, ledger.ColumnsOf(domain.PersonOf(ctx)), string(text)); err != nil {
			return Columns{}, err
		}
		c := Columns{Fields: []string{}}
		fields, err = t.ShownFields(ctx, w)
		for _, f := range fields {
			if f.InList {
				c.Fields = append(c.Fields, f.Name)
			}
		}
		return c, err
	},
}
