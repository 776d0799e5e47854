// Package sheet cuts a document's stored text into what a page is made of:
// headings, paragraphs, page marks, and within them the names that link to
// entities and the characters an answer relied on. It is pure.
package sheet

import "github.com/clewhq/clew/internal/domain"

// Mention is a place in the text that names an entity.
type Mention struct {
	Span domain.Span
	Href string // of the entity's page
	Name string // of the entity, as its page has it
}
