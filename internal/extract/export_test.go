package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
)

func TestExport(t *testing.T) {
	t.Parallel()
	g := domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Ada Brandt", Label: "Person", Properties: domain.Properties{{Key: "born", Value: "1940"}, {Key: "born", Value: "1941"}}},
			{Name: "Nordlicht", Label: "Company"},
		},
		Relationships: []domain.GraphRelationship{{Source: 0, Target: 1, Type: "FOUNDED"}},
	}
	p := domain.Passage{Chunk: domain.Chunk{ID: "c1", Document: "d1", Text: "Ada…", Span: domain.Span{Start: 3, End: 7}, Page: 2}, Name: "a.pdf", Title: "A"}
	got, err := json.MarshalIndent(extract.Export(g, p), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"nodes":[{"id":"Ada Brandt","type":"Person","properties":{"born":"1940"}},{"id":"Nordlicht","type":"Company","properties":{}}],
		"relationships":[{"source":{"id":"Ada Brandt","type":"Person"},"target":{"id":"Nordlicht","type":"Company"},"type":"FOUNDED","properties":{}}],
		"source":{"document_id":"d1","chunk_id":"c1","content_hash":"` + domain.Hash([]byte("Ada…")) + `","text":"Ada…",
		"metadata":{"name":"a.pdf","title":"A","page":2,"headings":null,"ordinal":0,"start":3,"end":7}}}`
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Fatal("not JSON")
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("export (-want +got):\n%s", diff)
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	want := domain.GraphDocument{Nodes: []domain.GraphNode{{Name: "The Curies"}}}
	l := extract.Local(func(title string, c domain.Chunk) domain.GraphDocument {
		if title != "The Curies" || c.Text != curie {
			t.Errorf("mines %q of %q", c.Text, title)
		}
		return want
	}, "builtin/1")
	if got, warnings := mustExtract(t, l, curie); !cmp.Equal(got, want) || warnings != nil || l.Reader() != "builtin/1" {
		t.Errorf("%+v, %q by %q", got, warnings, l.Reader())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Extract(ctx, requestOf(curie)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}
