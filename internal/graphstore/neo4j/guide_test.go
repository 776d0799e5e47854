package neo4j_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// TestGuideQueries runs the queries of the page about stores on a graph with the
// names they use.
func TestGuideQueries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/stores.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```cypher\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("the guide has no queries")
	}
	at := servers.Neo4j(t)
	s, ws := open(t, at), domain.WorkspaceID(t.Name())
	mention := []graphstore.Link{{Chunk: "guide", Document: "guide", Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: 0, End: 5}}}}
	entity := func(id domain.EntityID, name string) graphstore.Entity {
		return graphstore.Entity{Links: mention, Entity: domain.Entity{ID: id, Label: "Thing", Key: strings.ToLower(name), Name: name, Mentions: 1, Chunks: 1, Documents: 1}}
	}
	relation := func(source, target domain.EntityID) domain.Relation {
		return domain.Relation{ID: domain.NewRelationID(source, "KNOWS", target), Source: source, Type: "KNOWS", Target: target}
	}
	apply(t, s, ws, graphstore.Batch{
		Documents: []graphstore.Document{{ID: "guide", Name: "minutes.docx", Chunks: []graphstore.Chunk{{ID: "guide", Span: domain.Span{End: 5}, Text: "words"}}}},
		Entities:  []graphstore.Entity{entity("guide-a", "Henrike Aldous"), entity("guide-b", "The mason"), entity("guide-c", "Copper Bridge")},
		Relations: []domain.Relation{relation("guide-a", "guide-b"), relation("guide-c", "guide-b")},
	})
	queries := strings.Split(strings.TrimSpace(string(block[1])), ";")
	run := 0
	for _, query := range queries {
		if strings.TrimSpace(query) == "" {
			continue
		}
		run++
		if rows := ask(t, at, ws, query); len(rows) == 0 {
			t.Errorf("got no rows from %s", query)
		}
	}
	if run != 5 {
		t.Errorf("got %d queries, want 5", run)
	}
}
