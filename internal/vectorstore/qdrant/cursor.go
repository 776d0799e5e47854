package qdrant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Cursor implements vectorstore.Reader.
func (x *index) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	var at position
	err := x.read(ctx, func(g *edition) (err error) {
		if at, err = x.position(ctx, g, w); err == nil {
			err = x.own(w, at)
		}
		return err
	})
	return at.cursor, err
}

// position is the entry of a workspace in the cursors' point. A reset counts as a
// batch.
type position struct {
	stored bool // the point exists
	cursor int64
	token  int64  // the highest seen
	number int64  // of the last batch that began
	began  string // its mark
	ended  string // the mark of the batch that moved the cursor here
	owner  string // the ledger that the points come from

	lengths map[vectorstore.Collection]lengths // of the points up to the cursor

	// Batches that began and never moved the cursor. One of their requests may still be under way
	// until lateBy.
	open   []int64
	lateBy time.Time
}

// lateFor is how long a request of a batch that was given up may come late:
// more than it may take, see writeTimeout.
const lateFor = 5 * time.Minute

// endedAs reports whether the cursor was last moved by the batch in.
func (p position) endedAs(in vectorstore.Batch) bool { return strings.HasPrefix(p.ended, identity(in)) }

func (s *server) position(ctx context.Context, g *edition, w domain.WorkspaceID) (position, error) {
	var points []*qdrant.RetrievedPoint
	err := s.call(ctx, reading, "read the cursor", func(ctx context.Context) (err error) {
		points, err = s.client.Get(ctx, &qdrant.GetPoints{
			CollectionName: g.of(cursors), Ids: []*qdrant.PointId{pointID(w, "")}, WithPayload: qdrant.NewWithPayload(true),
		})
		return err
	})
	if err != nil || len(points) == 0 {
		return position{}, err
	}
	payload := points[0].GetPayload()
	at := position{
		stored: true, cursor: payload[fieldCursor].GetIntegerValue(), token: payload[fieldToken].GetIntegerValue(),
		number: payload[fieldNumber].GetIntegerValue(), began: payload[fieldBegan].GetStringValue(), ended: payload[fieldBatch].GetStringValue(),
		lateBy: time.UnixMilli(payload[fieldLateBy].GetIntegerValue()), owner: payload[fieldOwner].GetStringValue(),
		lengths: map[vectorstore.Collection]lengths{},
	}
	for _, c := range vectorstore.Collections() {
		at.lengths[c] = lengths{payload[fieldPoints+string(c)].GetIntegerValue(), payload[fieldWords+string(c)].GetIntegerValue()}
	}
	at.open = lists.Map(payload[fieldOpen].GetListValue().GetValues(), (*qdrant.Value).GetIntegerValue)
	return at, nil
}

// begin enters the batch into the cursors' point with the next number, moves the
// cursor to cursor and, if ended is not empty, says that the batch with that mark
// has ended. It returns a conflict if another batch began or ended since at was
// read. From then on no request of an earlier batch changes what this one
// writes, and none of them moves the cursor.
func (b *batch) begin(ctx context.Context, at position, cursor int64, ended string) error {
	b.began, b.number = at, at.number+1
	if at.number > 0 && at.began != at.ended {
		b.began.open, b.began.lateBy = append(slices.Clone(at.open), at.number), b.Now().Add(lateFor)
	}
	fields := map[string]any{fieldCursor: cursor, fieldToken: b.Token, fieldNumber: b.number, fieldBegan: b.mark}
	if ended != "" {
		fields[fieldBatch] = ended
	}
	maps.Copy(fields, b.began.openFields())
	unchanged := of(b.workspace, qdrant.NewMatchInt(fieldCursor, at.cursor))
	unchanged.MustNot = []*qdrant.Condition{qdrant.NewRange(fieldNumber, &qdrant.Range{Gt: new(float64(at.number))})}
	if err := b.writeCursor(ctx, fields, at.stored, unchanged); err != nil {
		return err
	}
	now, err := b.position(ctx, b.edition, b.workspace)
	if err == nil && now.began != b.mark {
		err = domain.Errorf(domain.Conflict, "Another process has begun to bring the search index up to date.")
	}
	return err
}

// openFields returns the fields of the batches that never ended.
func (p position) openFields() map[string]any {
	numbers := lists.Map(p.open, func(n int64) any { return n })
	return map[string]any{fieldOpen: numbers, fieldLateBy: p.lateBy.UnixMilli()}
}

// move moves the cursor from b.After to b.Cursor unless another batch has begun
// since, and returns where it is. It is the last write of a batch, awaited and in
// the strongest order: a reader that sees the cursor sees the points.
func (b *batch) move(ctx context.Context) (position, error) {
	fields := map[string]any{fieldCursor: b.Cursor, fieldBatch: b.mark}
	for c, l := range b.lengths {
		fields[fieldPoints+string(c)], fields[fieldWords+string(c)] = l.points, l.words
	}
	if b.Now().After(b.began.lateBy) {
		maps.Copy(fields, position{}.openFields())
	}
	own := of(b.workspace, qdrant.NewMatchInt(fieldCursor, b.After), qdrant.NewMatchKeyword(fieldBegan, b.mark))
	if err := b.writeCursor(ctx, fields, true, own); err != nil {
		return position{}, fmt.Errorf("finish a batch: %w", err)
	}
	return b.position(ctx, b.edition, b.workspace)
}

// writeCursor changes fields of the cursors' point if it meets a condition. If
// it was not stored, it is made.
func (b *batch) writeCursor(ctx context.Context, fields map[string]any, stored bool, condition *qdrant.Filter) error {
	fields[fieldWorkspace] = string(b.workspace)
	if owner := b.owners.Of(b.workspace); owner != "" {
		fields[fieldOwner] = owner
	}
	payload, err := qdrant.TryValueMap(fields)
	if err != nil {
		return err
	}
	id := pointID(b.workspace, "")
	return b.call(ctx, writing, "write the cursor", func(ctx context.Context) error {
		if !stored { // another process may have made it, which the condition detects
			_, err := b.client.Upsert(ctx, &qdrant.UpsertPoints{
				CollectionName: b.edition.of(cursors), Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Strong),
				Points:       []*qdrant.PointStruct{{Id: id, Payload: payload, Vectors: qdrant.NewVectorsMap(nil)}},
				UpdateFilter: condition,
			})
			return err
		}
		selected := &qdrant.Filter{Must: append([]*qdrant.Condition{qdrant.NewHasID(id)}, condition.GetMust()...), MustNot: condition.GetMustNot()}
		_, err := b.client.SetPayload(ctx, &qdrant.SetPayloadPoints{
			CollectionName: b.edition.of(cursors), Wait: new(true), Ordering: ordering(qdrant.WriteOrderingType_Strong), Payload: payload,
			PointsSelector: qdrant.NewPointsSelectorFilter(selected),
		})
		return err
	})
}

func ordering(t qdrant.WriteOrderingType) *qdrant.WriteOrdering {
	return &qdrant.WriteOrdering{Type: t}
}

// Claim implements vectorstore.Store. The owner is in the cursor's point.
func (s *Store) Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	s.owners.Set(w, owner)
	if err := s.claim(ctx, w, owner, takeOver); err != nil {
		return fmt.Errorf("claim the search index: %w", err)
	}
	return nil
}

func (s *Store) claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error {
	g, err := s.look(ctx)
	if err != nil || g == nil {
		return err
	}
	at, err := s.position(ctx, g, w)
	if err != nil || !at.stored || at.owner == owner {
		return err
	}
	if at.owner == "" {
		return s.adopt(ctx, g, w)
	}
	if !takeOver {
		return s.own(w, at)
	}
	return s.clear(ctx, g, w, at, 0)
}

// adopt records the owner of points that have none, unless another one was quicker.
func (s *Store) adopt(ctx context.Context, g *edition, w domain.WorkspaceID) error {
	b := &batch{server: s.server, edition: g, workspace: w}
	if err := b.writeCursor(ctx, map[string]any{}, true, of(w, qdrant.NewIsEmpty(fieldOwner))); err != nil {
		return err
	}
	at, err := s.position(ctx, g, w)
	if err != nil {
		return err
	}
	return s.own(w, at)
}

// own returns an error if a workspace belongs to another ledger.
func (s *server) own(w domain.WorkspaceID, at position) error {
	if !s.owners.Differ(w, at.owner) {
		return nil
	}
	return domain.Foreign(fmt.Sprintf("The search index in Qdrant, in the collections %s_…,", s.Prefix), "Choose another prefix for this one in QDRANT_PREFIX.")
}
