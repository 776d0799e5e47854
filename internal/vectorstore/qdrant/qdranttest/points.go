package qdranttest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	api "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// held is a point of a double.
type held struct {
	id      *api.PointId
	payload map[string]*api.Value
	vectors map[string]*api.Vector
}

// in returns the points of a collection, or an error if there is none.
func (d *Double) in(collection string) (map[string]*held, error) {
	if name, ok := d.Aliases[collection]; ok {
		collection = name
	}
	points, ok := d.points[collection]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "Collection %q doesn't exist!", collection)
	}
	return points, nil
}

// selected returns the points of a collection that match a filter, by id.
func (d *Double) selected(collection string, f *api.Filter) ([]*held, error) {
	points, err := d.in(collection)
	if err != nil {
		return nil, err
	}
	var found []*held
	for _, id := range slices.Sorted(maps.Keys(points)) {
		ok, err := points[id].matches(f)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, points[id])
		}
	}
	return found, nil
}

// matches evaluates the conditions that the store uses, and fails for others.
func (p *held) matches(f *api.Filter) (bool, error) {
	if len(f.GetShould())+len(f.GetMinShould().GetConditions()) > 0 {
		return false, status.Error(codes.Unimplemented, "the double knows must and must_not only")
	}
	for _, c := range f.GetMust() {
		if ok, err := p.meets(c); err != nil || !ok {
			return false, err
		}
	}
	for _, c := range f.GetMustNot() {
		if ok, err := p.meets(c); err != nil || ok {
			return false, err
		}
	}
	return true, nil
}

func (p *held) meets(c *api.Condition) (bool, error) {
	switch c := c.GetConditionOneOf().(type) {
	case *api.Condition_HasId:
		return slices.ContainsFunc(c.HasId.GetHasId(), func(id *api.PointId) bool { return id.GetUuid() == p.id.GetUuid() }), nil
	case *api.Condition_HasVector:
		return p.vectors[c.HasVector.GetHasVector()] != nil, nil
	case *api.Condition_IsEmpty:
		return p.payload[c.IsEmpty.GetKey()] == nil, nil
	case *api.Condition_Field:
		v, ok := p.payload[c.Field.GetKey()]
		return ok && meetsField(v, c.Field), nil
	}
	return false, status.Errorf(codes.Unimplemented, "the double does not know the condition %v", c)
}

func meetsField(v *api.Value, c *api.FieldCondition) bool {
	if r := c.GetRange(); r != nil {
		n, ok := v.GetKind().(*api.Value_IntegerValue)
		return ok && (r.Lt == nil || float64(n.IntegerValue) < r.GetLt()) && (r.Lte == nil || float64(n.IntegerValue) <= r.GetLte()) &&
			(r.Gt == nil || float64(n.IntegerValue) > r.GetGt()) && (r.Gte == nil || float64(n.IntegerValue) >= r.GetGte())
	}
	switch m := c.GetMatch().GetMatchValue().(type) {
	case *api.Match_Keyword:
		return v.GetStringValue() == m.Keyword
	case *api.Match_Keywords:
		return slices.Contains(m.Keywords.GetStrings(), v.GetStringValue())
	case *api.Match_Integer:
		n, ok := v.GetKind().(*api.Value_IntegerValue)
		return ok && n.IntegerValue == m.Integer
	case *api.Match_Integers:
		n, ok := v.GetKind().(*api.Value_IntegerValue)
		return ok && slices.Contains(m.Integers.GetIntegers(), n.IntegerValue)
	}
	return false
}

// Delete removes the points that are selected.
func (d *Double) Delete(_ context.Context, r *api.DeletePoints) (*api.PointsOperationResponse, error) {
	found, err := d.selected(r.GetCollectionName(), r.GetPoints().GetFilter())
	for _, p := range found {
		delete(d.points[r.GetCollectionName()], p.id.GetUuid())
	}
	return done(), err
}

// Get returns points by their ids.
func (d *Double) Get(_ context.Context, r *api.GetPoints) (*api.GetResponse, error) {
	points, err := d.in(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	answer := &api.GetResponse{}
	for _, id := range r.GetIds() {
		if p := points[id.GetUuid()]; p != nil {
			answer.Result = append(answer.Result, &api.RetrievedPoint{Id: p.id, Payload: maps.Clone(p.payload)})
		}
	}
	return answer, nil
}

// Upsert keeps the vectors that a point is not given, as an optimised segment
// does. The filter only holds for points that are there.
func (d *Double) Upsert(_ context.Context, r *api.UpsertPoints) (*api.PointsOperationResponse, error) {
	points, err := d.in(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	for _, p := range r.GetPoints() {
		at := points[p.GetId().GetUuid()]
		if at != nil {
			if ok, err := at.matches(r.GetUpdateFilter()); err != nil || !ok {
				if err != nil {
					return nil, err
				}
				continue
			}
		} else {
			at = &held{id: p.GetId(), vectors: map[string]*api.Vector{}}
			points[p.GetId().GetUuid()] = at
		}
		at.payload = maps.Clone(p.GetPayload())
		maps.Copy(at.vectors, p.GetVectors().GetVectors().GetVectors())
	}
	return done(), nil
}

// SetPayload changes fields of the payload of points.
func (d *Double) SetPayload(_ context.Context, r *api.SetPayloadPoints) (*api.PointsOperationResponse, error) {
	found, err := d.selected(r.GetCollectionName(), r.GetPointsSelector().GetFilter())
	for _, p := range found {
		maps.Copy(p.payload, r.GetPayload())
	}
	return done(), err
}

// DeleteVectors removes named vectors of points.
func (d *Double) DeleteVectors(_ context.Context, r *api.DeletePointVectors) (*api.PointsOperationResponse, error) {
	found, err := d.selected(r.GetCollectionName(), r.GetPointsSelector().GetFilter())
	for _, p := range found {
		for _, name := range r.GetVectors().GetNames() {
			delete(p.vectors, name)
		}
	}
	return done(), err
}

// CreateFieldIndex accepts any index.
func (d *Double) CreateFieldIndex(context.Context, *api.CreateFieldIndexCollection) (*api.PointsOperationResponse, error) {
	return done(), nil
}

// Scroll returns points in the order of their ids, page by page.
func (d *Double) Scroll(_ context.Context, r *api.ScrollPoints) (*api.ScrollResponse, error) {
	if len(d.Pages) > 0 {
		page := d.Pages[0]
		d.Pages = d.Pages[1:]
		return page, nil
	}
	found, err := d.selected(r.GetCollectionName(), r.GetFilter())
	if err != nil {
		return nil, err
	}
	answer := &api.ScrollResponse{}
	for _, p := range found {
		switch {
		case p.id.GetUuid() < r.GetOffset().GetUuid():
		case len(answer.GetResult()) == int(r.GetLimit()):
			answer.NextPageOffset = p.id
			return answer, nil
		default:
			answer.Result = append(answer.Result, &api.RetrievedPoint{Id: p.id, Payload: maps.Clone(p.payload)})
		}
	}
	return answer, nil
}

// Count counts the points that match a filter.
func (d *Double) Count(_ context.Context, r *api.CountPoints) (*api.CountResponse, error) {
	found, err := d.selected(r.GetCollectionName(), r.GetFilter())
	return &api.CountResponse{Result: &api.CountResult{Count: uint64(len(found))}}, err
}

// Query ranks by cosine, or by the products of sparse values, weighted by the
// inverse frequency in the collection.
func (d *Double) Query(_ context.Context, r *api.QueryPoints) (*api.QueryResponse, error) {
	if d.Hits != nil {
		return &api.QueryResponse{Result: d.Hits[:min(len(d.Hits), int(r.GetLimit()))]}, nil //nolint:gosec // small
	}
	found, err := d.selected(r.GetCollectionName(), r.GetFilter())
	if err != nil {
		return nil, err
	}
	score := nearness(r.GetQuery().GetNearest(), slices.Collect(maps.Values(d.points[r.GetCollectionName()])))
	answer := &api.QueryResponse{}
	for _, p := range found {
		if s, ok := score(p.vectors[r.GetUsing()]); ok {
			answer.Result = append(answer.Result, &api.ScoredPoint{Id: p.id, Payload: maps.Clone(p.payload), Score: float32(s)})
		}
	}
	slices.SortStableFunc(answer.GetResult(), func(a, b *api.ScoredPoint) int { return cmp.Compare(b.GetScore(), a.GetScore()) })
	answer.Result = answer.GetResult()[:min(len(answer.GetResult()), int(r.GetLimit()))] //nolint:gosec // small
	return answer, nil
}

// nearness returns a function that scores a point's vector against q.
func nearness(q *api.VectorInput, all []*held) func(*api.Vector) (float64, bool) {
	if wanted := q.GetDense().GetData(); len(wanted) > 0 {
		return func(v *api.Vector) (float64, bool) {
			have := v.GetDense().GetData()
			return product(wanted, have) / math.Sqrt(product(wanted, wanted)*product(have, have)), len(have) > 0
		}
	}
	frequency := map[uint32]float64{}
	for _, p := range all {
		for _, at := range p.vectors["bm25"].GetSparse().GetIndices() {
			frequency[at]++
		}
	}
	n := float64(len(all))
	return func(v *api.Vector) (score float64, ok bool) {
		for i, at := range v.GetSparse().GetIndices() {
			for j, wanted := range q.GetSparse().GetIndices() {
				if at == wanted {
					idf := math.Log(1 + (n-frequency[at]+0.5)/(frequency[at]+0.5))
					score += idf * float64(v.GetSparse().GetValues()[i]*q.GetSparse().GetValues()[j])
					ok = true
				}
			}
		}
		return score, ok
	}
}

func product(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
