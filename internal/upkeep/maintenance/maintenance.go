// Package maintenance checks the stores against the ledger, the ledger against itself, and uploaded
// files against their documents; it repairs the stores, rebuilds them, and embeds documents in the
// background. Each of these is a durable run of a state graph: it continues after a restart, and its
// page shows its progress.
//
// To know what a store should contain, a check projects the ledger into fresh stores and compares the
// two through their contract. A Monitor changes nothing: it measures whether the stores answer and how
// far they are behind, the waiting runs and their reasons, the workers, the space left on disk, and
// how the last runs went.
package maintenance

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/vectorstore"
)

// The kinds of run. Their subject is a workspace.
const (
	CheckKind   = "check"
	RebuildKind = "rebuild"
)

// priority is below that of questions and documents.
const priority = -1

// attempts limits how often a run is tried while a store does not answer.
const attempts = 5

// Files is the store of uploaded files. This package stands below internal/library/documents and can't import it.
type Files interface {
	Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error)

	// Each calls f for every file of a workspace with the time it was stored.
	Each(ctx context.Context, w domain.WorkspaceID, f func(hash string, stored time.Time) error) error

	Remove(ctx context.Context, w domain.WorkspaceID, hash string) error
}

// Library is the documents service. It queues documents whose run was lost.
type Library interface {
	Recover(ctx context.Context, w domain.WorkspaceID) (int, error)
}

// Params configures a Service. All fields are required but Codec, SettleTimeout, Embedder, AtOnce and Sentences.
type Params struct {
	DB        *sql.DB // the ledger's, for reading
	Ledger    *ledger.Ledger
	Files     Files
	Library   Library
	Projector *projection.Projector
	Vectors   vectorstore.Store // filled by the projector
	Embedder  llm.Embedder      // nil if there is none
	AtOnce    int               // concurrent calls of the embedder; 0 means 1
	Sentences int               // maximum per workspace that are embedded in advance, see apart; 0 means 300,000
	Queue     *job.Queue
	Threads   stategraph.Checkpointer
	Codec     state.Codec

	// ProjectTo returns a projector to the graph in use and another index.
	ProjectTo func(vectorstore.Index) *projection.Projector

	// Identity returns the identity of a workspace's ledger.
	Identity func(ctx context.Context, w domain.WorkspaceID) (string, error)

	// EmptyStores returns a projector to empty stores, and a function that removes them.
	EmptyStores func(ctx context.Context) (*projection.Projector, func() error, error)

	// SettleTimeout limits how long a check waits for stores that lag behind and documents that are being read; 0
	// means 3 s.
	SettleTimeout time.Duration
	IDs           domain.IDs
	Now           domain.Clock
	Log           *slog.Logger
}

// A Service checks and rebuilds the stores.
type Service struct {
	Params
	check     stategraph.Runnable[CheckState]
	rebuild   stategraph.Runnable[RebuildState]
	embedding stategraph.Runnable[EmbedState]
}

// New returns a Service.
func New(p Params) (*Service, error) {
	p.SettleTimeout = cmp.Or(p.SettleTimeout, 3*time.Second)
	p.AtOnce, p.Sentences = max(1, p.AtOnce), cmp.Or(p.Sentences, 300_000)
	svc := &Service{Params: p}
	var err error
	if svc.check, err = checkGraph(svc); err != nil {
		return nil, err
	}
	if svc.rebuild, err = rebuildGraph(svc); err != nil {
		return nil, err
	}
	svc.embedding, err = embedGraph(svc)
	return svc, err
}

// Kinds describes the runs that check the stores, rebuild them, and embed what was read.
func (svc *Service) Kinds() run.Kinds {
	return run.Kinds{svc.checkKind(), svc.rebuildKind(), svc.embedKind()}
}

// kind returns what both kinds have in common.
func (svc *Service) kind(name, title string, work func(context.Context, *run.Attempt, Order) error) run.Kind {
	return run.Kind{
		Name: name, Title: title, Concurrency: 1, Subjects: run.OfWorkspace, Whole: true, InArchived: true,
		Work: func(ctx context.Context, a *run.Attempt) error {
			var o Order
			if err := json.Unmarshal(a.Input, &o); err != nil {
				return fmt.Errorf("read the order of run %s: %w", a.ID, err)
			}
			return work(ctx, a, o)
		},
	}
}

// An Order is the task of a run.
type Order struct {
	Repair bool              `json:"repair,omitempty"` // for a check: repair as much as possible
	Stores projection.Stores `json:"stores,omitzero"`  // for a rebuild
	Taking bool              `json:"taking,omitempty"` // for a rebuild: take over stores that belong to another library
	Model  string            `json:"model,omitempty"`  // for a rebuild: the embedding model when it was ordered; set by Start
}

// Start queues a run of the kind and returns it, or one that is waiting or running already. It
// queues no check of a ledger with damaged pages: neither a run nor what it finds could be trusted.
func (svc *Service) Start(ctx context.Context, w domain.WorkspaceID, kind string, o Order) (job.Run, error) {
	if kind == CheckKind && !sqlio.DialectOf(svc.DB).Postgres {
		if err := sqlite.Sound(ctx, svc.DB, "clew.db"); err != nil {
			return job.Run{}, err
		}
	}
	going, err := svc.Queue.List(ctx, w, job.Query{Kind: kind, Status: job.Unended(), Limit: 1})
	if err != nil {
		return job.Run{}, err
	}
	if len(going) > 0 {
		return going[0], nil
	}
	id, err := svc.IDs.Run()
	if err != nil {
		return job.Run{}, err
	}
	o.Model = svc.model()
	input, err := json.Marshal(o)
	if err != nil {
		return job.Run{}, fmt.Errorf("encode an order: %w", err)
	}
	return svc.Queue.Add(ctx, job.Run{
		Workspace: w, ID: id, Kind: kind, Subject: string(w), Input: input, Priority: priority, MaxAttempts: attempts, CreatedAt: svc.Now(),
	})
}

// lastCheck is the setting with the result of the last check.
const lastCheck = "last_check"

// A Result is the result of a check.
type Result struct {
	At     time.Time `json:"at"`
	Found  []Group   `json:"found"`            // still present
	Mended []Group   `json:"mended"`           // found before the repair, but not after it
	Unsure string    `json:"unsure,omitempty"` // why the stores could not be compared, or not reliably
}

// Last returns the result of a workspace's last check, and whether there was one.
func (svc *Service) Last(ctx context.Context, w domain.WorkspaceID) (Result, bool, error) {
	return ledger.SettingOf[Result](ctx, svc.Ledger.SettingStore, w, lastCheck)
}
