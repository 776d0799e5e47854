package qdrant_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"log" //nolint:depguard // what the client would write to
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	api "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
)

// TestBatchOutlastsAnUnavailableServer has a server answer UNAVAILABLE for a
// while in the middle of a batch: the batch is finished all the same.
func TestBatchOutlastsAnUnavailableServer(t *testing.T) {
	t.Parallel()
	for _, code := range []codes.Code{codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded} {
		s, d := store(t, nil)
		refused := 0
		d.Failing(func(m proto.Message) error {
			if _, ok := m.(*api.UpsertPoints); ok && refused < 4 {
				refused++
				return status.Error(code, "not now")
			}
			return nil
		})
		apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0)}})
		same(t, "refused", refused, 4)
		cursor, err := s.Cursor(t.Context(), ws)
		if err != nil || cursor != 1 {
			t.Errorf("%s: got cursor %d (%v), want 1", code, cursor, err)
		}
	}
}

// TestErrorsSayWhatToDo has a server that always answers with the same error.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code codes.Code
		says string
		kind domain.Kind
		want string
		once bool // not retried, as retrying can't help
	}{
		{codes.Unavailable, "down", domain.Unavailable, "does not answer. Check QDRANT_URL", false},
		{codes.DeadlineExceeded, "stream terminated by RST_STREAM with error code: CANCEL", domain.Unavailable, "does not answer. Check QDRANT_URL", false},
		{codes.Unimplemented, "unexpected HTTP status code received from server: 404", domain.Invalid, "Check the port", true},
		{codes.ResourceExhausted, "slow down", domain.Unavailable, "too busy", false},
		{codes.ResourceExhausted, "received message larger than max", domain.Unavailable, "larger than max", true},
		{codes.Unauthenticated, "wrong", domain.Invalid, "QDRANT_API_KEY", true},
		{codes.InvalidArgument, "nonsense", domain.Invalid, "nonsense", true},
		{codes.Internal, "panic", domain.Internal, "search", true},
	} {
		s, d := store(t, func(o *qdrant.Options) {
			if !tt.once {
				o.RetryFor.Read = 2 * time.Second // long enough for one retry, however busy the machine is
			}
		})
		apply(t, s, vectorstore.Batch{Cursor: 1})
		d.Forget()
		d.Failing(func(m proto.Message) error {
			if _, ok := m.(*api.QueryPoints); ok {
				return status.Error(tt.code, tt.says)
			}
			return nil
		})
		_, err := s.Lexical(t.Context(), ws, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "granite", Limit: 1})
		if domain.KindOf(err) != tt.kind || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v of kind %v, want kind %v with %q", tt.code, err, domain.KindOf(err), tt.kind, tt.want)
		}
		if n := len(qdranttest.Asked[*api.QueryPoints](d)); (n == 1) != tt.once {
			t.Errorf("%s %s: got %d requests", tt.code, tt.says, n)
		}
	}
}

func TestCancelledCallReturnsAtOnce(t *testing.T) {
	t.Parallel()
	s, d := store(t, nil)
	apply(t, s, vectorstore.Batch{Cursor: 1})
	ctx, stop := context.WithCancel(t.Context())
	d.Failing(func(proto.Message) error {
		stop()
		return status.Error(codes.Unavailable, "down")
	})
	if _, err := s.Lexical(ctx, ws, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "granite", Limit: 1}); err == nil || ctx.Err() == nil {
		t.Errorf("the call continued: %v", err)
	}
}

func TestOpenNamesTheSetting(t *testing.T) {
	t.Parallel()
	keyed := qdranttest.Start(t, nil)
	keyed.Failing(func(m proto.Message) error {
		if _, ok := m.(*api.HealthCheckRequest); ok {
			return nil // succeeds without a key
		}
		return status.Error(codes.Unauthenticated, "Must provide an API key")
	})
	old := qdranttest.Start(t, nil)
	old.Version = "1.15.4"
	for _, tt := range []struct {
		url  string
		kind domain.Kind
		want string
	}{
		{"localhost:6334", domain.Invalid, "QDRANT_URL"},
		{"ftp://x", domain.Invalid, "QDRANT_URL"},
		{"http://127.0.0.1:1", domain.Unavailable, "QDRANT_URL"},
		{keyed.URL, domain.Invalid, "QDRANT_API_KEY"},
		{old.URL, domain.Unsupported, "1.15.4"},
	} {
		o := options(tt.url)
		o.RetryFor.Read = 100 * time.Millisecond
		s, err := qdrant.Open(t.Context(), o)
		if err == nil {
			t.Errorf("%s: got no error (%v)", tt.url, s.Close())
			continue
		}
		if domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v of kind %v, want %q of kind %v", tt.url, err, domain.KindOf(err), tt.want, tt.kind)
		}
	}
}

// TestAKeyWithoutTLS sends the key to a server without TLS, and writes nothing beside the log.
func TestAKeyWithoutTLS(t *testing.T) { //nolint:paralleltest // what it reads is of the whole process
	var beside bytes.Buffer
	log.SetOutput(&beside)
	defer log.SetOutput(os.Stderr)
	d := qdranttest.Start(t, nil)
	o := options(d.URL)
	o.APIKey = "secret"
	open(t, o)
	for i, h := range d.Headers {
		if got := h.Get("api-key"); len(got) != 1 || got[0] != "secret" {
			t.Errorf("%T: got key %q", d.Requests[i], got)
		}
	}
	if len(d.Headers) == 0 || beside.Len() > 0 {
		t.Errorf("%d requests; beside the log: %s", len(d.Headers), &beside)
	}
}

func TestKeyAndTLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // provides a certificate
	defer web.Close()
	d := qdranttest.Start(t, &web.TLS.Certificates[0])
	o := options(d.URL)
	o.APIKey, o.RootCAs = "secret", x509.NewCertPool()
	o.RootCAs.AddCert(web.Certificate())
	apply(t, open(t, o), vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0)}})
	if len(d.Headers) < 5 {
		t.Fatalf("got %d requests", len(d.Headers))
	}
	for i, h := range d.Headers {
		if got := h.Get("api-key"); len(got) != 1 || got[0] != "secret" {
			t.Errorf("%T: got key %q", d.Requests[i], got)
		}
	}
	o.RootCAs, o.RetryFor.Read = x509.NewCertPool(), 100*time.Millisecond
	if s, err := qdrant.Open(t.Context(), o); err == nil {
		t.Error("a server with an untrusted certificate was accepted", s.Close())
	}
}

// TestAnAbsentServerIsRemembered has a server away: only the first who asks waits, and the store works soon after it is back.
func TestAnAbsentServerIsRemembered(t *testing.T) {
	t.Parallel()
	d := qdranttest.Start(t, nil)
	gone := func(proto.Message) error {
		return status.Error(codes.Unavailable, "dial tcp 10.1.2.3:6334: connection refused")
	}
	d.Failing(gone)
	o := options(d.URL)
	o.Model, o.Remember, o.RetryFor = "acme/embed:v2", 100*time.Millisecond, qdrant.RetryFor{Read: 500 * time.Millisecond, Write: 500 * time.Millisecond}
	s := open(t, o)
	back := func() {
		t.Helper()
		d.Failing(nil)
		for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if _, err := s.Cursor(t.Context(), ws); err == nil {
				return
			} else if time.Now().After(until) {
				t.Fatalf("the server is back: %v", err)
			}
		}
	}
	if _, err := s.Cursor(t.Context(), ws); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("opened without the server: %v", err)
	}
	back()
	d.Failing(gone)
	_, first := s.Cursor(t.Context(), ws)
	d.Forget()
	for range 100 {
		_, err := s.Cursor(t.Context(), ws)
		if _, ok := domain.AwaySince(err); !ok || domain.KindOf(err) != domain.Unavailable || err.Error() != first.Error() {
			t.Fatalf("first %v, then %v", first, err)
		}
		if strings.Contains(err.Error(), "10.1.2.3") {
			t.Fatalf("%v names an inner address", err)
		}
	}
	back()
}
