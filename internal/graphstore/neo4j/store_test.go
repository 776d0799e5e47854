package neo4j_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/graphstoretest"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/servers"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	servers.Neo4j(t)
	graphstoretest.Run(t, long.Or[int64](30, 200), func(t *testing.T) graphstore.Store {
		s := open(t, servers.Neo4j(t))
		for _, w := range graphstoretest.Workspaces(t) { // left by an earlier run
			ask(t, servers.Neo4j(t), w, `MERGE (w:__Workspace__ {id: $w}) ON CREATE SET w.workspace_id = $w, w.cursor = 0, w.version = 0 SET w.token = 0`)
			reset(t, s, w)
		}
		return s
	})
}

// open returns a store on a server.
func open(t testing.TB, at *servers.Neo4jServer) *neo4j.Store {
	t.Helper()
	s, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, Database: at.Database, SilenceTimeout: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func reset(t testing.TB, s graphstore.Store, w domain.WorkspaceID) {
	t.Helper()
	if err := s.Reset(t.Context(), w, 0); err != nil {
		t.Fatal(err)
	}
}
