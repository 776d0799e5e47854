package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// SaveEmbeddings stores vectors of one model by the hash of the embedded text,
// replacing earlier ones.
func (l *Ledger) SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error {
	return l.tx(ctx, "save embeddings", func(tx *sql.Tx, _ time.Time) error {
		for _, hash := range slices.Sorted(maps.Keys(vectors)) {
			_, err := tx.ExecContext(ctx, `INSERT INTO embeddings (model, text_hash, vector) VALUES (?, ?, ?)
				ON CONFLICT (model, text_hash) DO UPDATE SET vector = excluded.vector`, model, hash, toBytes(vectors[hash]))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Embeddings returns the stored vectors of one model by text hash, without the
// hashes that have none.
func (l *Ledger) Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var hash string
		var vector []byte
		err := rows.Scan(&hash, &vector)
		if err == nil {
			found[hash], err = fromBytes(vector)
		}
		return err
	}, `SELECT text_hash, vector FROM embeddings WHERE model = ? AND text_hash IN (%s)`, []any{model}, distinct(hashes))
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
