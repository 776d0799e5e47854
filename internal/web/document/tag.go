package document

import (
	"context"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Tag replaces the tags of a document by those of the form, which can be undone. It fails with kind NotFound for an
// unknown document and Invalid for a malformed tag.
func (h *Handler) Tag(c echo.Context) error {
	tags, err := domain.ParseTags(c.FormValue("tags"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	doc, listed, err := h.Library.Known(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	remove := slices.DeleteFunc(listed.Tags, func(tag string) bool { return slices.Contains(tags, tag) })
	entry, err := h.Curator.Tag(ctx, ledger.DocumentQuery{IDs: []domain.DocumentID{doc.ID}}, tags, remove)
	if err != nil {
		return err
	}
	if entry.Seq > 0 && !respond.Fragment(c) {
		return respond.SeeOther(c, link.Changed(link.Document(doc.ID), entry.Seq))
	}
	return h.changed(c, doc.ID)
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
