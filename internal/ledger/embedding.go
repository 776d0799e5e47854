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

// SaveEmbeddings stores vectors of one model by the hash of the text that was
// embedded, replacing what was there.
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

// Embeddings returns the stored vectors of one model by text hash. Hashes that
// have none are left out.
func (l *Ledger) Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error) {
	type row struct {
		hash   string
		vector []byte
	}
	rows, err := collectIn(ctx, l.reader, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.hash, &r.vector)
	}, `SELECT text_hash, vector FROM embeddings WHERE model = ? AND text_hash IN (%s)`, []any{model}, distinct(hashes))
	if err != nil {
		return nil, l.wrap("read embeddings", err)
	}
	found := make(map[string][]float32, len(rows))
	for _, r := range rows {
		if found[r.hash], err = fromBytes(r.vector); err != nil {
			return nil, fmt.Errorf("read embedding %s of %s: %w", r.hash, model, err)
		}
	}
	return found, nil
}

// toBytes lays v out as little-endian float32.
func toBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// fromBytes is the inverse of toBytes.
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
