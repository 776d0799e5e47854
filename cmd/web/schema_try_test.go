package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
)

const onlyPlaces = "schema:\n  strict: true\n  labels:\n    - name: Place\n"

// TestASchemaIsTriedAndAppliedByTheCommand narrows the graph of a document, and
// lists what was dropped.
func TestASchemaIsTriedAndAppliedByTheCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	if out := sh.must(t, "documents", "dropped", "foundry.txt"); out != "Nothing was dropped.\n" {
		t.Errorf("before a schema, dropped prints %q", out)
	}
	sh.stdin = onlyPlaces
	var got schemas.Billed
	if err := json.Unmarshal([]byte(sh.must(t, "schema", "try", "-", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Trial.Chunks) != 1 || got.Trial.Cost.Calls != 0 || len(got.Trial.Chunks[0].Draft.Dropped) == 0 || got.Bill.Applied != 1 || got.Bill.Documents != 1 {
		t.Errorf("try prints %+v", got)
	}
	chunk := string(got.Trial.Chunks[0].Chunk.ID)
	for _, args := range [][]string{{"schema", "try", "-"}, {"schema", "try", "-", "--chunks", chunk}, {"schema", "try", "-", "--saying", "Foundry"}} {
		if out := sh.must(t, args...); !strings.Contains(out, "Tried on 1 of 1 chunks: 0 calls") || !strings.Contains(out, "Reading again: 1 of 1 chunks in 1 documents") || !strings.Contains(out, "dropped from "+chunk) {
			t.Errorf("clew %s prints %q", strings.Join(args, " "), out)
		}
	}
	for _, args := range [][]string{{"schema", "try", "-", "--chunks", "none"}, {"schema", "try", "-", "--saying", "no such words"}, {"schema", "try", "none.yaml"}, {"documents", "dropped", "none.txt"}} {
		if out, err := sh.run(t, args...); err == nil {
			t.Errorf("clew %s prints %q", strings.Join(args, " "), out)
		}
	}
	if out := sh.must(t, "schema", "apply", "--dry"); out != "Reading again would change nothing.\n" {
		t.Errorf("without a schema, apply --dry prints %q", out)
	}

	sh.must(t, "schema", "set", "-")
	var bill schemas.Bill
	if err := json.Unmarshal([]byte(sh.must(t, "schema", "apply", "--dry", "--json")), &bill); err != nil || bill.Chunks != 1 || bill.Calls != 0 {
		t.Errorf("apply --dry prints %+v, %v", bill, err)
	}
	sh.must(t, "schema", "apply")
	sh.drain(t)
	items := decoded[[]ledger.DroppedItem](t, sh.must(t, "documents", "dropped", "foundry.txt", "--json"))
	if len(items) == 0 || items[0].Reason == "" || len(items[0].Spans) == 0 {
		t.Errorf("dropped prints %+v", items)
	}
	if out := sh.must(t, "documents", "dropped", "foundry.txt"); strings.Count(out, "\n") != len(items)+1 || !strings.Contains(out, "The schema has no label") {
		t.Errorf("dropped prints %q", out)
	}
}

// drain carries out the runs of all documents.
func (sh shell) drain(t *testing.T) {
	t.Helper()
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	noError(t, worker.Start(t.Context()))
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	for _, d := range docs {
		a.finishes(t, d.Run)
	}
	noError(t, worker.Stop(t.Context()))
}
