// Package neo4j keeps the entity graph in a Neo4j server, in the vocabulary
// that Neo4j's own tools use:
//
//	(:Document)<-[:FROM_DOCUMENT]-(:Chunk)-[:NEXT_CHUNK]->(:Chunk)
//	(:__Entity__:Person {id, name, …})-[:FROM_CHUNK]->(:Chunk)
//	(:__Entity__)-[:WORKS_FOR {id, contributions, …}]->(:__Entity__)
//
// Every node has a workspace_id, and every query asks for it. A node
// (:__Workspace__) holds a workspace's cursor and is what its writers lock.
// Labels, types and property keys that come from documents are mapped to plain
// names and reach the server as parameters only; see token.
package neo4j

import (
	"context"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/graphstore"
)

var _ graphstore.Store = (*Store)(nil)

// Options say which server to use and how to treat it. User, Password and
// Database are as in the server's own settings; an empty Database is the
// user's home database.
type Options struct {
	URL, User, Password, Database string

	// Patience is how long the server may be silent before the work at hand
	// is given up; 20 s when 0. It bounds no work that goes on.
	Patience time.Duration

	// Rows is how many rows go to the server in one statement; 1,000 when 0.
	Rows int
}

const (
	// maxConnections bounds the connections of this process; a server takes
	// on about 400 at once.
	maxConnections = 40
	// retries is for how long a transaction that met another one, or a server
	// that went away, is tried again. Who called can do it better for longer:
	// a reader by doing without, a projector by its next try.
	retries = 3 * time.Second
	// readLimit and writeLimit bound a whole transaction, however busy. The
	// longest read is that of a library's whole adjacency.
	readLimit  = 5 * time.Minute
	writeLimit = 15 * time.Minute
)

// Store is a graph in a Neo4j server. It is safe for concurrent use, and
// several processes may use the same server.
type Store struct {
	Options
	driver    driver.DriverWithContext
	bookmarks driver.BookmarkManager
}

// Close releases the connections.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	return s.driver.Close(ctx)
}
