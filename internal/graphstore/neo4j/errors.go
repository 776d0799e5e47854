package neo4j

import (
	"context"
	"errors"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
)

// explain turns an error of the server or the driver into a sentence. It leaves
// our own errors, and the end of the caller's context, unchanged.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if domain.KindOf(err) != domain.Internal {
		return err
	}
	if server, ok := errors.AsType[*driver.Neo4jError](err); ok {
		return s.explainServer(server, err)
	}
	_, connection := errors.AsType[*driver.ConnectivityError](err)
	_, limit := errors.AsType[*driver.TransactionExecutionLimit](err)
	if connection || limit || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "onnection") {
		return domain.Because(domain.Unavailable, err, "Neo4j at %s does not answer. Work that needs the graph waits for it. Check NEO4J_URL.", s.URL)
	}
	return err
}

// explainServer turns a server error into a sentence.
func (s *Store) explainServer(e *driver.Neo4jError, err error) error {
	switch {
	case e.Code == "Neo.ClientError.Security.AuthenticationRateLimit":
		return domain.Because(domain.Unavailable, err, "Neo4j at %s refuses sign-ins for a while after several wrong passwords. Check NEO4J_PASSWORD and try again in a few seconds.", s.URL)
	case strings.HasPrefix(e.Code, "Neo.ClientError.Security."):
		return domain.Because(domain.Invalid, err, "Neo4j at %s rejects the user %s. Check NEO4J_USER and NEO4J_PASSWORD.", s.URL, s.User)
	case e.Code == "Neo.ClientError.Database.DatabaseNotFound":
		return domain.Because(domain.Invalid, err, "Neo4j at %s has no database %q. Set NEO4J_DATABASE to an existing one, or leave it empty for the default.", s.URL, s.Database)
	case strings.Contains(e.Code, "MemoryPoolOutOfMemory"), strings.Contains(e.Code, "OutOfMemory"):
		return domain.Because(domain.Unavailable, err, "Neo4j at %s has too little memory for this change. Raise its setting server.memory.heap.max_size.", s.URL)
	case strings.HasPrefix(e.Code, "Neo.TransientError."), strings.HasPrefix(e.Code, "Neo.DatabaseError.Transaction."),
		strings.HasPrefix(e.Code, "Neo.ClientError.Cluster."), e.Code == "Neo.ClientError.Transaction.TransactionTimedOut":
		return domain.Because(domain.Unavailable, err, "Neo4j at %s can't do this right now: %s", s.URL, e.Msg)
	}
	return err
}
