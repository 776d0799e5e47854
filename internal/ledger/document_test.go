package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func documentsAreKeptOnce(t *testing.T, b Bench) {
	ctx := t.Context()
	d := domain.Document{
		Workspace: ws, ID: "d1", Name: "Curie.pdf", Title: "Marie Curie", Format: domain.FormatPDF, Size: 1 << 33,
		Hash: "00ff", Status: domain.DocumentWorking, Stage: "extract", Pages: 3, Chars: 7, Chunks: 5, ChunksDone: 4,
		Entities: 2, Relations: 1, Reader: "builtin/1", Schema: 3, Warnings: []string{"page 2 has no text", "✂ 漢字"},
		Problem: "none", Run: "r1", Took: 1234567 * time.Microsecond, Dropped: 9,
	}
	stored, existed, err := b.Ledger.AddDocument(ctx, d)
	must(t, err)
	want := d
	want.CreatedAt, want.UpdatedAt = b.Clock.Now(), b.Clock.Now()
	if diff := cmp.Diff(want, stored); existed || diff != "" {
		t.Errorf("first time: existed %v (-want +got)\n%s", existed, diff)
	}

	b.Clock.Advance(time.Hour)
	other := d
	other.Name = "Copy of Curie.pdf"
	again, existed, err := b.Ledger.AddDocument(ctx, other)
	must(t, err)
	if diff := cmp.Diff(want, again); !existed || diff != "" {
		t.Errorf("second time: existed %v (-want +got)\n%s", existed, diff)
	}
	got, err := b.Ledger.Document(ctx, ws, "d1")
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back: -want +got\n%s", diff)
	}
	_, err = b.Ledger.Document(ctx, ws, "d2")
	wantKind(t, err, domain.NotFound)
}

func documentsAreListed(t *testing.T, b Bench) {
	ctx := t.Context()
	add := func(id domain.DocumentID, name, title string, s domain.DocumentStatus) {
		t.Helper()
		_, _, err := b.Ledger.AddDocument(ctx, domain.Document{Workspace: ws, ID: id, Name: name, Title: title, Status: s})
		must(t, err)
	}
	add("d3", "a_100%.txt", "Äpfel", domain.DocumentReady)
	add("d1", "b.txt", "BIRNEN", domain.DocumentFailed)
	b.Clock.Advance(time.Second)
	add("d2", "c.txt", "Quinces!", domain.DocumentReady)

	for _, tt := range []struct {
		name  string
		query ledger.DocumentQuery
		want  []domain.DocumentID
		total int
	}{
		{"newest first, ties by id", ledger.DocumentQuery{}, ids("d2", "d1", "d3"), 3},
		{"a page", ledger.DocumentQuery{Limit: 1, Offset: 1}, ids("d1"), 3},
		{"behind the end", ledger.DocumentQuery{Offset: 9}, nil, 3},
		{"by status", ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady}}, ids("d2", "d3"), 2},
		{"by ids", ledger.DocumentQuery{IDs: ids("d3", "gone")}, ids("d3"), 1},
		{"by name, any case", ledger.DocumentQuery{Text: " C.TXT "}, ids("d2"), 1},
		{"by title beyond ASCII", ledger.DocumentQuery{Text: "äPF"}, ids("d3"), 1},
		{"a wildcard is a character", ledger.DocumentQuery{Text: "_100%"}, ids("d3"), 1},
		{"a wildcard matches nothing else", ledger.DocumentQuery{Text: "%"}, ids("d3"), 1},
		{"an escape is a character", ledger.DocumentQuery{Text: "quinces!"}, ids("d2"), 1},
		{"all at once", ledger.DocumentQuery{Text: "b", Status: []domain.DocumentStatus{domain.DocumentReady}, IDs: ids("d1")}, nil, 0},
	} {
		found, total, err := b.Ledger.Documents(ctx, ws, tt.query)
		must(t, err)
		var got []domain.DocumentID
		for _, d := range found {
			got = append(got, d.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || total != tt.total {
			t.Errorf("%s: got total %d, want %d (-want +got)\n%s", tt.name, total, tt.total, diff)
		}
	}

	counts, err := b.Ledger.CountDocuments(ctx, ws, "")
	must(t, err)
	want := map[domain.DocumentStatus]int{domain.DocumentReady: 2, domain.DocumentFailed: 1}
	if diff := cmp.Diff(want, counts.ByStatus); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
}

// documentsAreSorted lists all documents in every order, page by page in both directions,
// while a document at the edge of a page is deleted.
func documentsAreSorted(t *testing.T, b Bench) {
	ctx := t.Context()
	for i, d := range []domain.Document{
		{ID: "d3", Name: "b.pdf", Format: domain.FormatPDF, Size: 30, Chunks: 2, Entities: 7, Status: domain.DocumentReady},
		{ID: "d1", Name: "A.txt", Format: domain.FormatText, Size: 10, Chunks: 2, Entities: 0, Status: domain.DocumentFailed},
		{ID: "d5", Name: "ä.txt", Format: domain.FormatText, Size: 20, Chunks: 9, Entities: 0, Status: domain.DocumentReady},
		{ID: "d2", Name: "c.pdf", Format: domain.FormatPDF, Size: 20, Chunks: 1, Entities: 3, Status: domain.DocumentEmpty},
		{ID: "d4", Name: "a.txt", Format: domain.FormatText, Size: 40, Chunks: 2, Entities: 9, Status: domain.DocumentWaiting},
	} {
		d.Workspace = ws
		if i%2 == 1 {
			b.Clock.Advance(24 * time.Hour)
		}
		_, _, err := b.Ledger.AddDocument(ctx, d)
		must(t, err)
	}
	for sort, want := range map[domain.DocumentSort][]domain.DocumentID{
		"":         ids("d2", "d4", "d1", "d5", "d3"), // of a tie the first by id
		"added":    ids("d3", "d1", "d5", "d2", "d4"),
		"name":     ids("d1", "d4", "d3", "d2", "d5"),
		"-name":    ids("d5", "d2", "d3", "d4", "d1"),
		"size":     ids("d1", "d2", "d5", "d3", "d4"),
		"-size":    ids("d4", "d3", "d5", "d2", "d1"),
		"passages": ids("d2", "d1", "d3", "d4", "d5"), "-entities": ids("d4", "d3", "d2", "d5", "d1"),
		"state": ids("d2", "d1", "d3", "d5", "d4"),
	} {
		for size := 1; size <= 6; size++ {
			q := ledger.DocumentQuery{Sort: sort, Limit: size}
			var there, back []domain.DocumentID
			last := ledger.DocumentPlace("")
			for range want {
				q.After = last
				page, err := b.Ledger.ListDocuments(ctx, ws, q)
				must(t, err)
				for _, d := range page {
					there, last = append(there, d.ID), q.Place(d)
				}
			}
			q.After, q.Before = "", last
			for range want {
				page, err := b.Ledger.ListDocuments(ctx, ws, q)
				must(t, err)
				for i, d := range page {
					if i == 0 {
						q.Before = q.Place(d)
					}
				}
				var some []domain.DocumentID
				for _, d := range page {
					some = append(some, d.ID)
				}
				back = append(some, back...)
			}
			if diff := cmp.Diff(want, there); diff != "" {
				t.Errorf("by %q, %d at a time: -want +got\n%s", sort, size, diff)
			}
			if diff := cmp.Diff(want[:len(want)-1], back); diff != "" {
				t.Errorf("back by %q, %d at a time: -want +got\n%s", sort, size, diff)
			}
		}
	}
	texts := ledger.DocumentQuery{Formats: []domain.Format{domain.FormatText}, Sort: "-size", Limit: 1}
	first, err := b.Ledger.ListDocuments(ctx, ws, texts)
	must(t, err)
	texts.After = texts.Place(first[0])
	_, err = b.Ledger.DeleteDocument(ctx, ws, first[0].ID)
	must(t, err)
	next, err := b.Ledger.ListDocuments(ctx, ws, texts)
	must(t, err)
	if len(next) != 1 || next[0].ID != "d5" {
		t.Errorf("after a deleted document comes %+v, want d5", next)
	}
	texts.Before = texts.Place(next[0])
	if n, err := b.Ledger.CountBefore(ctx, ws, texts); err != nil || n != 0 {
		t.Errorf("%d documents are before the largest, error %v", n, err)
	}
	day := b.Clock.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	groups, err := b.Ledger.GroupDocuments(ctx, ws, ledger.Filtered(domain.DocumentFilter{From: day, To: day}))
	must(t, err)
	want := []ledger.DocumentGroup{{Status: domain.DocumentFailed, Format: domain.FormatText, Documents: 1, Passages: 2}, {Status: domain.DocumentReady, Format: domain.FormatText, Documents: 1, Passages: 9}}
	if diff := cmp.Diff(want, groups); diff != "" {
		t.Errorf("of the second day: -want +got\n%s", diff)
	}
}

func ids(s ...domain.DocumentID) []domain.DocumentID { return s }

func documentsAreUpdated(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "text")
	b.Clock.Advance(time.Minute)
	got, err := b.Ledger.UpdateDocument(ctx, ws, d.ID, func(d *domain.Document) {
		d.ID, d.Workspace, d.CreatedAt = "other", "other", time.Time{}
		d.Title, d.Status, d.Stage, d.Chunks, d.ChunksDone = "Two", domain.DocumentWorking, "split", 9, 3
		d.Entities, d.Relations, d.Reader, d.Warnings = 5, 6, "m/2", []string{"w"}
		d.Problem, d.Run, d.Took, d.Pages, d.Chars = "p", "r", time.Nanosecond, 7, 8
		d.Name, d.Format, d.Size, d.Hash = "n.md", domain.FormatMarkdown, 10, "h"
	})
	must(t, err)
	want := domain.Document{
		Workspace: ws, ID: d.ID, Name: "n.md", Title: "Two", Format: domain.FormatMarkdown, Size: 10, Hash: "h",
		Status: domain.DocumentWorking, Stage: "split", Pages: 7, Chars: 8, Chunks: 9, ChunksDone: 3, Entities: 5,
		Relations: 6, Reader: "m/2", Warnings: []string{"w"}, Problem: "p", Run: "r",
		CreatedAt: d.CreatedAt, UpdatedAt: b.Clock.Now(), Took: time.Nanosecond,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("returned: -want +got\n%s", diff)
	}
	got, err = b.Ledger.Document(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored: -want +got\n%s", diff)
	}
	if _, total, err := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{Text: "two"}); err != nil || total != 1 {
		t.Errorf("search for the new title: got %d documents, error %v", total, err)
	}
	_, err = b.Ledger.UpdateDocument(ctx, ws, "gone", func(*domain.Document) { t.Error("the update was called for a missing document") })
	wantKind(t, err, domain.NotFound)
}
