// Package ingest is the state graph that adds a document to the knowledge graph:
// it parses the file, splits its text, mines every chunk, and publishes the
// result to the projections.
//
//	start → parse → split → (send per window) extract → resolve → fill_in → project → report → end
//	                     └→ (send per batch) embed ──┘
//
// If the schema asks documents for fields, fill_in fills them in.
//
// Each chunk's contribution is recorded in the ledger at once, so a run that is interrupted and
// started again repeats only the calls that were in flight. If a chunk can't be mined, the document
// gets a warning and does not fail.
package ingest

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is the nodes' shared state: ids and counts, no text.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Into      domain.DocumentID  `json:"into,omitempty"`    // the document whose next version Document is
	Schema    int64              `json:"schema,omitempty"`  // number of the schema that guides the run from the start; 0 if there is none
	Prompts   int                `json:"prompts,omitempty"` // the pin of the prompts when the run began
	Pages     int                `json:"pages"`
	Chars     int                `json:"chars"`
	Chunks    []domain.ChunkID   `json:"chunks"`
	Windows   []int              `json:"windows,omitempty"` // how many of the chunks to mine share each request, in order
	Asks      bool               `json:"asks,omitempty"`    // the schema asks the document for fields
	Mined     []Mined            `json:"mined"`             // one for each chunk
	Embedded  int                `json:"embedded"`
	Merged    int                `json:"merged"` // names replaced by a longer form within the document
	Entities  int                `json:"entities"`
	Relations int                `json:"relations"`
	Warnings  []string           `json:"warnings"`
}

// Mined is the result of one chunk.
type Mined struct {
	Chunk     domain.ChunkID `json:"chunk"`
	Ordinal   int            `json:"ordinal"`
	Entities  int            `json:"entities"`
	Relations int            `json:"relations"`
	Recorded  bool           `json:"recorded,omitempty"` // by an earlier run
	Problem   string         `json:"problem,omitempty"`
}

var (
	schema    = state.NewSchema[State](1)
	into      = state.Replace(schema, "into", func(s *State) *domain.DocumentID { return &s.Into })
	guided    = state.Replace(schema, "schema", func(s *State) *int64 { return &s.Schema })
	pinned    = state.Replace(schema, "prompts", func(s *State) *int { return &s.Prompts })
	pages     = state.Replace(schema, "pages", func(s *State) *int { return &s.Pages })
	chars     = state.Replace(schema, "chars", func(s *State) *int { return &s.Chars })
	chunks    = state.Replace(schema, "chunks", func(s *State) *[]domain.ChunkID { return &s.Chunks })
	windows   = state.Replace(schema, "windows", func(s *State) *[]int { return &s.Windows })
	asks      = state.Replace(schema, "asks", func(s *State) *bool { return &s.Asks })
	mined     = state.Upsert(schema, "mined", func(s *State) *[]Mined { return &s.Mined }, func(m Mined) domain.ChunkID { return m.Chunk })
	embedded  = state.Sum(schema, "embedded", func(s *State) *int { return &s.Embedded })
	merged    = state.Replace(schema, "merged", func(s *State) *int { return &s.Merged })
	entities  = state.Replace(schema, "entities", func(s *State) *int { return &s.Entities })
	relations = state.Replace(schema, "relations", func(s *State) *int { return &s.Relations })
	warnings  = state.Append(schema, "warnings", func(s *State) *[]string { return &s.Warnings })
)

type update = state.Update[State]
