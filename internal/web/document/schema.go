package document

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// choices lists the schemas to choose from for documents.
func (h *Handler) choices(ctx context.Context, w domain.WorkspaceID) ([]partial.SchemaChoice, error) {
	all, err := h.Schemas.Choices(ctx, w)
	choices := make([]partial.SchemaChoice, len(all))
	for i, c := range all {
		choices[i] = partial.SchemaChoice{Name: c.Name, Title: c.Name}
		if c.Title != "" {
			choices[i].Title = lang.F(ctx, "%s (template)", c.Title)
		}
	}
	return choices, err
}

// Guide chooses the schema that guides a document's next readings.
// It fails with kind NotFound for an unknown document or schema.
func (h *Handler) Guide(c echo.Context) error {
	schema, err := h.chosen(c, c.FormValue(schemaField))
	if err != nil {
		return err
	}
	id := domain.DocumentID(c.Param("id"))
	return respond.After(c, h.Library.Choose(c.Request().Context(), request.Workspace(c), id, schema), link.Document(id))
}
