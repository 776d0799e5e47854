package measure

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	graph "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// openStores opens the embedded stores in a temporary folder.
func openStores(t testing.TB) Stores {
	t.Helper()
	return openStoresAt(t, t.TempDir())
}

func openStoresAt(t testing.TB, dir string) Stores {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db := database.Open(t, filepath.Join(dir, "clew.db"))
	g, err := graph.Open(ctx, filepath.Join(dir, "graph.db"))
	check(err)
	t.Cleanup(func() { g.Close() })
	v, err := embedded.Open(ctx, filepath.Join(dir, "vectors.db"), "")
	check(err)
	t.Cleanup(func() { v.Close() })
	l := ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key))
	p := projection.New(projection.Params{
		Ledger: l, Graph: g, Vectors: v, Log: slog.New(slog.DiscardHandler),
		Key: prose.Key, Sentences: prose.Sentences, Embedding: projection.Embedding{Model: EmbeddingModel},
	})
	return Stores{Ledger: l, Project: p.Apply, Graph: g, Index: v}
}
