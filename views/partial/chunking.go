package partial

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
)

// FirstChunksProps are the first chunks of a file.
type FirstChunksProps struct {
	Name     string
	Chunks   []domain.Chunk
	Of       int      // chunks of the file
	Warnings []string // about what was guessed or left out
}

func (p FirstChunksProps) title() string {
	if len(p.Chunks) == p.Of {
		return fmt.Sprintf("%s of %s", format.Count(p.Of, "passage", "passages"), p.Name)
	}
	return fmt.Sprintf("First %d of %s passages of %s", len(p.Chunks), format.Int(p.Of), p.Name)
}

// whereCut says where a chunk is and how long it is.
func whereCut(c domain.Chunk) string {
	var said []string
	switch place := c.Place(c.Span); {
	case place != "":
		said = append(said, place)
	case c.Page > 0:
		said = append(said, fmt.Sprintf("Page %d", c.Page))
	}
	said = append(said, format.Count(c.Tokens, "token", "tokens"))
	if len(c.Headings) > 0 {
		said = append(said, strings.Join(c.Headings, " › "))
	}
	return strings.Join(said, " · ")
}
