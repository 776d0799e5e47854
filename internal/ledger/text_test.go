package ledger_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func textsAndChunks(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "Grüße 👩‍🔬", "漢字 and e\u0301")
	text := domain.Text{
		Title: "One", Content: "Grüße 👩‍🔬\n\n漢字 and e\u0301", Pages: []domain.Page{{Number: 1, Span: domain.Span{End: 5}}},
		Headings: []domain.Heading{{Level: 2, Text: "Grüße", Span: domain.Span{Start: 1, End: 4}}}, Warnings: []string{"w"},
	}
	for range 2 { // the second time replaces
		must(t, b.Ledger.SaveText(ctx, ws, d.ID, text))
	}
	got, err := b.Ledger.Text(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(text, got); diff != "" {
		t.Errorf("text: -want +got\n%s", diff)
	}
	chunks, err := b.Ledger.Chunks(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(split(d.ID, []string{"Grüße 👩‍🔬", "漢字 and e\u0301"}), chunks); diff != "" {
		t.Errorf("chunks: -want +got\n%s", diff)
	}

	_, err = b.Ledger.Text(ctx, ws, "gone")
	wantKind(t, err, domain.NotFound)
	wantKind(t, b.Ledger.SaveText(ctx, ws, "gone", text), domain.NotFound)
	wantKind(t, b.Ledger.SaveChunks(ctx, ws, "gone", chunks), domain.NotFound)
}

func chunksReplaced(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "first", "second", "third")
	for _, c := range split(d.ID, []string{"first", "second", "third"}) {
		must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(c, "Ada")))
	}
	// The first chunk stays, the second is removed, the third moves up, a
	// fourth is added.
	now := split(d.ID, []string{"first", "third", "fourth"})
	now[0].Page, now[0].Places = 4, []domain.Page{{Unit: domain.UnitRow, Name: "Costs", Number: 2, Span: now[0].Span}}
	must(t, b.Ledger.SaveChunks(ctx, ws, d.ID, now))

	chunks, err := b.Ledger.Chunks(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(now, chunks); diff != "" {
		t.Errorf("chunks: -want +got\n%s", diff)
	}
	kept, err := b.Ledger.Contributions(ctx, ws, d.ID)
	must(t, err)
	if len(kept) != 1 || kept[0].Chunk != now[0].ID {
		t.Errorf("got contributions %+v, want only the first chunk's", kept)
	}
	must(t, b.Ledger.SaveChunks(ctx, ws, d.ID, nil))
	if chunks, err := b.Ledger.Chunks(ctx, ws, d.ID); err != nil || len(chunks) != 0 {
		t.Errorf("got %d chunks, error %v, want none", len(chunks), err)
	}
}

func passages(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two := b.add(t, ws, "one", "a", "b"), b.add(t, ws, "two", "c")
	c1, c2 := split(one.ID, []string{"a", "b"}), split(two.ID, []string{"c"})
	got, err := b.Ledger.Passages(ctx, ws, []domain.ChunkID{c2[0].ID, "gone", c1[1].ID, c1[0].ID})
	must(t, err)
	want := []domain.Passage{
		{Chunk: c2[0], Name: "two.txt", Title: "two"},
		{Chunk: c1[1], Name: "one.txt", Title: "one"},
		{Chunk: c1[0], Name: "one.txt", Title: "one"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err := b.Ledger.Passages(ctx, ws, nil); err != nil || len(got) != 0 {
		t.Errorf("no ids: got %v, error %v", got, err)
	}
}

// eachChunk reads more chunks than fit into one batch.
func eachChunk(t *testing.T, b Bench) {
	ctx := t.Context()
	var texts []string
	for i := range 700 {
		texts = append(texts, fmt.Sprint("text ", i))
	}
	long, short, hidden := b.add(t, ws, "long", texts...), b.add(t, ws, "short", "a", "b"), b.add(t, ws, "hidden", "c")
	var want []domain.ChunkID
	published := []domain.Document{long, short}
	if short.ID < long.ID {
		published = []domain.Document{short, long}
	}
	for _, d := range published {
		_, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
		chunks, err := b.Ledger.Chunks(ctx, ws, d.ID)
		must(t, err)
		for _, c := range chunks {
			want = append(want, c.ID)
		}
	}
	var got []domain.ChunkID
	must(t, b.Ledger.EachChunk(ctx, ws, func(p domain.Passage) error {
		got = append(got, p.ID)
		if p.Document == hidden.ID || p.Name == "" {
			t.Errorf("got %+v, want published chunks with the name of their document", p)
		}
		return nil
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	stop, calls := errors.New("enough"), 0
	err := b.Ledger.EachChunk(ctx, ws, func(domain.Passage) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("got error %v after %d calls, want the callback's error after 1", err, calls)
	}
}
