package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func connections(t *testing.T, b Bench) {
	ctx := t.Context()
	answer := ledger.Connection{Role: "answer", Server: "openai", Address: "https://h/v1", Model: "big", PerMinute: 60, TokensPerMinute: 5_000_000_000, Sealed: "1.abc", Who: "ada", At: b.Clock.Now()}
	embed := ledger.Connection{Role: "embed", Server: "ollama", Address: "http://h/v1", Model: "small", At: b.Clock.Now()}
	all := func(want ...ledger.Connection) {
		t.Helper()
		got, err := b.Ledger.Connections(ctx)
		must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	all()
	must(t, b.Ledger.SaveConnections(ctx, embed, answer))
	all(answer, embed)
	b.Clock.Advance(time.Minute)
	answer = ledger.Connection{Role: "answer", Server: "vllm", Address: "http://h:8000/v1", Model: "other", Who: "bob", At: b.Clock.Now()}
	must(t, b.Ledger.SaveConnections(ctx, answer))
	all(answer, embed)
	for _, want := range []bool{true, false} {
		if found, err := b.Ledger.ForgetConnection(ctx, "answer"); found != want || err != nil {
			t.Errorf("forgotten %t, error %v; want %t", found, err, want)
		}
	}
	all(embed)
}

func outdatedChunks(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two := b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine.", "It was never done.")
	for _, d := range []domain.Document{one, two} {
		_, err := b.Ledger.UpdateDocument(ctx, ws, d.ID, func(d *domain.Document) { d.Status, d.Reader = domain.DocumentReady, "rules of "+d.Name })
		must(t, err)
	}
	chunks, err := b.Ledger.Chunks(ctx, ws, two.ID)
	must(t, err)
	documents, got, err := b.Ledger.OutdatedChunks(ctx, ws, "rules of "+one.Name)
	if documents != 1 || len(got) != len(chunks) || err != nil {
		t.Fatalf("got %d documents, %d chunks, error %v; want %d chunks", documents, len(got), err, len(chunks))
	}
	for i, c := range chunks {
		if g := got[i]; g.Document != two.ID || g.Ordinal != c.Ordinal || g.Tokens != c.Tokens {
			t.Errorf("chunk %d is %+v", i, got[i])
		}
	}
	counts, err := b.Ledger.CountDocuments(ctx, ws, "a model")
	must(t, err)
	if documents, _, err := b.Ledger.OutdatedChunks(ctx, ws, "a model"); documents != counts.Outdated || documents != 2 || err != nil {
		t.Errorf("got %d documents, error %v; want %d", documents, err, counts.Outdated)
	}
}
