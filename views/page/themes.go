package page

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// ThemesProps is the data for the page about the library's themes.
type ThemesProps struct {
	App     layout.Props
	Themes  []ThemeItem // those mentioned in most passages first
	Problem string      // why there are none; may be ""
}

// A ThemeItem is one theme.
type ThemeItem struct {
	Names              []string
	Members, Documents int
	URL                string // of the graph around it
	Research           string // form for researching it
	Summed             bool   // by a model
	Says               []explore.Quote
}

func (t ThemeItem) title() string { return strings.Join(t.Names, ", ") }

func (t ThemeItem) size(ctx context.Context) string {
	size := lang.F(ctx, "%s in %s", lang.Count(ctx, t.Members, "entity", "entities"), lang.Count(ctx, t.Documents, "document", "documents"))
	if t.Summed {
		size += lang.T(ctx, ", summed up by a model")
	}
	return size
}
