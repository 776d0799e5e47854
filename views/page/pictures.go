package page

import (
	"cmp"
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// PicturesProps is the data for the pictures of a document.
type PicturesProps struct {
	App layout.Props
	documents.Pictures
	Large int // number of the picture shown in full; 0 for all of them
}

// titleOf names a picture: by its caption, or else by its number.
func titleOf(ctx context.Context, p documents.Picture) string {
	return cmp.Or(p.Caption, lang.F(ctx, "Picture %d", p.Number))
}

// whereOf describes the place of a picture.
func whereOf(ctx context.Context, p documents.Picture) string {
	if p.Place != "" {
		return p.Place
	}
	if p.Page > 0 {
		return lang.F(ctx, "Page %d", p.Page)
	}
	return lang.T(ctx, "In the text")
}

// altOf is the alternative text of a picture.
func altOf(ctx context.Context, p domain.Picture) string {
	if words := p.Says(); words != "" {
		return words
	}
	return lang.F(ctx, "Picture %d", p.Number)
}
