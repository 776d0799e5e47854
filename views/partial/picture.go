package partial

import (
	"cmp"
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// title names a picture by its caption or number, with the page.
func (p PictureItem) title(ctx context.Context) string {
	title := cmp.Or(p.Caption, lang.F(ctx, "Picture %d", p.Number))
	if title = domain.Cut(title, 120); p.Page > 0 {
		title += ", " + lang.F(ctx, "page %d", p.Page)
	}
	return title
}

func (p PictureItem) alt(ctx context.Context) string {
	if words := p.Says(); words != "" {
		return words
	}
	return p.title(ctx)
}

func (p PictureItem) enlarges(ctx context.Context) string {
	return lang.F(ctx, "Enlarge picture %d of %s", p.Number, p.Name)
}
