package qdrant

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/clewhq/clew/internal/domain"
)

// purpose selects the timeouts of a call.
type purpose int

const (
	reading purpose = iota
	writing
	opening
)

// The timeouts of one attempt of a call.
const (
	readTimeout  = 10 * time.Second
	writeTimeout = 60 * time.Second // for a large delete by filter
	openTimeout  = 3 * time.Second
)

// timeouts returns the timeouts of one attempt and of all together.
func (s *server) timeouts(p purpose) (attempt, total time.Duration) {
	switch p {
	case writing:
		return writeTimeout, s.RetryFor.Write
	case opening:
		return openTimeout, s.RetryFor.Read
	default:
		return readTimeout, s.RetryFor.Read
	}
}

// call runs f, and retries with growing pauses while the server is unreachable
// or too busy. Every request is idempotent.
func (s *server) call(ctx context.Context, p purpose, operation string, f func(context.Context) error) error {
	if s.outage != nil {
		if err := s.outage.Standing(); err != nil {
			return err
		}
	}
	timeout, total := s.timeouts(p)
	start := s.Now()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := attempt(ctx, timeout, f)
		if err == nil {
			return nil
		}
		wait, again := retry(err, pause, s.Random())
		if !again || ctx.Err() != nil || s.Now().Add(wait).Sub(start) > total {
			return s.explain(ctx, operation, err)
		}
		s.Log.WarnContext(ctx, "Qdrant does not answer; trying again", "operation", operation, "error", err, "in", wait)
		if err := domain.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 2 * time.Second
)

func attempt(ctx context.Context, timeout time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return f(ctx)
}

// retry reports whether err may be temporary, and how long to wait: between half
// of pause and all of it, or as long as the server asks.
func retry(err error, pause time.Duration, random uint64) (time.Duration, bool) {
	wait := pause/2 + time.Duration(random%uint64(pause/2+1))
	if busy, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
		return max(wait, time.Duration(busy.RetryAfterS)*time.Second), true
	}
	switch status.Code(cause(err)) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return wait, true
	case codes.ResourceExhausted: // permanent for a message that is too large
		return wait, !strings.Contains(err.Error(), "larger than max")
	}
	return 0, false
}

// cause returns the error of the call itself, which the client wraps.
func cause(err error) error {
	if e, ok := errors.AsType[*qdrant.QdrantError](err); ok {
		return e.Unwrap()
	}
	return err
}

// isGone reports whether a collection did not exist.
func isGone(err error) bool {
	return err != nil && status.Code(cause(err)) == codes.NotFound
}

// explain wraps err in an error with a kind and a sentence for users.
func (s *server) explain(ctx context.Context, operation string, err error) error {
	if ctx.Err() != nil {
		if s.outage != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			s.outage.Suspect()
		}
		return ctx.Err()
	}
	switch message := status.Convert(cause(err)).Message(); status.Code(cause(err)) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return s.away(err, message)
	case codes.ResourceExhausted:
		return domain.Because(domain.Unavailable, err, "The search index (Qdrant) is too busy: %s.", message)
	case codes.Unauthenticated, codes.PermissionDenied:
		return domain.Because(domain.Invalid, err, "Qdrant rejects QDRANT_API_KEY: %s.", message)
	case codes.InvalidArgument:
		return domain.Because(domain.Invalid, err, "The search index can't %s: %s.", operation, message)
	case codes.Unimplemented:
		return domain.Because(domain.Invalid, err, "The server at QDRANT_URL does not speak Qdrant's gRPC. Check the port, which is usually 6334.")
	case codes.NotFound:
		return domain.Because(domain.Conflict, err, "The search index was replaced while it was in use: %s.", message)
	case codes.Unknown:
		if busy, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
			return domain.Because(domain.Unavailable, err, "The search index (Qdrant) is too busy: %s.", busy.Error())
		}
	}
	return domain.Because(domain.Internal, err, "The search index can't %s: %v.", operation, err)
}

const notAnswering = "The search index (Qdrant) does not answer. Check QDRANT_URL, which needs the gRPC port, usually 6334."

// away returns the error of a server that can't be reached. gRPC's description of a connection contains its address,
// which is only logged.
func (s *server) away(err error, message string) error {
	switch {
	case strings.Contains(message, "does not look like a TLS handshake"):
		return domain.Because(domain.Invalid, err, "The server at QDRANT_URL takes no encrypted connections. Write http:// in QDRANT_URL, or turn on TLS in Qdrant.")
	case strings.Contains(message, "x509: "):
		return domain.Because(domain.Invalid, err, "The certificate of the server at QDRANT_URL is not trusted here. Have a known authority sign it.")
	}
	code := status.Code(cause(err))
	err = domain.Because(domain.Unavailable, err, notAnswering)
	switch {
	case s.outage == nil:
	case code == codes.Unavailable:
		return s.outage.Begin(err)
	default: // it may just be busy
		s.outage.Suspect()
	}
	return err
}
