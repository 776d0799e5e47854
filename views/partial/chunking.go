package partial

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// FirstChunksProps are the first chunks of a file.
type FirstChunksProps struct {
	Name     string
	Chunks   []domain.Chunk
	Of       int      // chunks of the file
	Warnings []string // about guesses and omissions
}

func (p FirstChunksProps) title(ctx context.Context) string {
	if len(p.Chunks) == p.Of {
		return lang.F(ctx, "%s of %s", lang.Count(ctx, p.Of, "passage", "passages"), p.Name)
	}
	return lang.F(ctx, "First %d of %s passages of %s", len(p.Chunks), lang.Int(ctx, p.Of), p.Name)
}

// whereCut says where a chunk is and how long it is.
func whereCut(ctx context.Context, c domain.Chunk) string {
	var said []string
	switch place := c.Place(c.Span); {
	case place != "":
		said = append(said, place)
	case c.Page > 0:
		said = append(said, lang.F(ctx, "Page %d", c.Page))
	}
	said = append(said, lang.Count(ctx, c.Tokens, "token", "tokens"))
	if len(c.Headings) > 0 {
		said = append(said, strings.Join(c.Headings, " › "))
	}
	return strings.Join(said, " · ")
}
