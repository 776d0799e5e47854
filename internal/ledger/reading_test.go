package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// reading sums up a document that is read, one that waits and is not cut yet, one that a person paused, one at a cap, and one
// that is ready.
func reading(t *testing.T, b Bench) {
	ctx := t.Context()
	for i, d := range []domain.Document{
		{Status: domain.DocumentWorking, Chunks: 10, ChunksDone: 4, Size: 100},
		{Status: domain.DocumentWaiting, Size: 50},
		{Status: domain.DocumentWaiting, Chunks: 3, Size: 70},
		{Status: domain.DocumentWorking, Chunks: 8, ChunksDone: 2, Size: 80},
		{Status: domain.DocumentReady, Chunks: 9, ChunksDone: 9, Size: 90},
	} {
		added, run := b.add(t, ws, fmt.Sprintf("d%d", i), "Ada met Babbage."), domain.RunID(fmt.Sprintf("run%d", i))
		must(t, b.Queue.Add(ctx, ws, run, "ingest", string(added.ID), ""))
		_, err := b.Ledger.UpdateDocument(ctx, ws, added.ID, func(is *domain.Document) {
			is.Status, is.Chunks, is.ChunksDone, is.Size, is.Run, is.Name = d.Status, d.Chunks, d.ChunksDone, d.Size, run, fmt.Sprintf("d%d", i)
		})
		must(t, err)
	}
	now := b.Clock.Now()
	for _, s := range []string{
		fmt.Sprintf(`UPDATE runs SET status = 'running', started_at = %d WHERE id = 'run0'`, now.Add(-2*time.Second).UnixMilli()),
		`UPDATE runs SET status = 'paused' WHERE id = 'run2'`,
		`UPDATE runs SET status = 'capped' WHERE id = 'run3'`,
	} {
		_, err := b.Writer.ExecContext(ctx, s)
		must(t, err)
	}
	got, err := b.Ledger.Reading(ctx, ws, now)
	must(t, err)
	want := ledger.Reading{Documents: 4, Running: 1, Paused: 1, AtCap: 1, Passages: 10, Read: 4, CutBytes: 100, UncutBytes: 50, Rate: 2, Slowest: 2, Fastest: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	paused, err := b.Ledger.ListDocuments(ctx, ws, ledger.Filtered(domain.DocumentFilter{State: domain.StatePaused, Sort: domain.SortName}))
	must(t, err)
	if len(paused) != 2 || paused[0].Name != "d2" || paused[1].Name != "d3" {
		t.Errorf("paused are %+v", paused)
	}
	if empty, err := b.Ledger.Reading(ctx, "other", now); empty != (ledger.Reading{}) || err != nil {
		t.Errorf("of an empty library: %+v, error %v", empty, err)
	}
}
