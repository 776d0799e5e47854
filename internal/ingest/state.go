// Package ingest is the extraction graph: it reads a stored file, splits its
// text, mines every chunk, and publishes the result to the projections.
//
//	start → parse → split → (send per chunk) extract → resolve → project → report → end
//	                     └→ (send per batch) embed ──┘
//
// What a chunk contributed is recorded in the ledger before anything else is
// decided, so a run that is cut off and started again repeats at most the
// calls that were in flight. A chunk that can't be mined is a warning on its
// document and never fails it.
package ingest

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is what the nodes of an ingest share: ids and counts, no text.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Pages     int                `json:"pages"`
	Chars     int                `json:"chars"`
	Chunks    []domain.ChunkID   `json:"chunks"`
	Mined     []Mined            `json:"mined"` // one a chunk
	Embedded  int                `json:"embedded"`
	Merged    int                `json:"merged"` // names that took a longer form within the document
	Entities  int                `json:"entities"`
	Relations int                `json:"relations"`
	Warnings  []string           `json:"warnings"`
}

// Mined says what became of one chunk.
type Mined struct {
	Chunk     domain.ChunkID `json:"chunk"`
	Ordinal   int            `json:"ordinal"`
	Entities  int            `json:"entities"`
	Relations int            `json:"relations"`
	Recorded  bool           `json:"recorded,omitempty"` // was recorded by an earlier run
	Problem   string         `json:"problem,omitempty"`
}

var (
	schema    = state.NewSchema[State](1)
	pages     = state.Replace(schema, "pages", func(s *State) *int { return &s.Pages })
	chars     = state.Replace(schema, "chars", func(s *State) *int { return &s.Chars })
	chunks    = state.Replace(schema, "chunks", func(s *State) *[]domain.ChunkID { return &s.Chunks })
	mined     = state.Upsert(schema, "mined", func(s *State) *[]Mined { return &s.Mined }, func(m Mined) domain.ChunkID { return m.Chunk })
	embedded  = state.Sum(schema, "embedded", func(s *State) *int { return &s.Embedded })
	merged    = state.Replace(schema, "merged", func(s *State) *int { return &s.Merged })
	entities  = state.Replace(schema, "entities", func(s *State) *int { return &s.Entities })
	relations = state.Replace(schema, "relations", func(s *State) *int { return &s.Relations })
	warnings  = state.Append(schema, "warnings", func(s *State) *[]string { return &s.Warnings })
)

// The update of the graph's state, for short.
type update = state.Update[State]
