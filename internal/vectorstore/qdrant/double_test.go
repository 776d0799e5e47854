package qdrant_test

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
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

// double is a server in memory that records its requests. It carries out one
// request at a time, completely, as a real one does for each shard; see
// points_test.go for what it does with points.
type double struct {
	api.UnimplementedPointsServer
	api.UnimplementedQdrantServer

	url     string
	version string

	mu       sync.Mutex
	requests []proto.Message
	headers  []metadata.MD
	fail     func(proto.Message) error // called first
	pages    []*api.ScrollResponse     // answers to scrolls, before those from points
	hits     []*api.ScoredPoint        // answers to queries; nil searches the points
	aliases  map[string]string
	about    map[string]map[string]*api.Value // by collection
	points   map[string]map[string]*held      // by collection and id
}

func newDouble() *double {
	return &double{version: "1.17.1", aliases: map[string]string{}, about: map[string]map[string]*api.Value{}, points: map[string]map[string]*held{}}
}

// start serves a double until the test ends; certificate may be nil.
func start(t *testing.T, certificate *tls.Certificate) *double {
	t.Helper()
	d := newDouble()
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
	d.url = scheme + "://" + l.Addr().String()
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *double) note(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	message, _ := request.(proto.Message)
	header, _ := metadata.FromIncomingContext(ctx)
	d.requests, d.headers = append(d.requests, proto.Clone(message)), append(d.headers, header)
	if d.fail != nil {
		if err := d.fail(message); err != nil {
			return nil, err
		}
	}
	return handle(ctx, request)
}

// asked returns the requests of one type since the last call of forget.
func asked[M proto.Message](d *double) []M {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []M
	for _, r := range d.requests {
		if m, ok := r.(M); ok {
			all = append(all, m)
		}
	}
	return all
}

// names returns the types of the requests, in order, without repetitions.
func (d *double) names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, r := range d.requests {
		names = append(names, string(r.ProtoReflect().Descriptor().Name()))
	}
	return slices.Compact(names)
}

func (d *double) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests, d.headers = nil, nil
}

// failing makes requests fail with the errors of fail, until it is called with
// nil.
func (d *double) failing(fail func(proto.Message) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
}

func (d *double) HealthCheck(context.Context, *api.HealthCheckRequest) (*api.HealthCheckReply, error) {
	return &api.HealthCheckReply{Title: "qdrant", Version: d.version}, nil
}

// catalogue serves a double's collections and aliases.
type catalogue struct {
	api.UnimplementedCollectionsServer
	d *double
}

func (c catalogue) ListAliases(context.Context, *api.ListAliasesRequest) (*api.ListAliasesResponse, error) {
	r := &api.ListAliasesResponse{}
	for alias, name := range c.d.aliases {
		r.Aliases = append(r.Aliases, &api.AliasDescription{AliasName: alias, CollectionName: name})
	}
	return r, nil
}

func (c catalogue) UpdateAliases(_ context.Context, r *api.ChangeAliases) (*api.CollectionOperationResponse, error) {
	for _, a := range r.GetActions() {
		c.d.aliases[a.GetCreateAlias().GetAliasName()] = a.GetCreateAlias().GetCollectionName()
	}
	return &api.CollectionOperationResponse{Result: true}, nil
}

func (c catalogue) List(context.Context, *api.ListCollectionsRequest) (*api.ListCollectionsResponse, error) {
	r := &api.ListCollectionsResponse{}
	for name := range c.d.about {
		r.Collections = append(r.Collections, &api.CollectionDescription{Name: name})
	}
	return r, nil
}

func (c catalogue) Create(_ context.Context, r *api.CreateCollection) (*api.CollectionOperationResponse, error) {
	if _, ok := c.d.about[r.GetCollectionName()]; ok {
		return nil, status.Error(codes.AlreadyExists, "the collection exists")
	}
	c.d.about[r.GetCollectionName()] = r.GetMetadata()
	c.d.points[r.GetCollectionName()] = map[string]*held{}
	return &api.CollectionOperationResponse{Result: true}, nil
}

func (c catalogue) Get(_ context.Context, r *api.GetCollectionInfoRequest) (*api.GetCollectionInfoResponse, error) {
	about, ok := c.d.about[r.GetCollectionName()]
	if !ok {
		return nil, status.Error(codes.NotFound, "no such collection")
	}
	return &api.GetCollectionInfoResponse{Result: &api.CollectionInfo{Config: &api.CollectionConfig{Metadata: about}}}, nil
}

func (c catalogue) Delete(_ context.Context, r *api.DeleteCollection) (*api.CollectionOperationResponse, error) {
	_, ok := c.d.about[r.GetCollectionName()]
	delete(c.d.about, r.GetCollectionName())
	delete(c.d.points, r.GetCollectionName())
	return &api.CollectionOperationResponse{Result: ok}, nil
}

func done() *api.PointsOperationResponse {
	return &api.PointsOperationResponse{Result: &api.UpdateResult{Status: api.UpdateStatus_Completed}}
}
