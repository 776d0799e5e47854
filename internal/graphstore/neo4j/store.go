// Package neo4j keeps the entity graph in a Neo4j server, in the vocabulary
// that Neo4j's own tools use:
//
//	(:Document)<-[:FROM_DOCUMENT]-(:Chunk)-[:NEXT_CHUNK]->(:Chunk)
//	(:__Entity__:Person {id, name, …})-[:FROM_CHUNK]->(:Chunk)
//	(:__Entity__)-[:WORKS_FOR {id, contributions, …}]->(:__Entity__)
//
// Every node has a workspace_id, and every query filters by it. A node (:__Workspace__) holds a
// workspace's cursor; its writers lock it.
// Labels, types and property keys that come from documents are mapped to plain
// names and reach the server as parameters only; see token.
package neo4j

import (
	"context"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

var _ graphstore.Store = (*Store)(nil)

// Options configure a Store. User, Password and Database are as in the server's
// settings; an empty Database means the user's home database.
type Options struct {
	URL, User, Password, Database string

	// SilenceTimeout is how long the server may be silent before it is asked whether it is still
	// there, and how long it may take to answer that. If it does not answer, the operation fails. If
	// zero, it is a 24th of Timeout, but at least 5 s: a server that is allowed a long time for a step
	// may be slow to answer too.
	SilenceTimeout time.Duration

	// Timeout is how long a running server may be silent before an operation fails; 2 min if zero. It
	// does not limit operations that make progress.
	Timeout time.Duration

	// Remember is the pause between two looks for a server that is down. In between, operations fail
	// at once, and Open opens the store of a server that does not answer. If zero, each operation
	// tries the server itself.
	Remember time.Duration

	Now domain.Clock // required with Remember

	// Rows is the number of rows sent in one statement; 1,000 if zero.
	Rows int
}

const (
	// maxConnections bounds this process's connections; a server accepts about
	// 400.
	maxConnections = 40
	// retries is how long a transaction is retried after a conflict or a lost connection. For longer
	// outages callers have better means: readers go on without the graph, projectors try again.
	retries = 3 * time.Second
	// readLimit and writeLimit bound a whole transaction. The longest read is the adjacency of a whole
	// library.
	readLimit  = 5 * time.Minute
	writeLimit = 15 * time.Minute
)

// Store is a graph in a Neo4j server. It is safe for concurrent use, and
// several processes may share a server.
type Store struct {
	Options
	driver    driver.DriverWithContext
	bookmarks driver.BookmarkManager
	owners    *domain.Owners
	outage    *domain.Outage // nil to try anyway
}

// Close releases the connections.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := s.driver.Close(ctx)
	if s.outage != nil {
		s.outage.End()
	}
	return err
}
