package ingest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit"
)

// TestAResumedRunKeepsItsSchema saves another schema while a run is interrupted:
// the run goes on with the one it began with, and so does each of its chunks.
func TestAResumedRunKeepsItsSchema(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	save := func(base int64, label string) {
		t.Helper()
		_, err := b.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{
			Base: base, Guide: extract.Guide{Schema: extract.Schema{Labels: []extract.LabelRule{{Name: label}}, Strict: true}},
		})
		testkit.Must(t, err)
	}
	save(0, "Person")
	down := &llm.Error{Fault: llm.Unreachable, Message: "Nothing answers."}
	b.script.Before = func(_ context.Context, r extract.Request) error {
		if r.Chunks[0].Ordinal == 1 {
			return down
		}
		return nil
	}
	_, err := b.Ingest.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID), stategraph.Thread("t"))
	if !errors.Is(err, down) {
		t.Fatalf("error %v", err)
	}
	save(1, "Place")
	b.script.Before = nil
	state, err := b.Ingest.Resume(t.Context(), "t")
	testkit.Must(t, err)
	if doc := b.Document(t, b.doc.ID); state.Schema != 1 || doc.Schema != 1 || doc.Dropped != 0 || doc.Entities != 5 || doc.Reader != "scripted/1" {
		t.Errorf("state of schema %d, document %+v", state.Schema, doc)
	}
	kept, err := b.Ledger.Contributions(t.Context(), testkit.Workspace, b.doc.ID)
	testkit.Must(t, err)
	for _, c := range kept {
		if c.Reader != kept[0].Reader || c.Reader == "scripted/1" {
			t.Errorf("chunk read by %s, another by %s", c.Reader, kept[0].Reader)
		}
	}

	calls := len(b.script.Calls())
	_, err = b.run(t.Context())
	testkit.Must(t, err)
	doc := b.Document(t, b.doc.ID)
	items, err := b.Ledger.Dropped(t.Context(), testkit.Workspace, b.doc.ID, 0)
	testkit.Must(t, err)
	if doc.Schema != 2 || doc.Status != domain.DocumentEmpty || doc.Dropped != len(items) || doc.Dropped == 0 || len(b.script.Calls()) != calls {
		t.Errorf("read again as %+v with %d dropped items", doc, len(items))
	}
}
