package document

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/page"
)

// Tag replaces a document's tags with the tags of the form. It fails with kind
// NotFound for an unknown document and Invalid for a malformed tag.
func (h *Handler) Tag(c echo.Context) error {
	tags, err := domain.ParseTags(c.FormValue("tags"))
	if err != nil {
		return err
	}
	id := domain.DocumentID(c.Param("id"))
	if err := h.Ledger.SetTags(c.Request().Context(), request.Workspace(c), id, tags); err != nil {
		return err
	}
	return h.changed(c, id)
}

// tags returns all tags with the number of their documents.
func (h *Handler) tags(ctx context.Context, w domain.WorkspaceID) ([]page.TagCount, error) {
	all, err := h.Ledger.Tags(ctx, w)
	var tags []page.TagCount
	for _, t := range all {
		tags = append(tags, page.TagCount(t))
	}
	return tags, err
}
