package ledger_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// schema saves a version of a scope's schema on top of base.
func (b Bench) schema(t *testing.T, s ledger.SchemaScope, body string, base int64) ledger.SchemaVersion {
	t.Helper()
	v, err := b.Ledger.AddSchema(t.Context(), ws, ledger.SchemaVersion{Scope: s, Who: "eve", Note: "why", Body: body}, base)
	must(t, err)
	return v
}

func schemas(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "letters", "Ada met Babbage.")
	retag(t, b, ws, d.ID, []string{"early", "letters"})
	library, letters, late, own := ledger.SchemaScope{}, ledger.SchemaScope{Tag: "letters"}, ledger.SchemaScope{Tag: "late"}, ledger.SchemaScope{Document: d.ID}

	_, err := b.Ledger.Schema(ctx, ws, 1)
	wantKind(t, err, domain.NotFound)
	first := b.schema(t, library, "{1}", 0)
	if want := (ledger.SchemaVersion{Number: 1, At: b.Clock.Now(), Who: "eve", Note: "why", Body: "{1}"}); !cmp.Equal(want, first) {
		t.Errorf("got %+v, want %+v", first, want)
	}
	second := b.schema(t, letters, "{2}", 0)
	b.Clock.Advance(time.Minute)
	third := b.schema(t, library, "{3}", first.Number)
	fourth := b.schema(t, late, "{4}", 0)
	fifth := b.schema(t, own, "{5}", 0)
	sixth, seventh := b.schema(t, ledger.SchemaScope{Name: "minutes"}, "{6}", 0), b.schema(t, ledger.SchemaScope{Name: "other"}, "{7}", 0)
	for _, base := range []int64{0, first.Number, second.Number, 99} {
		_, err = b.Ledger.AddSchema(ctx, ws, ledger.SchemaVersion{Body: "{}"}, base)
		wantKind(t, err, domain.Conflict)
	}
	_, err = b.Ledger.AddSchema(ctx, ws, ledger.SchemaVersion{Scope: ledger.SchemaScope{Tag: "new"}, Body: "{}"}, 1)
	wantKind(t, err, domain.Conflict)
	_, err = b.Ledger.AddSchema(ctx, ws, ledger.SchemaVersion{Scope: ledger.SchemaScope{Document: "nobody"}, Body: "{}"}, 0)
	wantKind(t, err, domain.NotFound)
	if other, err := b.Ledger.AddSchema(ctx, "elsewhere", ledger.SchemaVersion{Body: "{}"}, 0); err != nil || other.Number != 1 {
		t.Errorf("another workspace: got version %d, error %v, want 1", other.Number, err)
	}

	b.wantSchemas(t, []ledger.SchemaVersion{third, first}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.SchemaVersions(ctx, ws, library, 0)
	})
	b.wantSchemas(t, []ledger.SchemaVersion{third}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.SchemaVersions(ctx, ws, library, 1)
	})
	b.wantSchemas(t, []ledger.SchemaVersion{third, fourth, second, sixth, seventh, fifth}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.LatestSchemas(ctx, ws)
	})
	b.wantSchemas(t, []ledger.SchemaVersion{third, second, fifth}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.SchemasFor(ctx, ws, d.ID)
	})
	_, err = b.Ledger.UpdateDocument(ctx, ws, d.ID, func(d *domain.Document) {
		d.Chosen, d.Chunking = "minutes", domain.Chunking{By: domain.ByHeadings, Tokens: 64, Field: "body"}
	})
	must(t, err)
	b.wantSchemas(t, []ledger.SchemaVersion{third, second, sixth, fifth}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.SchemasFor(ctx, ws, d.ID)
	})
	if found, n, err := b.Ledger.Documents(ctx, ws, ledger.DocumentQuery{Chosen: "minutes"}); err != nil || n != 1 || found[0].Chosen != "minutes" || found[0].Chunking.Field != "body" {
		t.Errorf("documents with the chosen schema: %+v of %d, error %v", found, n, err)
	}
	b.wantSchemas(t, []ledger.SchemaVersion{third}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.SchemasFor(ctx, ws, "unknown")
	})
	if got, err := b.Ledger.Schema(ctx, ws, 2); err != nil || !cmp.Equal(second, got) {
		t.Errorf("got %+v, error %v, want %+v", got, err, second)
	}

	_, err = b.Ledger.DeleteDocument(ctx, ws, d.ID)
	must(t, err)
	_, err = b.Ledger.Schema(ctx, ws, fifth.Number)
	wantKind(t, err, domain.NotFound)
	b.wantSchemas(t, []ledger.SchemaVersion{third, fourth, second, sixth, seventh}, func(ctx context.Context) ([]ledger.SchemaVersion, error) {
		return b.Ledger.LatestSchemas(ctx, ws)
	})
}

func (b Bench) wantSchemas(t *testing.T, want []ledger.SchemaVersion, list func(context.Context) ([]ledger.SchemaVersion, error)) {
	t.Helper()
	got, err := list(t.Context())
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// schemasAtOnce checks that of several people who save on top of the same
// version one succeeds.
func schemasAtOnce(t *testing.T, b Bench) {
	first := b.schema(t, ledger.SchemaScope{}, "{}", 0)
	const together = 4
	var wg sync.WaitGroup
	failures := make([]error, together)
	for i := range together {
		wg.Go(func() {
			_, failures[i] = b.Ledger.AddSchema(t.Context(), ws, ledger.SchemaVersion{Body: "{}"}, first.Number)
		})
	}
	wg.Wait()
	saved := 0
	for _, err := range failures {
		if err == nil {
			saved++
			continue
		}
		wantKind(t, err, domain.Conflict)
	}
	versions, err := b.Ledger.SchemaVersions(t.Context(), ws, ledger.SchemaScope{}, 0)
	must(t, err)
	if saved != 1 || len(versions) != 2 {
		t.Errorf("%d saved, %d versions; want 1 and 2", saved, len(versions))
	}
}
