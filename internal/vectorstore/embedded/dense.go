package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Dense implements vectorstore.Reader. It compares every vector.
func (x *index) Dense(ctx context.Context, w domain.WorkspaceID, q vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	if err := q.Collection.Check(); err != nil {
		return nil, err
	}
	f, err := x.loaded(ctx, w, q.Collection)
	if err != nil || q.Limit <= 0 {
		return nil, err
	}
	return f.search(unit(q.Vector), q.Limit, q.Documents)
}

// Embedded implements vectorstore.Reader.
func (x *index) Embedded(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) (embedded, points int, err error) {
	if err := c.Check(); err != nil {
		return 0, 0, err
	}
	f, err := x.loaded(ctx, w, c)
	if err != nil {
		return 0, 0, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.nums), f.points, nil
}

// loaded returns the flat index of a collection as of the file.
func (x *index) loaded(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection) (*flat, error) {
	f := x.flat(w, c)
	err := x.file.Read(ctx, x.room(w), func(tx *sql.Tx, r projected.Workspace) error {
		if err := x.checkModel(ctx, tx); err != nil {
			return err
		}
		return f.refresh(ctx, tx, r)
	})
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	return f, nil
}

func encodeVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// decodeVector appends the numbers in b to v.
func decodeVector(v []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return v
}

// dot returns the inner product of two vectors of the same length. Four partial
// sums avoid waiting for each addition.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += x[0]*y[0] + x[4]*y[4]
		s1 += x[1]*y[1] + x[5]*y[5]
		s2 += x[2]*y[2] + x[6]*y[6]
		s3 += x[3]*y[3] + x[7]*y[7]
		a, b = a[8:], b[8:]
	}
	for i := range min(len(a), len(b)) {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// unit returns v scaled to length 1. The zero vector is returned as it is.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = x * scale
	}
	return out
}
