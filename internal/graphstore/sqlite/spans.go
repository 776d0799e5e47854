package sqlite

import (
	"encoding/binary"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// encodeSpans packs spans as pairs of varints, start and length, because links
// are the most numerous rows and most have one or two spans.
func encodeSpans(spans []domain.Span) []byte {
	b := make([]byte, 0, 4*len(spans))
	for _, s := range spans {
		b = binary.AppendVarint(b, int64(s.Start))
		b = binary.AppendVarint(b, int64(s.Len()))
	}
	return b
}

func decodeSpans(b []byte) ([]domain.Span, error) {
	var spans []domain.Span
	for len(b) > 0 {
		start, n := binary.Varint(b)
		if n <= 0 {
			return nil, fmt.Errorf("damaged spans")
		}
		length, m := binary.Varint(b[n:])
		if m <= 0 {
			return nil, fmt.Errorf("damaged spans")
		}
		b = b[n+m:]
		spans = append(spans, domain.Span{Start: int(start), End: int(start + length)})
	}
	return spans, nil
}
