package neo4j

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
)

const notAnswering = "Neo4j does not answer. Work that needs the graph waits for it. Check NEO4J_URL."

// explain turns an error of the server or the driver into a sentence. It leaves
// our own errors, and the end of the caller's context, unchanged.
func (s *Store) explain(ctx context.Context, w *watched, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		if s.outage != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			s.outage.Suspect()
		}
		return ctx.Err()
	}
	if domain.KindOf(err) != domain.Internal {
		return err
	}
	if w.busy() {
		return domain.Because(domain.Unavailable, err, "Neo4j is busy: it answers, but did not finish this within %s (NEO4J_TIMEOUT). Work that needs the graph waits for it.", s.Timeout)
	}
	if server, ok := errors.AsType[*driver.Neo4jError](err); ok {
		return s.explainServer(server, err)
	}
	if text := err.Error(); strings.Contains(text, "check that TLS is enabled on the server") || strings.Contains(text, "does not look like a TLS handshake") {
		return domain.Because(domain.Invalid, err, "The server at NEO4J_URL takes no encrypted connections. Write neo4j:// or bolt:// without +s in NEO4J_URL, or turn on TLS for Bolt in Neo4j.")
	}
	if strings.Contains(err.Error(), "x509: ") {
		return domain.Because(domain.Invalid, err, "The certificate of the server at NEO4J_URL is not trusted here. Write +ssc in place of +s in NEO4J_URL to accept it, or have a known authority sign it.")
	}
	if broken(err) {
		err = domain.Because(domain.Unavailable, err, notAnswering)
		if s.outage != nil {
			err = s.outage.Begin(err)
		}
	}
	return err
}

// broken reports whether a driver error means that there is no connection, or that it was lost. Some of these errors have
// unexported types and are recognised by their text.
func broken(err error) bool {
	if _, ok := errors.AsType[*driver.ConnectivityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*driver.TransactionExecutionLimit](err); ok {
		return true
	}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	text := err.Error()
	return slices.ContainsFunc([]string{"onnection", "Pool could not find any servers", "timed out waiting for other goroutine", "invalid state "},
		func(part string) bool { return strings.Contains(text, part) })
}

// passing are the beginnings of server codes that describe the server's state, or say that it ended a transaction. The
// driver renames some that begin with Neo.TransientError.
var passing = []string{"Neo.TransientError.", "Neo.DatabaseError.Transaction.", "Neo.ClientError.Cluster.", "Neo.ClientError.Transaction."}

// explainServer turns a server error into a sentence.
func (s *Store) explainServer(e *driver.Neo4jError, err error) error {
	switch {
	case e.Code == "Neo.ClientError.Security.AuthenticationRateLimit":
		return domain.Because(domain.Unavailable, err, "Neo4j refuses sign-ins for a while after several wrong passwords. Check NEO4J_PASSWORD and try again in a few seconds.")
	case strings.HasPrefix(e.Code, "Neo.ClientError.Security."):
		return domain.Because(domain.Invalid, err, "Neo4j rejects the user %s. Check NEO4J_USER and NEO4J_PASSWORD.", s.User)
	case e.Code == "Neo.ClientError.Database.DatabaseNotFound":
		return domain.Because(domain.Invalid, err, "Neo4j has no database %q. Set NEO4J_DATABASE to an existing one, or leave it empty for the default.", s.Database)
	case strings.Contains(e.Code, "MemoryPoolOutOfMemory"), strings.Contains(e.Code, "OutOfMemory"):
		return domain.Because(domain.Unavailable, err, "Neo4j has too little memory for this change. Raise its setting server.memory.heap.max_size.")
	case slices.ContainsFunc(passing, func(start string) bool { return strings.HasPrefix(e.Code, start) }):
		return domain.Because(domain.Unavailable, err, "Neo4j can't do this right now: %s", e.Msg)
	case strings.HasPrefix(e.Code, "Neo.DatabaseError."): // it may fail every time, which endless retries would hide
		failed := domain.Because(domain.Unavailable, err, "Neo4j failed to do this: %s", e.Msg)
		failed.Retry.Reachable = true
		return failed
	}
	return err
}
