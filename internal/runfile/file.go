// Package runfile writes a run to one file, with all that its page shows: to be kept, sent along with a report of a
// problem, or read by another program.
package runfile

import (
	"encoding/json"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/trace"
)

// Format and Version stand at the beginning of a file.
const (
	Format  = "clew-run"
	Version = 1
)

// Extension ends the names of files.
const Extension = ".clewrun.json"

// A File is a run as docs/run-file.md describes it.
type File struct {
	Format   string              `json:"format"`
	Version  int                 `json:"version"`
	Exported time.Time           `json:"exported_at"`
	Run      Run                 `json:"run"`
	Topology stategraph.Topology `json:"topology"`
	Events   []trace.Event       `json:"events"`
	States   []State             `json:"states,omitempty"`
	Calls    []Call              `json:"calls,omitempty"`
	Passages []Passage           `json:"passages,omitempty"` // with text only
}

// Run is a run as its queue knows it.
type Run struct {
	ID        domain.RunID `json:"id"`
	Kind      string       `json:"kind"`
	Title     string       `json:"title"` // of its kind: "Answer"
	About     string       `json:"about"` // the question, or the name of the document
	Status    job.Status   `json:"status"`
	Problem   string       `json:"problem,omitempty"`
	Attempt   int          `json:"attempt,omitempty"`
	Cap       string       `json:"cap,omitempty"` // labels the decision of a run that has used up its loops
	StartedAt time.Time    `json:"started_at,omitzero"`
	EndedAt   time.Time    `json:"ended_at,omitzero"`
	Tokens    int          `json:"tokens,omitempty"`
}

// State is the state of the run's graph, or of a subgraph, after a super-step; super-step 0 is the start.
type State struct {
	Within []Visit         `json:"within,omitempty"` // nodes around the subgraph, outermost first
	Super  int             `json:"super"`
	State  json.RawMessage `json:"state"`
}

// Visit is one visit of a node that holds a subgraph.
type Visit struct {
	Node string `json:"node"`
	Step int    `json:"step"`
}

// Call is a recorded call of a model.
type Call struct {
	Key    string          `json:"key"`
	At     time.Time       `json:"at,omitzero"`
	Answer json.RawMessage `json:"answer,omitempty"` // with text only
}

// Passage is the text of a passage that the run names.
type Passage struct {
	Chunk    domain.ChunkID    `json:"chunk"`
	Document domain.DocumentID `json:"document_id"`
	Name     string            `json:"document"`
	Page     int               `json:"page,omitempty"`
	Text     string            `json:"text"`
}

func visits(within []stategraph.Visit) []Visit {
	var list []Visit
	for _, v := range within {
		list = append(list, Visit{v.Node, v.Step})
	}
	return list
}
