package qdrant

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/metadata"

	"github.com/clewhq/clew/internal/domain"
)

// Options configure a store. URL, Now, Random and Log are required.
type Options struct {
	URL          string // http(s)://host:port of the gRPC interface; the default port is 6334
	APIKey       string // "" if the server has none
	Replicas     int    // of each collection on a cluster; 0 leaves it to the server
	Shards       int    // of each collection; 0 leaves it to the server
	Quantization string // of the vectors in the server's memory: none, scalar or binary; "" means none
	Model        string // the embedding model of all vectors
	Prefix       string // of all names on the server; "" means "clew"

	Now    domain.Clock
	Random func() uint64 // spreads retries, and distinguishes batches
	Log    *slog.Logger

	RootCAs *x509.CertPool // nil uses the system's

	// RetryFor is how long calls to an unreachable server are retried. It defaults to 3 s for reads,
	// for which a person may be waiting, and 45 s for writes.
	RetryFor RetryFor

	// Remember is the pause between two looks for a server that is down. In between, calls fail at
	// once, and Open opens the store of a server that does not answer. If zero, each call tries the
	// server itself.
	Remember time.Duration

	dial []grpc.DialOption // in addition to those of config
}

// RetryFor limits the time that calls are retried.
type RetryFor struct{ Read, Write time.Duration }

// server is a connection with its options.
type server struct {
	Options
	client *qdrant.Client
	owners *domain.Owners
	outage *domain.Outage // nil if calls try anyway
}

// oldest is the first version of the server with conditional upserts, see ADR
// 0006.
const oldest = "1.16"

// receive is the largest message from the server, in bytes. A page of points may
// exceed grpc-go's default of 4 MiB.
const receive = 32 << 20

// slowest is the longest pause between two attempts to connect. grpc-go's
// default of two minutes is longer than calls are retried.
const slowest = 2 * time.Second

// Open connects to a server and checks that it answers, accepts the key and is
// not too old. Errors name the wrong setting.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.Prefix = cmp.Or(o.Prefix, "clew")
	o.RetryFor.Read = cmp.Or(o.RetryFor.Read, 3*time.Second)
	o.RetryFor.Write = cmp.Or(o.RetryFor.Write, 45*time.Second)
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	client, err := qdrant.NewClient(config)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "QDRANT_URL %s can't be used: %v.", o.URL, err)
	}
	at := &server{Options: o, client: client, owners: new(domain.Owners)}
	s := &Store{&index{server: at, model: o.Model}}
	err = s.Look(ctx)
	if o.Remember > 0 {
		trying := *at
		at.outage = &domain.Outage{Pause: o.Remember, Server: &Store{&index{server: &trying, model: o.Model}}, Says: notAnswering, Now: o.Now}
		if domain.KindOf(err) == domain.Unavailable {
			_, err = at.outage.Begin(err), nil
		}
	}
	if err != nil {
		_ = client.Close() // nothing was sent that could be lost
		return nil, err
	}
	return s, nil
}

// Look implements domain.Looker: it checks the server, and removes what a switch of editions has left.
func (s *Store) Look(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	return s.removeRetired(ctx)
}

func (o Options) config() (*qdrant.Config, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, domain.Errorf(domain.Invalid, "QDRANT_URL is %q, but should be like http://127.0.0.1:6334.", o.URL)
	}
	port := 6334
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil {
			return nil, domain.Errorf(domain.Invalid, "QDRANT_URL is %q, whose port is not a number.", o.URL)
		}
	}
	return &qdrant.Config{
		Host: u.Hostname(), Port: port,
		UseTLS: u.Scheme == "https", TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		SkipCompatibilityCheck: true, // it may block for a minute; see probe
		GrpcOptions: append([]grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(receive)),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: slowest},
				MinConnectTimeout: 5 * time.Second,
			}),
			grpc.WithChainUnaryInterceptor(o.sendKey),
		}, o.dial...),
	}, nil
}

// sendKey sends the key with a call. The client would too, but writes a warning
// for each connection without TLS beside our log.
func (o Options) sendKey(ctx context.Context, method string, request, reply any, to *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if o.APIKey != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "api-key", o.APIKey)
	}
	return call(ctx, method, request, reply, to, options...)
}

// probe reads the version, and the aliases because the health check needs no
// key.
func (s *server) probe(ctx context.Context) error {
	var version string
	err := s.call(ctx, opening, "reach the server", func(ctx context.Context) error {
		health, err := s.client.HealthCheck(ctx)
		version = health.GetVersion()
		return err
	})
	if err != nil {
		return err
	}
	if olderThan(version, oldest) {
		return domain.Errorf(domain.Unsupported, "Qdrant at QDRANT_URL is version %s, but Clew needs %s or later.", version, oldest)
	}
	err = s.call(ctx, opening, "use the server", func(ctx context.Context) error {
		_, err := s.client.ListAliases(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("open the search index: %w", err)
	}
	return nil
}

// olderThan compares the first two numbers of two versions. A malformed version
// is not old.
func olderThan(version, than string) bool {
	number := func(version string, i int) int {
		if parts := strings.Split(version, "."); i < len(parts) {
			if n, err := strconv.Atoi(parts[i]); err == nil {
				return n
			}
		}
		return 1 << 20
	}
	if a, b := number(version, 0), number(than, 0); a != b {
		return a < b
	}
	return number(version, 1) < number(than, 1)
}
