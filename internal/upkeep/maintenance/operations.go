package maintenance

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/projection"
)

// A Desk is where the program is looked after.
type Desk struct {
	Upkeep  *Service
	Monitor *Monitor
}

// Checking describes a check.
type Checking struct {
	Repair bool `json:"repair" trail:"" doc:"repair what can be repaired"`
}

// Rebuilding describes a rebuild.
type Rebuilding struct {
	Store  string `json:"store" trail:"" doc:"only this store: graph or vectors; both when empty"`
	Taking bool   `json:"take_over" trail:"" doc:"replace what another library has in the stores"`
}

// Order returns the order of a rebuild.
func (r Rebuilding) Order() (Order, error) {
	o := Order{Taking: r.Taking, Stores: projection.Stores{Graph: r.Store != "vectors", Vectors: r.Store != "graph"}}
	if r.Store != "" && r.Store != "graph" && r.Store != "vectors" {
		return o, domain.Errorf(domain.Invalid, "There is no store %q. Choose graph or vectors.", r.Store)
	}
	return o, nil
}

// Started is a run that was started, or that was going on already.
type Started struct {
	Run    domain.RunID     `json:"run"`
	Status domain.RunStatus `json:"status"`
}

// At implements operation.Begun.
func (s Started) At() string { return "/runs/" + string(s.Run) }

// Health reports whether the program is in order.
type Health struct {
	OK      bool          `json:"ok"`      // every store answers and belongs to this library, and the disk has room
	Program string        `json:"program"` // version, commit, Go and platform
	Stores  []StoreHealth `json:"stores"`
	Queue   QueueHealth   `json:"queue"`
	Workers []WorkerSeen  `json:"workers"`
	Disk    DiskHealth    `json:"disk"`
	Check   *Result       `json:"check,omitempty"` // the last one

	Monitoring []string `json:"monitoring"` // where metrics are served and whether traces arrive
}

// StoreHealth is the state of a store.
type StoreHealth struct {
	Role    string `json:"role"` // its contents: Ledger, Graph, Search index
	Name    string `json:"name"`
	Can     string `json:"can,omitempty"` // its capabilities
	Problem string `json:"problem,omitempty"`
	At      int64  `json:"at"`               // last change that it has
	Behind  int64  `json:"behind,omitempty"` // number of missing changes
}

// QueueHealth counts runs.
type QueueHealth struct {
	Waiting int        `json:"waiting"`
	Running int        `json:"running"`
	Failed  int        `json:"failed"`
	Asleep  int        `json:"asleep"`           // waiting runs that need a person
	Oldest  *time.Time `json:"oldest,omitempty"` // when the oldest waiting run was added
}

// WorkerSeen is a process that works on the queue.
type WorkerSeen struct {
	Host string    `json:"host"`
	PID  int       `json:"pid"`
	Seen time.Time `json:"seen"`
	Runs int       `json:"runs"` // that it is working on
	Gone bool      `json:"gone,omitempty"`
}

// DiskHealth is the room of the data folder.
type DiskHealth struct {
	Folder string `json:"folder,omitempty"` // "" if there is none
	Free   *int64 `json:"free,omitempty"`   // bytes
	Low    bool   `json:"low,omitempty"`
}

// Operations are the operations that look after the program. Their commands are written by hand, as they print
// progress; a program gets the run that was started.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		operation.Op[Desk, struct{}, Health]{
			Name: "doctor", Short: "Check stores, queue, workers and disk", Scope: operation.Install, Routes: []string{"GET /health"}, Own: true,
			Do: func(d Desk, ctx context.Context, _ struct{}) (Health, error) { return d.health(ctx) },
		},
		operation.Op[Desk, Checking, Started]{
			Name: "fsck", Short: "Compare the stores with the ledger", Scope: operation.Install, Routes: []string{"POST /health/check"}, Own: true,
			Do: func(d Desk, ctx context.Context, in Checking) (Started, error) {
				return d.start(ctx, CheckKind, Order{Repair: in.Repair})
			},
		},
		operation.Op[Desk, Rebuilding, Started]{
			Name: "rebuild", Short: "Empty the graph and the search index and fill them again from the ledger", Scope: operation.Install, Routes: []string{"POST /health/rebuild"}, Own: true,
			Do: func(d Desk, ctx context.Context, in Rebuilding) (Started, error) {
				o, err := in.Order()
				if err != nil {
					return Started{}, err
				}
				return d.start(ctx, RebuildKind, o)
			},
		},
		operation.Op[Desk, struct{}, Result]{
			Name: "fsck last", Short: "Print what the last check found", Scope: operation.Install, Routes: []string{"GET /health/check"},
			Do: func(d Desk, ctx context.Context, _ struct{}) (Result, error) {
				r, found, err := d.Upkeep.Last(ctx, domain.WorkspaceOf(ctx))
				if err == nil && !found {
					err = domain.Errorf(domain.NotFound, "The stores have not been checked yet. clew fsck does that.")
				}
				return r, err
			},
			Text: printResult,
		},
	}
}

func (d Desk) start(ctx context.Context, kind string, o Order) (Started, error) {
	r, err := d.Upkeep.Start(ctx, domain.WorkspaceOf(ctx), kind, o)
	return Started{r.ID, r.Status}, err
}

func (d Desk) health(ctx context.Context) (Health, error) {
	w := domain.WorkspaceOf(ctx)
	h := Health{OK: true, Program: d.Monitor.Program, Stores: []StoreHealth{}, Workers: []WorkerSeen{}, Monitoring: []string{}}
	if d.Monitor.Monitoring != nil {
		h.Monitoring = d.Monitor.Monitoring()
	}
	for _, s := range d.Monitor.Stores(ctx, w) {
		h.OK = h.OK && s.Problem == ""
		h.Stores = append(h.Stores, StoreHealth{s.Role, s.Name, s.Can, s.Problem, s.At, s.Behind})
	}
	q, err := d.Monitor.QueueState(ctx, w)
	if err != nil {
		return h, err
	}
	h.Queue = QueueHealth{Waiting: q.Waiting, Running: q.Running, Failed: q.Failed, Asleep: q.Asleep}
	if !q.Oldest.IsZero() {
		h.Queue.Oldest = &q.Oldest
	}
	workers, err := d.Monitor.Workers(ctx)
	if err != nil {
		return h, err
	}
	for _, p := range workers {
		h.Workers = append(h.Workers, WorkerSeen{p.Host, p.PID, p.Seen, p.Leases, p.Gone})
	}
	if disk := d.Monitor.Disk(ctx); disk.Known {
		h.Disk = DiskHealth{disk.Folder, &disk.Free, disk.Low()}
		h.OK = h.OK && !disk.Low()
	}
	last, found, err := d.Upkeep.Last(ctx, w)
	if found {
		h.Check = &last
	}
	return h, err
}

func printResult(w io.Writer, r Result) error {
	fmt.Fprintf(w, "Checked at %s.\n", r.At.Format(time.DateTime))
	for _, g := range r.Mended {
		fmt.Fprintf(w, "Repaired: %s\n", g)
	}
	for _, g := range r.Found {
		fmt.Fprintln(w, g)
	}
	if r.Unsure != "" {
		fmt.Fprintln(w, r.Unsure)
	}
	if len(r.Found) == 0 && r.Unsure == "" {
		fmt.Fprintln(w, "Nothing was wrong at the end.")
	}
	return nil
}
