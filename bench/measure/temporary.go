package measure

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/database/sqlite"
	graph "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
	"github.com/clewhq/clew/migrations"
)

// Temporary calls do with an empty library, whose graph is extracted by rule, and removes it.
func Temporary(ctx context.Context, now func() time.Time, do func(Params) error) (err error) {
	dir, err := os.MkdirTemp("", "clew-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l, end, err := OpenLedger(ctx, filepath.Join(dir, "clew.db"), now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	g, err := graph.Open(ctx, filepath.Join(dir, "graph.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	v, err := embedded.Open(ctx, filepath.Join(dir, "vectors.db"), "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	projector := projection.New(projection.Params{
		Ledger: l, Graph: g, Vectors: v, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
		Embedding: projection.Embedding{Model: EmbeddingModel},
	})
	return do(Params{Stores: Stores{Ledger: l, Project: projector.Apply, Graph: g, Index: v}, Mine: new(builtin.Miner).Mine, Now: now})
}

// OpenLedger opens the ledger in a file, or begins one. The function returned closes it.
func OpenLedger(ctx context.Context, path string, now func() time.Time) (l *ledger.Ledger, end func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, err
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	if err := migrations.Up(ctx, db.Writer); err != nil {
		return nil, nil, errors.Join(sqlite.Explain(err), db.Close())
	}
	return ledger.Open(db.Writer, db.Reader, now, ledger.WithKey(prose.Key), ledger.WithExplain(sqlite.Explain)), db.Close, nil
}
