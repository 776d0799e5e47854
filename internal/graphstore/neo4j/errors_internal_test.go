package neo4j

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
)

// TestErrorsThatPass has errors explained that a server, or the driver, gives when it has no time: none is a fault of the program, and
// what waits for a server waits without end unless the server itself is at fault.
func TestErrorsThatPass(t *testing.T) {
	t.Parallel()
	code := func(code string) error { return &driver.Neo4jError{Code: code, Msg: "So it is."} }
	renamed := &driver.Neo4jError{Code: "Neo.TransientError.Transaction.Terminated"}
	renamed.IsRetriable() // which the driver asks
	for _, c := range []struct {
		err  error
		away bool
	}{
		{renamed, true},
		{code("Neo.ClientError.Transaction.LockClientStopped"), true},
		{code("Neo.ClientError.Transaction.TransactionTimedOut"), true},
		{code("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"), true},
		{code("Neo.TransientError.Transaction.LockAcquisitionTimeout"), true},
		{code("Neo.DatabaseError.Transaction.TransactionCommitFailed"), true},
		{code("Neo.DatabaseError.Statement.ExecutionFailed"), false},
		{code("Neo.DatabaseError.General.UnknownError"), false},
		{io.ErrUnexpectedEOF, true},
		{fmt.Errorf("failed to read manifest protocol version: %w", io.EOF), true},
		{&driver.ConnectivityError{Inner: io.EOF}, true},
		{&driver.TransactionExecutionLimit{Cause: "timeout", Errors: []error{io.EOF}}, true},
		{context.DeadlineExceeded, true}, // not of the caller
		{context.Canceled, true},
		{errors.New("Pool could not find any servers to connect to"), true},
		{errors.New("timed out waiting for other goroutine to update routing table"), true},
		{errors.New("invalid state 6, expected: [1]"), true},
	} {
		s := &Store{Options: Options{Timeout: time.Second}}
		err := s.explain(t.Context(), &watched{}, c.err)
		if domain.KindOf(err) != domain.Unavailable || domain.Away(err) != c.away || !errors.Is(err, c.err) {
			t.Errorf("%v: got %v of kind %v, away %v; want kind unavailable, away %v", c.err, err, domain.KindOf(err), domain.Away(err), c.away)
		}
	}
	if err := (&Store{}).explain(t.Context(), &watched{}, code("Neo.ClientError.Statement.SyntaxError")); domain.KindOf(err) != domain.Internal {
		t.Errorf("a fault of the program is explained as %v", err)
	}
}
