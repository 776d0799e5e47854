package qdrant

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// The named vectors.
const (
	dense = "dense"
	bm25  = "bm25"
)

// The metadata of the cursors' collection, which describe its edition.
const (
	aboutModel     = "embedding_model"
	aboutDimension = "embedding_dimension"
)

// create creates the collections of an edition that do not exist yet.
func (s *server) create(ctx context.Context, name string, e vectorstore.Embedding) (*edition, error) {
	if e.Dimension == 0 {
		e.Model = ""
	}
	g := &edition{prefix: s.Prefix, name: name, embedding: e}
	for _, c := range vectorstore.Collections() {
		if err := s.createCollection(ctx, s.points(g.collection(c), e.Dimension)); err != nil {
			return nil, err
		}
		for _, field := range []string{fieldWorkspace, fieldDocument} {
			if err := s.createField(ctx, g.collection(c), field); err != nil {
				return nil, err
			}
		}
	}
	about, err := qdrant.TryValueMap(map[string]any{aboutModel: e.Model, aboutDimension: e.Dimension})
	if err != nil {
		return nil, err
	}
	return g, s.createCollection(ctx, &qdrant.CreateCollection{CollectionName: g.of(cursors), Metadata: about})
}

// points returns the layout of a collection of points.
func (s *server) points(name string, dimension int) *qdrant.CreateCollection {
	request := &qdrant.CreateCollection{
		CollectionName: name,
		// The server applies the IDF of its current points, see weigh.
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{
			bm25: {Modifier: qdrant.Modifier_Idf.Enum()},
		}),
	}
	if dimension == 0 {
		return request
	}
	params := &qdrant.VectorParams{Size: uint64(dimension), Distance: qdrant.Distance_Cosine}
	switch s.Quantization {
	case "scalar":
		params.QuantizationConfig = qdrant.NewQuantizationScalar(&qdrant.ScalarQuantization{
			Type: qdrant.QuantizationType_Int8, Quantile: new(float32(0.99)), AlwaysRam: new(true),
		})
	case "binary":
		params.QuantizationConfig = qdrant.NewQuantizationBinary(&qdrant.BinaryQuantization{
			AlwaysRam: new(true), Encoding: qdrant.BinaryQuantizationEncoding_TwoBits.Enum(),
			QueryEncoding: qdrant.NewBinaryQuantizationQueryEncodingSetting(qdrant.BinaryQuantizationQueryEncoding_Scalar8Bits),
		})
	}
	if params.GetQuantizationConfig() != nil {
		params.OnDisk = new(true) // the originals only rank the candidates
	}
	request.VectorsConfig = qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{dense: params})
	return request
}

func (s *server) createCollection(ctx context.Context, request *qdrant.CreateCollection) error {
	if s.Replicas > 0 {
		request.ReplicationFactor = new(uint32(s.Replicas))
	}
	if s.Shards > 0 {
		request.ShardNumber = new(uint32(s.Shards))
	}
	err := s.call(ctx, writing, "make the collection "+request.GetCollectionName(), func(ctx context.Context) error {
		err := s.client.CreateCollection(ctx, request)
		if status.Code(cause(err)) == codes.AlreadyExists {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("begin an index: %w", err)
	}
	return nil
}

// createField indexes a field of the payload. The points of a workspace are
// stored together (tenant). Documents are looked up directly and need no links in
// the vectors' graph.
func (s *server) createField(ctx context.Context, collection, field string) error {
	tenant := field == fieldWorkspace
	params := &qdrant.KeywordIndexParams{IsTenant: new(tenant), EnableHnsw: new(tenant)}
	return s.call(ctx, writing, "index "+field, func(ctx context.Context) error {
		_, err := s.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{
			CollectionName: collection, FieldName: field, FieldType: qdrant.FieldType_FieldTypeKeyword.Enum(),
			FieldIndexParams: qdrant.NewPayloadIndexParamsKeyword(params), Wait: new(true),
		})
		return err
	})
}

// activate points the aliases to g and then removes the previous edition, if it
// is not nil. Creating an existing alias moves it atomically. The cursors' alias,
// which decides which edition is live, moves last.
func (s *server) activate(ctx context.Context, g, before *edition) error {
	actions := lists.Map(kinds(), func(kind string) *qdrant.AliasOperations {
		return qdrant.NewAliasCreate(alias(s.Prefix, kind), g.of(kind))
	})
	err := s.call(ctx, writing, "switch the aliases", func(ctx context.Context) error { return s.client.UpdateAliases(ctx, actions) })
	if err != nil || before == nil {
		return err
	}
	return s.remove(ctx, before)
}

// remove deletes the collections of an edition. The cursors go last: an
// interrupted removal finds the edition by them.
func (s *server) remove(ctx context.Context, g *edition) error {
	for _, kind := range kinds() {
		if err := s.deleteCollection(ctx, g.of(kind)); err != nil {
			return fmt.Errorf("remove an index: %w", err)
		}
	}
	return nil
}

func (s *server) deleteCollection(ctx context.Context, name string) error {
	return s.call(ctx, writing, "delete the collection "+name, func(ctx context.Context) error {
		err := s.client.DeleteCollection(ctx, name)
		// For a missing collection the server returns a plain error of code Unknown.
		if code := status.Code(cause(err)); code == codes.Unknown || code == codes.NotFound {
			return nil
		}
		return err
	})
}

// removeRetired deletes the collections of entities and relations that earlier
// versions kept in each edition. Nothing searches them.
func (s *server) removeRetired(ctx context.Context) error {
	var names []string
	err := s.call(ctx, opening, "list the collections", func(ctx context.Context) (err error) {
		names, err = s.client.ListCollections(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, kind := range []string{"entities", "relations"} {
		for _, name := range names {
			edition, ok := strings.CutPrefix(name, alias(s.Prefix, kind)+"_")
			if !ok || !slices.Contains(names, alias(s.Prefix, cursors)+"_"+edition) {
				continue
			}
			if err := s.deleteCollection(ctx, name); err != nil {
				return fmt.Errorf("remove collections of an earlier version: %w", err)
			}
		}
	}
	return nil
}
