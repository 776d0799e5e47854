package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// TestFullDisk limits the size of the database, which SQLite reports like a
// full disk: the error has a sentence for the user, and nothing is
// half-written.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	db := open(t)
	l := bench(t, db).Ledger
	d := domain.Document{Workspace: "w1", ID: "d1", Name: "a.txt"}
	if _, _, err := l.AddDocument(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Writer.ExecContext(t.Context(), `PRAGMA max_page_count = 1`); err != nil { // the current size
		t.Fatal(err)
	}
	chunks := []domain.Chunk{{ID: "c1", Text: "fits"}, {ID: "c2", Ordinal: 1, Text: strings.Repeat("does not fit ", 100_000)}}
	err := l.SaveChunks(t.Context(), "w1", "d1", chunks)
	if message, ok := domain.MessageOf(err); domain.KindOf(err) != domain.Exhausted || !ok {
		t.Errorf("got error %v (%q), want kind Exhausted with a sentence", err, message)
	}
	if left, err := l.Chunks(t.Context(), "w1", "d1"); err != nil || len(left) != 0 {
		t.Errorf("got %d half-written chunks, error %v; want none", len(left), err)
	}
}

// TestOperationIsNamed checks the errors of cancelled calls.
func TestOperationIsNamed(t *testing.T) {
	t.Parallel()
	l := bench(t, open(t)).Ledger
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, read := l.Documents(ctx, "w1", ledger.DocumentQuery{})
	write := l.SetSetting(ctx, "w1", "a", "b")
	for prefix, err := range map[string]error{"count documents: ": read, "change setting: ": write} {
		if !errors.Is(err, context.Canceled) || domain.KindOf(err) != domain.Internal || !strings.HasPrefix(err.Error(), prefix) {
			t.Errorf("got error %v, want an internal one that begins with %q", err, prefix)
		}
	}
}
