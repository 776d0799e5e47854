// Package fold computes the entities and relations of the graph from the contributions of the chunks
// of all documents, and applies the curation log to them. Everything in it is pure: equal input in any
// order gives equal output.
package fold

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// Place is the position of a chunk in a document.
type Place struct {
	Document domain.DocumentID
	Ordinal  int
	Chunk    domain.ChunkID
}

// PlaceOf returns the place of a chunk.
func PlaceOf(c domain.Chunk) Place { return Place{c.Document, c.Ordinal, c.ID} }

// ComparePlaces orders places by document, then by their order in it.
func ComparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.Chunk, b.Chunk))
}

// Sources is everything that the entities of one key are folded from.
type Sources struct {
	Mentions      []ledger.MentionRow
	Titles        []Title
	TitleMentions []TitleMention
	Made          []ledger.MentionRow // added by curators; without a chunk if there is no source
}

// Made holds the sources of an entry that creates an entity or a relation.
type Made struct {
	Place // of the chunk; zero without a source
	Spans []domain.Span
	Name  string // of an entity
}

// Title is the title of a document, with the chunks under it.
type Title struct {
	Form   string
	Chunks []Place
}

// TitleMention is where a chunk of another document contains a title.
type TitleMention struct {
	Place
	Spans []domain.Span
}

// MentionPlace returns the place of a mention.
func MentionPlace(m ledger.MentionRow) Place { return Place{m.Document, m.Ordinal, m.Chunk} }

// Places returns the places of all mentions, of names and titles.
func (s Sources) Places() []Place {
	places := lists.Map(s.Mentions, MentionPlace)
	for _, m := range s.TitleMentions {
		places = append(places, m.Place)
	}
	return places
}

// Keep removes the mentions in chunks that keep rejects.
func (s *Sources) Keep(keep func(domain.ChunkID) bool) {
	s.Mentions = slices.DeleteFunc(s.Mentions, func(m ledger.MentionRow) bool { return !keep(m.Chunk) })
	s.TitleMentions = slices.DeleteFunc(s.TitleMentions, func(m TitleMention) bool { return !keep(m.Chunk) })
}
