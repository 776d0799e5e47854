package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// divisions keeps what the graph of a workspace and of a sight were divided into, deletes a document, and keeps no division that
// may have its words.
func divisions(t *testing.T, b Bench) {
	ctx := t.Context()
	publish := func(name string) (domain.DocumentID, int64) {
		t.Helper()
		d := b.add(t, ws, name, name)
		seq, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
		return d.ID, seq
	}
	first, at := publish("one")
	_, later := publish("two")
	made := func(place domain.WorkspaceID, change int64) ledger.Division {
		return ledger.Division{Place: place, Change: change, Program: "1", MadeAt: b.Clock.Now(), Took: 3 * time.Second, Content: []byte{1, byte(change)}}
	}
	kept := func(place domain.WorkspaceID, program string, after int64) (change int64) {
		t.Helper()
		d, found, err := b.Ledger.Division(ctx, ws, place, program, after)
		must(t, err)
		if want := made(place, d.Change); found && !cmp.Equal(d, want) {
			t.Errorf("got %+v, want %+v", d, want)
		}
		return d.Change
	}
	for _, d := range []ledger.Division{made(ws, at), made(ws, later), made(ws+"~s", at)} { // the first without a document that came since
		must(t, b.Ledger.KeepDivision(ctx, ws, d))
	}
	if a, b, c, d := kept(ws, "1", -1), kept(ws, "1", later), kept(ws, "2", -1), kept(ws+"~s", "1", -1); a != later || b != 0 || c != 0 || d != at {
		t.Errorf("kept at changes %d, %d, %d, %d", a, b, c, d)
	}
	must(t, b.Ledger.DropSight(ctx, ws, ws+"~s"))
	if a, b := kept(ws, "1", -1), kept(ws+"~s", "1", -1); a != later || b != 0 {
		t.Errorf("without the sight: kept at changes %d, %d", a, b)
	}
	gone, err := b.Ledger.DeleteDocument(ctx, ws, first)
	must(t, err)
	must(t, b.Ledger.KeepDivision(ctx, ws, made(ws, later)))
	if a := kept(ws, "1", -1); a != 0 {
		t.Errorf("without the document: kept at change %d", a)
	}
	must(t, b.Ledger.KeepDivision(ctx, ws, made(ws, gone)))
	second, _ := publish("three")
	_, err = b.Ledger.Publish(ctx, ws, second)
	must(t, err)
	must(t, b.Ledger.KeepDivision(ctx, ws, made(ws, gone+1))) // and the document changed
	if a := kept(ws, "1", -1); a != gone {
		t.Errorf("after the change: kept at change %d, want %d", a, gone)
	}
	must(t, b.Ledger.DropDivisions(ctx, ws))
	if a := kept(ws, "1", -1); a != 0 {
		t.Errorf("dropped: kept at change %d", a)
	}
}
