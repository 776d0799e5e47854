// Package neo4jtest lets tests bypass the store, like the server's tools.
package neo4jtest

import (
	"testing"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// Change runs a statement, in which $w is w, and fails the test if it changes
// nothing.
func Change(t testing.TB, at *servers.Neo4jServer, w domain.WorkspaceID, statement string) {
	t.Helper()
	d, err := driver.NewDriverWithContext(at.URL, driver.BasicAuth(at.User, at.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(t.Context())
	result, err := driver.ExecuteQuery(t.Context(), d, statement, map[string]any{"w": string(w)}, driver.EagerResultTransformer, driver.ExecuteQueryWithDatabase(at.Database))
	if err != nil {
		t.Fatal(err)
	}
	if !result.Summary.Counters().ContainsUpdates() {
		t.Fatalf("%s changed nothing", statement)
	}
}
