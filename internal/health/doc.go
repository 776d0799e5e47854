// Package health measures how the program does: whether its stores answer and how far they are behind the ledger, what
// waits in the queue and why, which workers there are, what the disk has left, and how the last runs went. It changes
// nothing; internal/maintenance does.
package health

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/trace"
)

// Ledger is what vitals need of the ledger.
type Ledger interface {
	Head(ctx context.Context, w domain.WorkspaceID) (int64, error)
	Pending(ctx context.Context, w domain.WorkspaceID, after int64) (ledger.Pending, error)
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
}

// Queue is what vitals need of the queue of runs.
type Queue interface {
	List(ctx context.Context, w domain.WorkspaceID, q job.Query) ([]job.Run, error)
	LatestOfEachKind(ctx context.Context, w domain.WorkspaceID, s job.Status, n int) ([]job.Run, error)
	Count(ctx context.Context, w domain.WorkspaceID, q job.Query) (int, error)
	Workers(ctx context.Context) ([]job.Registered, error)
}

// Cursor is the part of a store that says which change it has been brought to.
type Cursor interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
}

// Events are what is stored of a run.
type Events interface {
	EventsOf(ctx context.Context, w domain.WorkspaceID, runs []domain.RunID) (map[domain.RunID][]trace.Event, error)
}

// Names are what the stores are, in words: "Neo4j at bolt://…".
type Names struct{ Ledger, Graph, Vectors string }

// Use is how many bytes something takes. More says that it is more than that:
// counting was given up.
type Use struct {
	Name  string
	Bytes int64
	More  bool
}

// Disk is what is stored and what there is room for.
type Disk struct {
	Folder string // "" where nothing is kept in files
	Uses   []Use
	Free   int64 // bytes; Known says whether that can be told
	Known  bool
}

// Scarce is how little free disk is worth a warning, in bytes.
const Scarce = 1 << 30

// Low reports whether there is little room left.
func (d Disk) Low() bool { return d.Known && d.Free < Scarce }

// Params are what vitals look at. All are required but Can and Outgrown.
type Params struct {
	Ledger    Ledger
	Graph     Cursor
	Vectors   Cursor
	Queue     Queue
	Events    Events
	Kinds     run.Kinds // of runs
	Answering run.Kind  // the one that answers questions
	Names     Names
	Can       string                                // what the search index can do, in words
	Outgrown  func(context.Context) (string, error) // the embedding model of the index, when it is not that of the settings
	Disk      func(context.Context) Disk
	Gone      func(job.Process) bool // of a process that is certain to have ended
	Patience  time.Duration          // that a store is given to answer; 3 s when 0
	Now       func() time.Time
}

// Monitor look at the program.
type Monitor struct{ Params }

// New makes vitals.
func New(p Params) *Monitor {
	if p.Patience == 0 {
		p.Patience = 3 * time.Second
	}
	return &Monitor{p}
}
