package run

import (
	"encoding/json"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

// FileFormat and FileVersion stand at the beginning of a file.
const (
	FileFormat  = "clew-run"
	FileVersion = 1
)

// FileExtension ends the names of files.
const FileExtension = ".clewrun.json"

// A File is a run with all that its page shows, as docs/run-file.md describes it: to be kept, sent along with a report of
// a problem, or read by another program.
type File struct {
	Format   string              `json:"format"`
	Version  int                 `json:"version"`
	Exported time.Time           `json:"exported_at"`
	Run      FileRun             `json:"run"`
	Topology stategraph.Topology `json:"topology"`
	Events   []trace.Event       `json:"events"`
	States   []FileState         `json:"states,omitempty"`
	Calls    []FileCall          `json:"calls,omitempty"`
	Passages []FilePassage       `json:"passages,omitempty"` // with text only
}

// FileRun is a run as its queue knows it.
type FileRun struct {
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

// FileState is the state of the run's graph, or of a subgraph, after a super-step; super-step 0 is the start.
type FileState struct {
	Within []FileVisit     `json:"within,omitempty"` // nodes around the subgraph, outermost first
	Super  int             `json:"super"`
	State  json.RawMessage `json:"state"`
}

// FileVisit is one visit of a node that holds a subgraph.
type FileVisit struct {
	Node string `json:"node"`
	Step int    `json:"step"`
}

// FileCall is a recorded call of a model.
type FileCall struct {
	Key    string          `json:"key"`
	At     time.Time       `json:"at,omitzero"`
	Answer json.RawMessage `json:"answer,omitempty"` // with text only
}

// FilePassage is the text of a passage that the run names.
type FilePassage struct {
	Chunk    domain.ChunkID    `json:"chunk"`
	Document domain.DocumentID `json:"document_id"`
	Name     string            `json:"document"`
	Page     int               `json:"page,omitempty"`
	Text     string            `json:"text"`
}

func fileVisits(within []stategraph.Visit) []FileVisit {
	var list []FileVisit
	for _, v := range within {
		list = append(list, FileVisit{v.Node, v.Step})
	}
	return list
}
