package ledger_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func outbox(t *testing.T, b Bench) {
	ctx := t.Context()
	if head, err := b.Ledger.Head(ctx, ws); err != nil || head != 0 {
		t.Errorf("unknown workspace: got head %d, error %v, want 0", head, err)
	}
	one, two := b.add(t, ws, "one", "a"), b.add(t, ws, "two", "b")
	_, err := b.Ledger.Publish(ctx, ws, one.ID)
	must(t, err)
	_, err = b.Ledger.Publish(ctx, ws, two.ID)
	must(t, err)
	seq, err := b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	want := []ledger.Change{{Seq: 1, Document: one.ID}, {Seq: 2, Document: two.ID}, {Seq: 3, Document: one.ID, Deleted: true}}
	changes, err := b.Ledger.Changes(ctx, ws, 0, 0)
	must(t, err)
	if diff := cmp.Diff(want, changes); diff != "" || seq != 3 {
		t.Errorf("deleted as change %d (-want +got)\n%s", seq, diff)
	}
	changes, err = b.Ledger.Changes(ctx, ws, 1, 1)
	must(t, err)
	if diff := cmp.Diff(want[1:2], changes); diff != "" {
		t.Errorf("one change after the first (-want +got)\n%s", diff)
	}
	pending, err := b.Ledger.Pending(ctx, ws, 1)
	must(t, err)
	if diff := cmp.Diff([]domain.DocumentID{two.ID, one.ID}, pending.Documents); diff != "" || pending.Since.IsZero() {
		t.Errorf("pending after the first change, since %s (-want +got)\n%s", pending.Since, diff)
	}
	if none, err := b.Ledger.Pending(ctx, ws, 3); err != nil || len(none.Documents) != 0 || !none.Since.IsZero() {
		t.Errorf("pending after the last change: got %+v, error %v, want none", none, err)
	}
	if head, err := b.Ledger.Head(ctx, ws); err != nil || head != 3 {
		t.Errorf("got head %d, error %v, want 3", head, err)
	}
	titles, err := b.Ledger.TitlesOf(ctx, ws, []domain.DocumentID{one.ID, two.ID})
	must(t, err)
	if diff := cmp.Diff([]ledger.TitleRow{{Document: two.ID, Title: "two", Name: "two.txt"}}, titles); diff != "" {
		t.Errorf("titles: -want +got\n%s", diff)
	}
	_, err = b.Ledger.Publish(ctx, ws, one.ID)
	wantKind(t, err, domain.NotFound)
	_, err = b.Ledger.DeleteDocument(ctx, ws, one.ID)
	wantKind(t, err, domain.NotFound)
	publishAtOnce(t, b, two.ID)
}

// publishAtOnce publishes from several goroutines: the changes are numbered
// uniquely and without gaps.
func publishAtOnce(t *testing.T, b Bench, id domain.DocumentID) {
	t.Helper()
	const n = 20
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := b.Ledger.Publish(t.Context(), ws, id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	changes, err := b.Ledger.Changes(t.Context(), ws, 3, 0)
	must(t, err)
	for i, c := range changes {
		if c.Seq != int64(4+i) {
			t.Errorf("change %d: got number %d", i, c.Seq)
		}
	}
	if len(changes) != n {
		t.Errorf("got %d changes, want %d", len(changes), n)
	}
}

func workspacesAreClosed(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "a")
	chunk := split(d.ID, []string{"a"})[0]
	must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(chunk, "Ada", "Babbage")))
	_, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)

	const other domain.WorkspaceID = "w2"
	b.add(t, other, "theirs", "b")
	_, err = b.Ledger.Document(ctx, other, d.ID)
	wantKind(t, err, domain.NotFound)
	_, err = b.Ledger.Text(ctx, other, d.ID)
	wantKind(t, err, domain.NotFound)
	_, err = b.Ledger.Publish(ctx, other, d.ID)
	wantKind(t, err, domain.NotFound)
	_, err = b.Ledger.DeleteDocument(ctx, other, d.ID)
	wantKind(t, err, domain.NotFound)
	wantKind(t, b.Ledger.RecordContribution(ctx, other, ledgerContribution(chunk, "Eve")), domain.NotFound)

	found := 0
	count := func(n int, err error) {
		t.Helper()
		must(t, err)
		found += n
	}
	chunks, err := b.Ledger.Chunks(ctx, other, d.ID)
	count(len(chunks), err)
	passages, err := b.Ledger.Passages(ctx, other, []domain.ChunkID{chunk.ID})
	count(len(passages), err)
	mentions, err := b.Ledger.Mentions(ctx, other, []string{"ada"})
	count(len(mentions), err)
	statements, err := b.Ledger.Statements(ctx, other, []string{"ada"})
	count(len(statements), err)
	contributions, err := b.Ledger.Contributions(ctx, other, d.ID)
	count(len(contributions), err)
	changes, err := b.Ledger.Changes(ctx, other, 0, 0)
	count(len(changes), err)
	count(0, b.Ledger.EachChunk(ctx, other, func(domain.Passage) error { found++; return nil }))
	if found != 0 {
		t.Errorf("another workspace: got %d rows, want none", found)
	}
	all, err := b.Ledger.WorkspaceIDs(ctx)
	must(t, err)
	if diff := cmp.Diff([]domain.WorkspaceID{domain.DefaultWorkspace, ws, other}, all); diff != "" {
		t.Errorf("workspaces: -want +got\n%s", diff)
	}
}
