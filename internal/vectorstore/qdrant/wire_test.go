package qdrant_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	api "github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
)

const ws domain.WorkspaceID = "main"

// store returns a store over a double, and the double.
func store(t *testing.T, change func(*qdrant.Options)) (*qdrant.Store, *qdranttest.Double) {
	t.Helper()
	d := qdranttest.Start(t, nil)
	o := options(d.URL)
	o.Model = "acme/embed:v2"
	o.RetryFor = qdrant.RetryFor{Read: 10 * time.Second, Write: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	return open(t, o), d
}

func point(c vectorstore.Collection, id string, vector ...float32) vectorstore.Point {
	return vectorstore.Point{Ref: vectorstore.Ref{Collection: c, ID: id}, Document: "d1", Title: "Rocks", Text: "granite", Vector: vector}
}

func apply(t *testing.T, s vectorstore.Index, b vectorstore.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), ws, b); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// workspaceOf returns the workspace of a filter.
func workspaceOf(f *api.Filter) string {
	for _, c := range f.GetMust() {
		if c.GetField().GetKey() == "workspace_id" {
			return c.GetField().GetMatch().GetKeyword()
		}
	}
	return ""
}

func field(f *api.Filter, key string) *api.FieldCondition {
	for _, c := range f.GetMust() {
		if c.GetField().GetKey() == key {
			return c.GetField()
		}
	}
	return nil
}

func TestFirstBatchCreatesTheCollections(t *testing.T) {
	t.Parallel()
	s, d := store(t, func(o *qdrant.Options) { o.Quantization, o.Replicas, o.Shards = "scalar", 2, 6 })
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0, 0)}})
	var names []string
	for _, r := range qdranttest.Asked[*api.CreateCollection](d) {
		names = append(names, r.GetCollectionName())
		same(t, "replicas and shards", []uint32{r.GetReplicationFactor(), r.GetShardNumber()}, []uint32{2, 6})
		if strings.Contains(r.GetCollectionName(), "cursors") {
			same(t, "the model", r.GetMetadata()["embedding_model"].GetStringValue(), "acme/embed:v2")
			continue
		}
		vectors := r.GetVectorsConfig().GetParamsMap().GetMap()["dense"]
		if vectors.GetSize() != 3 || vectors.GetDistance() != api.Distance_Cosine || vectors.GetQuantizationConfig().GetScalar() == nil {
			t.Errorf("%s: got dense vectors %v", r.GetCollectionName(), vectors)
		}
		if sparse := r.GetSparseVectorsConfig().GetMap()["bm25"]; sparse.GetModifier() != api.Modifier_Idf {
			t.Errorf("%s: got sparse vectors %v", r.GetCollectionName(), sparse)
		}
	}
	family := strings.TrimPrefix(names[0], "clew_chunks_")
	if !strings.HasPrefix(family, "acme-embed-v2-") || !strings.HasSuffix(family, "_3_1") || strings.ContainsAny(family, "/:") {
		t.Errorf("got name %q, want model and dimension in it", names[0])
	}
	same(t, "collections", names, []string{"clew_chunks_" + family, "clew_sentences_" + family, "clew_cursors_" + family})
	var fields []string
	for _, r := range qdranttest.Asked[*api.CreateFieldIndexCollection](d) {
		fields = append(fields, r.GetFieldName())
		if tenant := r.GetFieldIndexParams().GetKeywordIndexParams().GetIsTenant(); tenant != (r.GetFieldName() == "workspace_id") {
			t.Errorf("%s: got tenant %t", r.GetFieldName(), tenant)
		}
	}
	same(t, "indexed fields", fields[:2], []string{"workspace_id", "document_id"})
	changes := qdranttest.Asked[*api.ChangeAliases](d)
	if len(changes) != 1 || len(changes[0].GetActions()) != 3 {
		t.Fatalf("got alias changes %v, want one request for all", changes)
	}
	last := changes[0].GetActions()[2].GetCreateAlias()
	same(t, "last alias", []string{last.GetAliasName(), last.GetCollectionName()}, []string{"clew_cursors", "clew_cursors_" + family})
}

func TestABatchBeginsDeletesWritesAndMovesTheCursor(t *testing.T) {
	t.Parallel()
	s, d := store(t, nil)
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0)}})
	d.Forget()
	sentence := point(vectorstore.Sentences, "c1#0")
	sentence.Title = ""
	apply(t, s, vectorstore.Batch{
		After: 1, Cursor: 4, DeleteDocuments: []domain.DocumentID{"d1", "", "d2"},
		Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0), sentence},
	})
	order := slices.DeleteFunc(d.Names(), func(n string) bool { return n == "DeletePointVectors" })
	same(t, "order", slices.Compact(order), []string{
		"ListAliasesRequest", "GetPoints", "SetPayloadPoints", "GetPoints", "DeletePoints", "UpsertPoints", "SetPayloadPoints", "GetPoints",
	})
	deletes := qdranttest.Asked[*api.DeletePoints](d)
	same(t, "number of deletes", len(deletes), 2)
	for _, r := range deletes {
		f := r.GetPoints().GetFilter()
		if workspaceOf(f) != "main" || !r.GetWait() || r.GetOrdering().GetType() == api.WriteOrderingType_Weak || f.GetMustNot()[0].GetField().GetRange().GetGte() != 2 {
			t.Errorf("got deletion %v", r)
		}
		same(t, "documents", field(f, "document_id").GetMatch().GetKeywords().GetStrings(), []string{"d1", "d2"})
	}
	for _, r := range qdranttest.Asked[*api.UpsertPoints](d) {
		if !r.GetWait() || r.GetOrdering().GetType() == api.WriteOrderingType_Weak || workspaceOf(r.GetUpdateFilter()) != "main" {
			t.Errorf("got upsert %v", r)
		}
		p := r.GetPoints()[0]
		payload := map[string]string{}
		for name, v := range p.GetPayload() {
			if name != "number" {
				payload[name] = v.GetStringValue()
			}
		}
		vectors := p.GetVectors().GetVectors().GetVectors()
		words := 2
		if strings.Contains(r.GetCollectionName(), "sentences") {
			words = 1
		}
		if vectors["bm25"] == nil || len(vectors["bm25"].GetSparse().GetIndices()) != words {
			t.Errorf("got sparse vector %v, want one of %d words", vectors["bm25"], words)
		}
		if words == 1 {
			same(t, "sentence", payload, map[string]string{"id": "c1#0", "workspace_id": "main", "document_id": "d1"})
			continue
		}
		same(t, "chunk", payload, map[string]string{"id": "c1", "workspace_id": "main", "document_id": "d1", "title": "Rocks"})
		same(t, "dense vector", vectors["dense"].GetDense().GetData(), []float32{1, 0})
	}
	move := qdranttest.Asked[*api.SetPayloadPoints](d)[1]
	f := move.GetPointsSelector().GetFilter()
	if field(f, "cursor").GetMatch().GetInteger() != 1 || move.GetPayload()["cursor"].GetIntegerValue() != 4 ||
		!move.GetWait() || move.GetOrdering().GetType() != api.WriteOrderingType_Strong {
		t.Errorf("got cursor move %v", move)
	}
	// Upsert may leave a point's old vector in place, so it is deleted
	// explicitly.
	strip := qdranttest.Asked[*api.DeletePointVectors](d)
	if len(strip) != 1 || !slices.Equal(strip[0].GetVectors().GetNames(), []string{"dense"}) || workspaceOf(strip[0].GetPointsSelector().GetFilter()) != "main" {
		t.Errorf("got vector deletions %v", strip)
	}
}

func TestBatchesAreSplitIntoRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ points, dimension, largest int }{{600, 2, 256}, {100, 30_000, 34}} {
		s, d := store(t, nil)
		var points []vectorstore.Point
		for i := range tt.points {
			points = append(points, point(vectorstore.Chunks, fmt.Sprint(i), make([]float32, tt.dimension)...))
		}
		apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: append(points, points[0])})
		seen := map[string]bool{}
		for _, r := range qdranttest.Asked[*api.UpsertPoints](d) {
			if len(r.GetPoints()) > tt.largest {
				t.Errorf("got a request of %d points of %d dimensions", len(r.GetPoints()), tt.dimension)
			}
			for _, p := range r.GetPoints() {
				if seen[p.GetId().GetUuid()] {
					t.Errorf("point %s was written twice", p.GetId())
				}
				seen[p.GetId().GetUuid()] = true
			}
		}
		same(t, "points written, with the cursor", len(seen), tt.points+1)
	}
}

func TestSearchesAreFiltered(t *testing.T) {
	t.Parallel()
	s, d := store(t, func(o *qdrant.Options) { o.Quantization = "binary" })
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0)}})
	d.Hits = []*api.ScoredPoint{
		{Score: 0.5, Payload: map[string]*api.Value{"id": api.NewValueString("b")}}, {Score: 0.5, Payload: map[string]*api.Value{"id": api.NewValueString("a")}},
	}
	documents := []domain.DocumentID{"d1", "d2"}
	ask := func(search func() ([]vectorstore.Hit, error)) *api.QueryPoints {
		t.Helper()
		d.Forget()
		hits, err := search()
		if err != nil || len(hits) != 2 || hits[0].ID != "a" {
			t.Errorf("got %v (%v), want a and b: ties are ordered by id", hits, err)
		}
		return qdranttest.Asked[*api.QueryPoints](d)[0]
	}
	check := func(what string, f *api.Filter) {
		t.Helper()
		if workspaceOf(f) != "main" || !slices.Equal(field(f, "document_id").GetMatch().GetKeywords().GetStrings(), []string{"d1", "d2"}) {
			t.Errorf("%s: got filter %v", what, f)
		}
	}
	r := ask(func() ([]vectorstore.Hit, error) {
		return s.Lexical(t.Context(), ws, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "the granite granites", Limit: 3, Documents: documents})
	})
	check("lexical", r.GetFilter())
	same(t, "lexical vector", r.GetUsing(), "bm25")
	same(t, "lexical values", r.GetQuery().GetNearest().GetSparse().GetValues(), []float32{1})
	r = ask(func() ([]vectorstore.Hit, error) {
		return s.Dense(t.Context(), ws, vectorstore.DenseQuery{Collection: vectorstore.Chunks, Vector: []float32{1, 0}, Limit: 3, Documents: documents})
	})
	check("dense", r.GetFilter())
	same(t, "dense vector", r.GetUsing(), "dense")
	if q := r.GetParams().GetQuantization(); !q.GetRescore() || q.GetOversampling() <= 1 {
		t.Errorf("compressed vectors are not rescored: %v", q)
	}
}

func TestIDsArePaged(t *testing.T) {
	t.Parallel()
	s, d := store(t, nil)
	apply(t, s, vectorstore.Batch{Cursor: 1})
	page := func(next *api.PointId, ids ...string) *api.ScrollResponse {
		r := &api.ScrollResponse{NextPageOffset: next}
		for _, id := range ids {
			r.Result = append(r.Result, &api.RetrievedPoint{Payload: map[string]*api.Value{"id": api.NewValueString(id)}})
		}
		return r
	}
	d.Pages = []*api.ScrollResponse{page(api.NewIDNum(7), "c", "a"), page(nil, "b")}
	ids, err := s.IDs(t.Context(), ws, vectorstore.Chunks)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ids", ids, []string{"a", "b", "c"})
	requests := qdranttest.Asked[*api.ScrollPoints](d)
	same(t, "offset of the second page", requests[1].GetOffset().GetNum(), uint64(7))
	for _, r := range requests {
		if workspaceOf(r.GetFilter()) != "main" || r.GetWithVectors().GetEnable() || r.GetLimit() == 0 {
			t.Errorf("got scroll %v", r)
		}
	}
}

func TestSwitchMovesTheAliasesBeforeItDeletes(t *testing.T) {
	t.Parallel()
	s, d := store(t, nil)
	apply(t, s, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0)}})
	live := d.Aliases["clew_chunks"]
	b, err := s.Build(t.Context(), vectorstore.Embedding{Model: "other", Dimension: 5})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, b, vectorstore.Batch{Cursor: 1, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0, 0, 0, 0)}})
	same(t, "the live collection while building", d.Aliases["clew_chunks"], live)
	d.Forget()
	if err := b.Switch(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := d.Names()
	if at, del := slices.Index(names, "ChangeAliases"), slices.Index(names, "DeleteCollection"); at < 0 || del < at {
		t.Errorf("got order %v", names)
	}
	removed := qdranttest.Asked[*api.DeleteCollection](d)
	same(t, "removed", []string{removed[0].GetCollectionName()}, []string{live})
	same(t, "how many", len(removed), 3)
	if !strings.HasPrefix(d.Aliases["clew_chunks"], "clew_chunks_other-") {
		t.Errorf("got the alias on %s", d.Aliases["clew_chunks"])
	}
}

// TestOpenRemovesRetiredCollections opens a server on which an earlier version
// stored entities and relations.
func TestOpenRemovesRetiredCollections(t *testing.T) {
	t.Parallel()
	s, d := store(t, nil)
	apply(t, s, vectorstore.Batch{Cursor: 3, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1", 1, 0)}})
	edition := strings.TrimPrefix(d.Aliases["clew_chunks"], "clew_chunks_")
	kept := []string{"clew_chunks_" + edition, "clew_cursors_" + edition, "clew_sentences_" + edition, "clew_entities_of_somebody_else"}
	for _, name := range []string{"clew_entities_" + edition, "clew_relations_" + edition, "clew_entities_of_somebody_else"} {
		d.About[name] = nil
	}
	o := options(d.URL)
	o.Model = "acme/embed:v2"
	again := open(t, o)
	var left []string
	for name := range d.About {
		left = append(left, name)
	}
	slices.Sort(left)
	slices.Sort(kept)
	same(t, "collections", left, kept)
	cursor, err := again.Cursor(t.Context(), ws)
	if err != nil || cursor != 3 {
		t.Errorf("got cursor %d (%v), want 3: nothing needs refilling", cursor, err)
	}
}

// TestWordIndexIsRefilledForAModel gives a library an embedding model after its
// first documents.
func TestWordIndexIsRefilledForAModel(t *testing.T) {
	t.Parallel()
	s, d := store(t, nil)
	apply(t, s, vectorstore.Batch{Cursor: 3, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1")}})
	same(t, "collection of words", d.Aliases["clew_chunks"], "clew_chunks_words_0_1")
	err := s.Apply(t.Context(), ws, vectorstore.Batch{After: 3, Cursor: 4, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c2", 1, 0)}})
	same(t, "kind of error", domain.KindOf(err), domain.Conflict)
	cursor, err := s.Cursor(t.Context(), ws)
	if err != nil || cursor != 0 {
		t.Errorf("got cursor %d (%v), want 0: the projector refills the index", cursor, err)
	}
	apply(t, s, vectorstore.Batch{Cursor: 4, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "c1"), point(vectorstore.Chunks, "c2", 1, 0)}})
}
