// Package doctext cuts a document's stored text into the blocks of a page: headings, paragraphs,
// tables and page marks, with links to entities and the characters that an answer cites. It is pure.
package doctext

import "github.com/clewhq/clew/internal/domain"

// A Mention is a span of the text that names an entity.
type Mention struct {
	Span domain.Span
	Href string // of the entity's page
	Name string // of the entity, as on its page
}
