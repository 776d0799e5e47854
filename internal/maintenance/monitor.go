package maintenance

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/lease"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/trace"
)

// A Queue lists runs and workers: a [job.Queue], or a fake in tests.
type Queue interface {
	List(ctx context.Context, w domain.WorkspaceID, q job.Query) ([]job.Run, error)
	LatestOfEachKind(ctx context.Context, w domain.WorkspaceID, s job.Status, n int) ([]job.Run, error)
	Count(ctx context.Context, w domain.WorkspaceID, q job.Query) (int, error)
	Workers(ctx context.Context) ([]job.Registered, error)
}

// A Cursor says which change of the ledger a store is at: either store, or a fake in tests.
type Cursor interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
}

// Names describe the stores in words: "Neo4j at bolt://…".
type Names struct{ Ledger, Graph, Vectors string }

// Use is the bytes that something takes on the disk, or More if counting took too long.
type Use struct {
	Name  string
	Bytes int64
	More  bool
}

// Disk is the size of the data folder, and the free space.
type Disk struct {
	Folder string // "" if there is none
	Uses   []Use
	Free   int64 // bytes; valid if Known
	Known  bool
}

// Scarce is the free disk in bytes below which health warns.
const Scarce = 1 << 30

// Low reports whether little space is left.
func (d Disk) Low() bool { return d.Known && d.Free < Scarce }

// MonitorParams configures a Monitor. All fields are required but Can, Outgrown, Models and StoreTimeout.
type MonitorParams struct {
	Ledger       *ledger.Ledger
	Graph        Cursor
	Vectors      Cursor
	Queue        Queue
	Events       *trace.Hub
	Kinds        run.Kinds // of runs
	Answering    run.Kind  // the one that answers questions
	Names        Names
	Can          func(ctx context.Context, w domain.WorkspaceID) string // what the search index can do
	Outgrown     func(context.Context) (string, error)                  // why the index needs other vectors; "" if it doesn't
	Disk         func(context.Context) Disk
	Models       func() []llm.Load        // how busy this process keeps their servers; nil without models
	Gone         func(lease.Process) bool // whether a process has certainly ended
	StoreTimeout time.Duration            // for a store to answer; 3 s when 0
	Now          func() time.Time
}

// A Monitor measures the health of the program.
type Monitor struct{ MonitorParams }

// NewMonitor returns a Monitor.
func NewMonitor(p MonitorParams) *Monitor {
	if p.StoreTimeout == 0 {
		p.StoreTimeout = 3 * time.Second
	}
	return &Monitor{p}
}
