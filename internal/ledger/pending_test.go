package ledger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// deletionTakenBack hides documents by a deletion, which is undone, and carries another one
// out.
func deletionTakenBack(t *testing.T, b Bench) {
	ctx := t.Context()
	d := Doom(t, b)
	for _, id := range []domain.DocumentID{d.Document.ID, d.Kept.ID} {
		_, err := b.Ledger.UpdateDocument(ctx, ws, id, func(d *domain.Document) { d.Status = domain.DocumentReady })
		must(t, err)
	}
	retag(t, b, ws, d.Document.ID, []string{"old"})
	before, err := b.Ledger.Document(ctx, ws, d.Document.ID)
	must(t, err)
	chunks, err := b.Ledger.Chunks(ctx, ws, before.ID)
	must(t, err)
	head, err := b.Ledger.Head(ctx, ws)
	must(t, err)
	tagged := ledger.DocumentQuery{Tag: "old"}

	toll, err := b.Ledger.Toll(ctx, ws, tagged)
	must(t, err)
	if want := (ledger.Toll{Documents: 1, Entities: 1, Relations: 1, Answers: 1, Summaries: 1, Passages: before.Chunks}); toll != want {
		t.Errorf("the deletion would remove %+v, want %+v", toll, want)
	}
	gone := ledger.Deletion{ID: "x1", At: b.Clock.Now().Add(10 * time.Second)}
	for want := 1; want >= 0; want-- {
		if n, err := b.Ledger.MarkDeleted(ctx, ws, tagged, gone); n != want || err != nil {
			t.Fatalf("%d documents are deleted, error %v; want %d", n, err, want)
		}
	}
	hidden := func(want bool) {
		t.Helper()
		_, err := b.Ledger.Document(ctx, ws, before.ID)
		listed, total, listing := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{})
		must(t, listing)
		passages, err2 := b.Ledger.Passages(ctx, ws, []domain.ChunkID{chunks[0].ID})
		must(t, err2)
		scope, err3 := b.Ledger.Within(ctx, ws, domain.Scope{})
		must(t, err3)
		rows, err4 := b.Ledger.Mentions(ctx, ws, []string{strings.ToLower(Marker)})
		must(t, err4)
		counts, err5 := b.Ledger.CountDocuments(ctx, ws, "")
		must(t, err5)
		tags, err6 := b.Ledger.Tags(ctx, ws)
		must(t, err6)
		got := []bool{domain.KindOf(err) == domain.NotFound && err != nil, len(listed) == 1 && total == 1, len(passages) == 0, len(scope) == 1, len(rows) == 0, counts.All() == 1, len(tags) == 0}
		for i, what := range []string{"its row", "the list", "passages", "scopes", "mentions", "counts", "tags"} {
			if got[i] != want {
				t.Errorf("hidden from %s: %t, want %t", what, got[i], want)
			}
		}
	}
	hidden(true)
	if _, err := b.Ledger.Publish(ctx, ws, before.ID); err != nil { // by a run that has not noticed
		t.Error(err)
	}
	hidden(true)
	if due, err := b.Ledger.Marked(ctx, ws, 9); err != nil || len(due) != 0 {
		t.Errorf("%d are to be deleted before their time, error %v", len(due), err)
	}
	wantKind(t, b.Ledger.DeleteMarked(ctx, ws, before.ID), domain.Conflict)
	if n, err := b.Ledger.Undelete(ctx, ws, "x1"); n != 1 || err != nil {
		t.Fatalf("%d documents are back, error %v", n, err)
	}
	hidden(false)
	after, err := b.Ledger.Document(ctx, ws, before.ID)
	must(t, err)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("it is not as it was: -before +after\n%s", diff)
	}
	changes, err := b.Ledger.Changes(ctx, ws, head, 0)
	must(t, err)
	want := []ledger.Change{{Seq: head + 1, Document: before.ID, Deleted: true}, {Seq: head + 2, Document: before.ID}, {Seq: head + 3, Document: before.ID}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes: -want +got\n%s", diff)
	}

	gone.ID, gone.At = "x2", b.Clock.Now().Add(10*time.Second)
	_, err = b.Ledger.MarkDeleted(ctx, ws, tagged, gone)
	must(t, err)
	b.Clock.Advance(11 * time.Second)
	if n, err := b.Ledger.Undelete(ctx, ws, "x2"); n != 0 || err != nil {
		t.Errorf("%d documents are back too late, error %v", n, err)
	}
	due, err := b.Ledger.Marked(ctx, ws, 9)
	must(t, err)
	if len(due) != 1 || due[0].ID != before.ID {
		t.Fatalf("to be deleted are %+v", due)
	}
	must(t, b.Ledger.DeleteMarked(ctx, ws, before.ID))
	if held, err := b.Ledger.DocumentsOfFile(ctx, ws, before.Hash); err != nil || len(held) > 0 {
		t.Errorf("it is still there: %+v, error %v", held, err)
	}
	if at, err := b.Ledger.MarkedUntil(ctx, ws); !at.IsZero() || err != nil {
		t.Errorf("something waits until %v, error %v", at, err)
	}
}

// stubsInAnswers deletes a document whose sentences stand in answers: only whole ones go, and
// none where the person keeps them.
func stubsInAnswers(t *testing.T, b Bench) {
	ctx := t.Context()
	for _, keep := range []bool{false, true} {
		name := "bell" + map[bool]string{true: "2"}[keep]
		d := b.add(t, ws, name, "Heading\n\nThe great bell of\nOsterby cracked in "+name+". It was cast anew.")
		k, m := b.conversation(t, domain.ConversationID("k"+name)), domain.MessageID("m"+name)
		answer := "The great bell of Osterby cracked in " + name + " [1]. People say it cracked. It was loud [2]."
		must(t, b.addMessage(ctx, ledger.Answer{
			Message: m, Workspace: ws, Conversation: k.ID, Question: "What cracked?", Run: domain.RunID(name), Text: answer, Status: ledger.MessageDone,
			Sentences: []domain.Sentence{{Text: "The great bell of Osterby cracked in " + name + ".", Citations: []int{1}}, {Text: "People say it cracked."}},
			Citations: []domain.Citation{{N: 1, DocumentID: d.ID, Document: d.Name, Text: "bell"}},
		}))
		_, err := b.Ledger.MarkDeleted(ctx, ws, ledger.DocumentQuery{IDs: ids(d.ID)}, ledger.Deletion{ID: domain.DeletionID(name), At: b.Clock.Now(), Keep: keep})
		must(t, err)
		must(t, b.Ledger.DeleteMarked(ctx, ws, d.ID))
		left, err := b.Ledger.Message(ctx, ws, m)
		must(t, err)
		want, first := ledger.Stub+" [1] People say it cracked. It was loud [2].", ledger.Stub
		if keep {
			want, first = answer, "The great bell of Osterby cracked in "+name+"."
		}
		if left.Text != want || left.Sentences[0].Text != first || left.Sentences[1].Text != "People say it cracked." {
			t.Errorf("kept %t: the answer is %q with %+v, want %q", keep, left.Text, left.Sentences, want)
		}
		found, err := b.Ledger.RecentConversations(ctx, ws, ledger.ConversationQuery{Text: "osterby"})
		must(t, err)
		if keep != (len(found) == 1) {
			t.Errorf("kept %t: %d conversations are found by its words", keep, len(found))
		}
	}
}
