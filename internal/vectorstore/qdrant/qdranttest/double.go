// Package qdranttest is a Qdrant in memory for tests.
package qdranttest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	api "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A Double is a server in memory that records its requests. It carries out one
// request at a time, completely, as a real one does for each shard; see
// points.go for what it does with points.
type Double struct {
	api.UnimplementedPointsServer
	api.UnimplementedQdrantServer

	URL     string
	Version string

	mu       sync.Mutex
	Requests []proto.Message
	Headers  []metadata.MD
	fail     func(proto.Message) error // called first
	Pages    []*api.ScrollResponse     // answers to scrolls, before those from points
	Hits     []*api.ScoredPoint        // answers to queries; nil searches the points
	Aliases  map[string]string
	About    map[string]map[string]*api.Value // by collection
	points   map[string]map[string]*held      // by collection and id
}

// New returns a double that is not served yet.
func New() *Double {
	return &Double{Version: "1.17.1", Aliases: map[string]string{}, About: map[string]map[string]*api.Value{}, points: map[string]map[string]*held{}}
}

// Start serves a double until the test ends; certificate may be nil.
func Start(t testing.TB, certificate *tls.Certificate) *Double {
	t.Helper()
	d := New()
	options := []grpc.ServerOption{
		grpc.UnaryInterceptor(d.note),
		// The client pings more often than a server allows by default.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	}
	scheme := "http"
	if certificate != nil {
		scheme = "https"
		options = append(options, grpc.Creds(credentials.NewServerTLSFromCert(certificate)))
	}
	s := grpc.NewServer(options...)
	api.RegisterPointsServer(s, d)
	api.RegisterCollectionsServer(s, catalogue{d: d})
	api.RegisterQdrantServer(s, d)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.URL = scheme + "://" + l.Addr().String()
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-done; err != nil && !errors.Is(err, grpc.ErrServerStopped) { // stopped before it served
			t.Error(err)
		}
	})
	return d
}

func (d *Double) note(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	message, _ := request.(proto.Message)
	header, _ := metadata.FromIncomingContext(ctx)
	d.Requests, d.Headers = append(d.Requests, proto.Clone(message)), append(d.Headers, header)
	if d.fail != nil {
		if err := d.fail(message); err != nil {
			return nil, err
		}
	}
	return handle(ctx, request)
}

// Serve carries out a request as the gRPC server does.
func (d *Double) Serve(ctx context.Context, method string, request proto.Message) (any, error) {
	service, name, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	for desc, server := range map[*grpc.ServiceDesc]any{&api.Points_ServiceDesc: d, &api.Collections_ServiceDesc: catalogue{d: d}, &api.Qdrant_ServiceDesc: d} {
		for _, m := range desc.Methods {
			if desc.ServiceName == service && m.MethodName == name {
				return m.Handler(server, ctx, func(into any) error { proto.Merge(into.(proto.Message), request); return nil }, d.note) //nolint:forcetypeassert // gRPC's
			}
		}
	}
	return nil, fmt.Errorf("there is no method %s", method)
}

// Payloads returns the stored payload of each point, by collection.
func (d *Double) Payloads() map[string][]map[string]*api.Value {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string][]map[string]*api.Value{}
	for collection, points := range d.points {
		for _, p := range points {
			all[collection] = append(all[collection], p.payload)
		}
	}
	return all
}

// Asked returns the requests of one type since the last call of Forget.
func Asked[M proto.Message](d *Double) []M {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []M
	for _, r := range d.Requests {
		if m, ok := r.(M); ok {
			all = append(all, m)
		}
	}
	return all
}

// Names returns the types of the requests, in order, without repetitions.
func (d *Double) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, r := range d.Requests {
		names = append(names, string(r.ProtoReflect().Descriptor().Name()))
	}
	return slices.Compact(names)
}

// Forget drops the noted requests and headers.
func (d *Double) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Requests, d.Headers = nil, nil
}

// Failing makes requests fail with the errors of fail, until it is called with
// nil.
func (d *Double) Failing(fail func(proto.Message) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
}

// HealthCheck answers as a server that is well.
func (d *Double) HealthCheck(context.Context, *api.HealthCheckRequest) (*api.HealthCheckReply, error) {
	return &api.HealthCheckReply{Title: "qdrant", Version: d.Version}, nil
}

// catalogue serves a double's collections and aliases.
type catalogue struct {
	api.UnimplementedCollectionsServer
	d *Double
}

func (c catalogue) ListAliases(context.Context, *api.ListAliasesRequest) (*api.ListAliasesResponse, error) {
	r := &api.ListAliasesResponse{}
	for alias, name := range c.d.Aliases {
		r.Aliases = append(r.Aliases, &api.AliasDescription{AliasName: alias, CollectionName: name})
	}
	return r, nil
}

func (c catalogue) UpdateAliases(_ context.Context, r *api.ChangeAliases) (*api.CollectionOperationResponse, error) {
	for _, a := range r.GetActions() {
		c.d.Aliases[a.GetCreateAlias().GetAliasName()] = a.GetCreateAlias().GetCollectionName()
	}
	return &api.CollectionOperationResponse{Result: true}, nil
}

func (c catalogue) List(context.Context, *api.ListCollectionsRequest) (*api.ListCollectionsResponse, error) {
	r := &api.ListCollectionsResponse{}
	for name := range c.d.About {
		r.Collections = append(r.Collections, &api.CollectionDescription{Name: name})
	}
	return r, nil
}

func (c catalogue) Create(_ context.Context, r *api.CreateCollection) (*api.CollectionOperationResponse, error) {
	if _, ok := c.d.About[r.GetCollectionName()]; ok {
		return nil, status.Error(codes.AlreadyExists, "the collection exists")
	}
	c.d.About[r.GetCollectionName()] = r.GetMetadata()
	c.d.points[r.GetCollectionName()] = map[string]*held{}
	return &api.CollectionOperationResponse{Result: true}, nil
}

func (c catalogue) Get(_ context.Context, r *api.GetCollectionInfoRequest) (*api.GetCollectionInfoResponse, error) {
	about, ok := c.d.About[r.GetCollectionName()]
	if !ok {
		return nil, status.Error(codes.NotFound, "no such collection")
	}
	return &api.GetCollectionInfoResponse{Result: &api.CollectionInfo{Config: &api.CollectionConfig{Metadata: about}}}, nil
}

func (c catalogue) Delete(_ context.Context, r *api.DeleteCollection) (*api.CollectionOperationResponse, error) {
	_, ok := c.d.About[r.GetCollectionName()]
	delete(c.d.About, r.GetCollectionName())
	delete(c.d.points, r.GetCollectionName())
	return &api.CollectionOperationResponse{Result: ok}, nil
}

func done() *api.PointsOperationResponse {
	return &api.PointsOperationResponse{Result: &api.UpdateResult{Status: api.UpdateStatus_Completed}}
}
