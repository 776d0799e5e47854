package neo4j_test

import (
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
)

// TestDamageIsFound changes the graph behind the store's back and compares it
// with the same graph in a file, like clew fsck.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	at := servers.Neo4j(t)
	got, ws := open(t, at), domain.WorkspaceID(t.Name())
	want, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "graph.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	link := graphstore.Link{Chunk: "c1", Document: "d1", Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: 0, End: 2}}}
	whole := graphstore.Batch{
		Documents: []graphstore.Document{{ID: "d1", Name: "a.txt", Chunks: []graphstore.Chunk{{ID: "c1", Text: "e1 met e2"}, {ID: "c2", Ordinal: 1, Text: "and e3"}}}},
		Entities:  []graphstore.Entity{entity("e1", "Person", link), entity("e2", "Person", link), entity("e3", "Place", link)},
		Relations: []domain.Relation{related("e1", "MET", "e2"), related("e2", "NEAR", "e3")},
	}
	apply(t, want, ws, whole)
	for says, damage := range map[maintenance.Problem]string{
		"":                          `RETURN $w`,
		maintenance.EntityMissing:   `MATCH (e:__Entity__ {workspace_id: $w, id: "e1"}) DETACH DELETE e`,
		maintenance.EntityExtra:     `MATCH (e:__Entity__ {workspace_id: $w, id: "e1"}) CREATE (x:__Entity__:Person) SET x = e {.*, id: "e9"}`,
		maintenance.EntityDiffers:   `MATCH (e:__Entity__ {workspace_id: $w, id: "e1"}) SET e.name = "Somebody Else"`,
		maintenance.RelationMissing: `MATCH (:__Entity__ {workspace_id: $w, id: "e1"})-[r:MET]->() DELETE r`,
		maintenance.LinkMissing:     `MATCH (:__Entity__ {workspace_id: $w, id: "e2"})-[r:FROM_CHUNK]->() DELETE r`,
		maintenance.NodesDiffer:     `MATCH (c:Chunk {workspace_id: $w, id: "c2"}) DETACH DELETE c`,
	} {
		reset(t, got, ws)
		apply(t, got, ws, whole)
		ask(t, at, ws, damage)
		found, err := maintenance.CompareGraphs(t.Context(), ws, want, got)
		if err != nil {
			t.Errorf("want %s: %v", says, err)
		}
		if _, ok := found[says]; ok == (says == "") || says == "" && len(found) > 0 {
			t.Errorf("after %s\ngot %v, want %q", damage, found, says)
		}
	}
}
