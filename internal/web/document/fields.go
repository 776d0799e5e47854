package document

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// tagger returns the service that changes tags and fields of documents.
func (h *Handler) tagger() documents.Tagger {
	return documents.Tagger{Service: h.Library, Curator: h.Curator}
}

// Fields serves the page of the fields of documents.
func (h *Handler) Fields(c echo.Context) error { return h.fields(c, http.StatusOK, page.FieldsProps{}) }

// mostProperties is how many properties of files the page offers.
const mostProperties = 12

func (h *Handler) fields(c echo.Context, status int, p page.FieldsProps) error {
	ctx := c.Request().Context()
	var err error
	if p.App, err = h.Frame.App(c, layout.Fields, "Fields"); err != nil {
		return err
	}
	if p.App.Toast, err = present.Changed(c, h.Curator, link.Fields); err != nil {
		return err
	}
	if p.Fields, err = documents.ListFields.Do(h.tagger(), ctx, documents.Picking{}); err != nil {
		return err
	}
	found, err := documents.ListProperties.Do(h.tagger(), ctx, struct{}{})
	if err != nil {
		return err
	}
	p.Found = slices.DeleteFunc(found, func(f ledger.PropertyCount) bool {
		return slices.ContainsFunc(p.Fields, func(has documents.ListedField) bool { return has.FromProperty() == f.Name })
	})
	p.Found = p.Found[:min(len(p.Found), mostProperties)]
	return respond.HTML(c, status, page.FieldsPage(p))
}

// FieldChanged returns to the page of the fields, or shows it with the reason why a definition was refused.
func (h *Handler) FieldChanged(c echo.Context, changed documents.ChangedField, refused error) error {
	if refused == nil {
		return respond.SeeOther(c, link.Changed(link.Fields, changed.Change))
	}
	problem := respond.Refusal(c, refused)
	wanted := documents.Defining{
		Name: c.FormValue("name"), Kind: c.FormValue("kind"), Choices: []string{c.FormValue("choices")}, Property: c.FormValue("property"),
		FromText: c.FormValue("from_text") != "", InList: c.FormValue("in_list") != "",
	}
	return h.fields(c, problem.Status, page.FieldsProps{Problem: problem.Message, Wanted: wanted})
}

// ColumnsChosen returns to the list of documents.
func ColumnsChosen(c echo.Context, _ documents.Columns) error {
	return respond.SeeOther(c, link.Documents)
}

// AlterField alters a field by a form, in which everything is given.
func (h *Handler) AlterField(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	in := documents.Altering{Name: new(form.Get("name")), Property: new(form.Get("property")), FromText: new(form.Has("from_text")), InList: new(form.Has("in_list"))}
	in.Field = c.Param("id")
	if form.Has("choices") {
		in.Choices = new(form.Get("choices"))
	}
	changed, err := documents.AlterField.Do(h.tagger(), c.Request().Context(), in)
	if err != nil {
		return err
	}
	if changed.Change == 0 {
		return respond.SeeOther(c, link.Fields)
	}
	return respond.SeeOther(c, link.Changed(link.Fields, changed.Change))
}

// ImportValues shows what a CSV file would set, or sets what was looked at.
func (h *Handler) ImportValues(c echo.Context) error {
	p := page.FieldsProps{CSV: c.FormValue("csv"), Column: c.FormValue("column")}
	ctx := c.Request().Context()
	list := func() (err error) {
		if p.CSV != "" {
			set, err := documents.ImportValues.Do(h.tagger(), ctx, documents.Listing{CSV: p.CSV, Column: p.Column})
			return respond.After(c, err, link.Changed(link.Fields, set.Change))
		}
		if p.CSV, err = fileOf(c); err != nil {
			return err
		}
		read, err := documents.PreviewValues.Do(h.tagger(), ctx, documents.Listing{CSV: p.CSV, Column: p.Column})
		if err != nil {
			return err
		}
		p.List = &read
		return h.fields(c, http.StatusOK, p)
	}
	err := list()
	if kind := domain.KindOf(err); err != nil && (kind == domain.Invalid || kind == domain.TooLarge) {
		problem := respond.Refusal(c, err)
		return h.fields(c, problem.Status, page.FieldsProps{ListProblem: problem.Message, Column: p.Column})
	}
	return err
}

// fileOf returns the text of the file of a form.
func fileOf(c echo.Context) (string, error) {
	file, err := c.FormFile("file")
	if err != nil {
		return "", domain.Because(domain.Invalid, err, "Choose a CSV file first.")
	}
	f, err := file.Open()
	if err != nil {
		return "", fmt.Errorf("open an uploaded list: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return "", fmt.Errorf("read an uploaded list: %w", err)
	}
	return string(text), nil
}

// ExportValues serves the fields of all documents as CSV.
func (h *Handler) ExportValues(c echo.Context) error {
	made, err := documents.ExportValues.Do(h.tagger(), c.Request().Context(), documents.Picking{})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="fields.csv"`)
	c.Response().Header().Set(echo.HeaderContentType, made.Type)
	return made.Write(c.Response())
}

// SetFields sets the fields of a document that a form gives other values, by hand.
func (h *Handler) SetFields(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	doc, _, err := h.Library.Known(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	rows, err := h.fieldRows(ctx, doc)
	if err != nil {
		return err
	}
	var values []string
	for _, r := range rows {
		name := "field-" + string(r.ID)
		if value := domain.OneLine(form.Get(name)); form.Has(name) && value != r.Value && form.Get("forget") == "" {
			values = append(values, string(r.ID)+"="+value)
		}
	}
	if len(values) == 0 && form.Get("forget") == "" {
		return respond.SeeOther(c, link.Document(doc.ID)+"#fields")
	}
	set, err := h.tagger().SetByHand(ctx, ledger.DocumentQuery{IDs: []domain.DocumentID{doc.ID}}, values, slices.DeleteFunc(form["forget"], func(id string) bool { return id == "" }))
	if err != nil {
		return err
	}
	if set.Change == 0 {
		return respond.SeeOther(c, link.Document(doc.ID)+"#fields")
	}
	return respond.SeeOther(c, link.Changed(link.Document(doc.ID), set.Change))
}

// fieldRows returns the fields with their values in a document.
func (h *Handler) fieldRows(ctx context.Context, d domain.Document) ([]page.FieldRow, error) {
	fields, err := h.Library.Fields(ctx, d.Workspace)
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	values, err := h.Library.ValuesOf(ctx, d.Workspace, []domain.Document{d})
	rows := make([]page.FieldRow, len(fields))
	for i, f := range fields {
		rows[i].Field = f
		for _, v := range values[d.ID] {
			if v.Field != f.ID {
				continue
			}
			rows[i].Value, rows[i].Origin = strings.Join(v.Values, ", "), v.Origin
			if !v.Span.Empty() {
				rows[i].Source = link.Passage(d.ID, v.Span)
			}
		}
	}
	return rows, err
}

// listFields adds the fields to a list, and the facets that narrow it.
func (h *Handler) listFields(ctx context.Context, w domain.WorkspaceID, f domain.DocumentFilter, holding []domain.DocumentID, p *page.DocumentsProps) (err error) {
	if p.Fields, err = h.Library.ShownFields(ctx, w); err != nil || len(p.Fields) == 0 {
		return err
	}
	counts, err := h.Library.Facets(ctx, w, f, holding)
	p.Facets = page.Facets(f, p.Fields, counts)
	return err
}

// shownValues returns the values of documents in the fields that the list shows, as terms that select them.
func (h *Handler) shownValues(ctx context.Context, w domain.WorkspaceID, docs []domain.Document, fields []domain.Field) (map[domain.DocumentID][]domain.FieldTerm, error) {
	if !slices.ContainsFunc(fields, func(f domain.Field) bool { return f.InList }) {
		return nil, nil
	}
	values, err := h.Library.ValuesOf(ctx, w, docs)
	shown := map[domain.DocumentID][]domain.FieldTerm{}
	for id, list := range values {
		for _, v := range list {
			if !slices.ContainsFunc(fields, func(f domain.Field) bool { return f.InList && f.ID == v.Field }) {
				continue
			}
			for _, value := range v.Values {
				shown[id] = append(shown[id], domain.FieldTerm{Field: v.Field, Name: v.Name, Op: "=", Value: value})
			}
		}
	}
	return shown, err
}

// setChosen sets a field of chosen documents by a form.
func (h *Handler) setChosen(ctx context.Context, q ledger.DocumentQuery, of, value string, forget bool) (documents.Changed, error) {
	if forget {
		return h.tagger().SetByHand(ctx, q, nil, []string{of})
	}
	return h.tagger().SetByHand(ctx, q, []string{of + "=" + value}, nil)
}
