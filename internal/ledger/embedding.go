package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/sqlio"
)

// SaveEmbeddings stores vectors of one model by the hash of the embedded text,
// replacing earlier ones of their dimension. They have the same dimension, which
// becomes the model's.
func (l *Ledger) SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error {
	return l.tx(ctx, "save embeddings", func(tx *sql.Tx, _ time.Time) error {
		dimension := 0
		for _, hash := range slices.Sorted(maps.Keys(vectors)) {
			v := vectors[hash]
			if dimension = cmp.Or(dimension, len(v)); len(v) == 0 || len(v) != dimension {
				return fmt.Errorf("vectors of %d and of %d numbers", dimension, len(v))
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO embeddings (model, dimension, text_hash, vector) VALUES (?, ?, ?, ?)
				ON CONFLICT (model, dimension, text_hash) DO UPDATE SET vector = excluded.vector`, model, dimension, hash, toBytes(v))
			if err != nil {
				return err
			}
		}
		if dimension == 0 {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO embedding_models (model, dimension) VALUES (?, ?)
			ON CONFLICT (model) DO UPDATE SET dimension = excluded.dimension WHERE embedding_models.dimension <> excluded.dimension`, model, dimension)
		return err
	})
}

// Dimension returns the dimension of the vectors that were saved last of a model, or
// 0 if there are none.
func (l *Ledger) Dimension(ctx context.Context, model string) (dimension int, err error) {
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error { return rows.Scan(&dimension) }, `SELECT dimension FROM embedding_models WHERE model = ?`, model)
	return dimension, l.wrap("read the dimension of "+model, err)
}

// Embeddings returns the stored vectors of one model and dimension by text hash,
// without the hashes that have none. Dimension 0 stands for that of the vectors
// that were saved last.
func (l *Ledger) Embeddings(ctx context.Context, model string, dimension int, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	if dimension == 0 {
		var err error
		if dimension, err = l.Dimension(ctx, model); err != nil || dimension == 0 {
			return found, err
		}
	}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var hash string
		var vector []byte
		err := rows.Scan(&hash, &vector)
		if err == nil {
			found[hash], err = fromBytes(vector)
		}
		return err
	}, `SELECT text_hash, vector FROM embeddings WHERE model = ? AND dimension = ? AND text_hash IN (%s)`, []any{model, dimension}, distinct(hashes))
	if err != nil {
		return nil, l.wrap("read embeddings of "+model, err)
	}
	return found, nil
}

// toBytes encodes v as little-endian float32.
func toBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func fromBytes(b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are not a vector of float32", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}
