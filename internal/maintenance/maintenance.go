// Package maintenance checks the stores against the ledger, repairs them, and rebuilds them. Each is a durable run of a
// state graph: it goes on after a restart, and its page shows how far it is.
package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/fsck"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/sqlio"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/vectorstore"
)

// The kinds of run. Their subject is a workspace.
const (
	CheckKind   = "check"
	RebuildKind = "rebuild"
)

// priority lets questions and documents go first.
const priority = -1

// attempts is how often a run is tried while a store does not answer.
const attempts = 5

// Ledger is what upkeep needs of the ledger.
type Ledger interface {
	Head(ctx context.Context, w domain.WorkspaceID) (int64, error)
	Publish(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int64, error)
	Setting(ctx context.Context, w domain.WorkspaceID, name string) (string, bool, error)
	SetSetting(ctx context.Context, w domain.WorkspaceID, name, value string) error
	Workspaces(ctx context.Context) ([]domain.WorkspaceID, error)
	EachChunk(ctx context.Context, w domain.WorkspaceID, f func(domain.Passage) error) error
	llm.EmbeddingStore
}

// Files is where uploaded files are kept.
type Files interface {
	fsck.FileStore
	Remove(ctx context.Context, w domain.WorkspaceID, hash string) error
}

// Library queues again what was lost on its way into the queue.
type Library interface {
	Recover(ctx context.Context, w domain.WorkspaceID) (int, error)
}

// Params are what upkeep works with. All are required but Codec, Patience,
// Embedder and AtOnce.
type Params struct {
	DB        sqlio.Querier // the ledger's, for reading
	SQLite    bool          // whether it is SQLite's
	Ledger    Ledger
	Files     Files
	Library   Library
	Projector *projection.Projector
	Vectors   vectorstore.Store // that the projector fills
	Embedder  llm.Embedder      // nil where nothing embeds
	AtOnce    int               // calls of the embedder at a time; 1 when 0
	Queue     *job.Queue
	Threads   stategraph.Checkpointer
	Codec     state.Codec

	// Over is a projector over the graph in use and another index.
	Over func(vectorstore.Index) *projection.Projector

	// Fresh is a projector over empty stores, and what removes them.
	Fresh func(ctx context.Context) (*projection.Projector, func() error, error)

	// Patience is how long a check waits for stores that lag behind or for
	// documents that are being read again; 3 s when 0.
	Patience time.Duration
	IDs      domain.IDs
	Now      func() time.Time
}

// Service carries out checks and rebuilds.
type Service struct {
	Params
	check   *stategraph.Graph[CheckState]
	rebuild *stategraph.Graph[RebuildState]
}

// New makes an upkeep.
func New(p Params) (*Service, error) {
	if p.Patience == 0 {
		p.Patience = 3 * time.Second
	}
	u := &Service{Params: p}
	var err error
	if u.check, err = checkGraph(u); err != nil {
		return nil, err
	}
	u.rebuild, err = rebuildGraph(u)
	return u, err
}

// Kinds describes the runs that check the stores and those that rebuild them.
func (u *Service) Kinds() run.Kinds { return run.Kinds{u.checkKind(), u.rebuildKind()} }

// kind returns what both kinds have in common.
func (u *Service) kind(name, title string, work func(context.Context, *run.Attempt, Order) error) run.Kind {
	return run.Kind{
		Name: name, Title: title, Concurrency: 1,
		Subjects: func(_ context.Context, w domain.WorkspaceID, _ []string) (map[string]run.Subject, error) {
			return map[string]run.Subject{string(w): {Title: "The whole library"}}, nil
		},
		Work: func(ctx context.Context, a *run.Attempt) error {
			var o Order
			if err := json.Unmarshal(a.Input, &o); err != nil {
				return fmt.Errorf("read the order of run %s: %w", a.ID, err)
			}
			return work(ctx, a, o)
		},
	}
}

// Order is what a run was asked for.
type Order struct {
	Repair bool              `json:"repair,omitempty"` // of a check: mend what can be mended
	Stores projection.Stores `json:"stores,omitzero"`  // of a rebuild
	Model  string            `json:"model,omitempty"`  // of a rebuild: the embedding model of who asked for it; Start fills it in
}

// Start queues a run. When one of the kind is waiting or at work already, that
// one is returned.
func (u *Service) Start(ctx context.Context, w domain.WorkspaceID, kind string, o Order) (job.Run, error) {
	going, err := u.Queue.List(ctx, w, job.Query{Kind: kind, Status: []job.Status{job.Waiting, job.Running}, Limit: 1})
	if err != nil {
		return job.Run{}, err
	}
	if len(going) > 0 {
		return going[0], nil
	}
	id, err := u.IDs.Run()
	if err != nil {
		return job.Run{}, err
	}
	o.Model = u.model()
	input, err := json.Marshal(o)
	if err != nil {
		return job.Run{}, fmt.Errorf("encode an order: %w", err)
	}
	return u.Queue.Add(ctx, job.Run{
		Workspace: w, ID: id, Kind: kind, Subject: string(w), Input: input, Priority: priority, MaxAttempts: attempts, CreatedAt: u.Now(),
	})
}

// lastCheck is the setting that keeps the result of the last check.
const lastCheck = "last_check"

// Result is what a check found.
type Result struct {
	At     time.Time    `json:"at"`
	Run    domain.RunID `json:"run"`
	Found  []fsck.Group `json:"found"`            // what is off now
	Mended []fsck.Group `json:"mended"`           // what was, before a repair
	Unsure string       `json:"unsure,omitempty"` // why the stores could not be compared, or not for certain
}

// Last is the result of a workspace's last check, and whether there was one.
func (u *Service) Last(ctx context.Context, w domain.WorkspaceID) (Result, bool, error) {
	value, set, err := u.Ledger.Setting(ctx, w, lastCheck)
	if err != nil || !set {
		return Result{}, false, err
	}
	var r Result
	if err := json.Unmarshal([]byte(value), &r); err != nil {
		return Result{}, false, fmt.Errorf("read the last check: %w", err)
	}
	return r, true, nil
}
