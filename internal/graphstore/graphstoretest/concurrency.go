package graphstoretest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// testConcurrency reads while a writer moves two things together: a reader must
// never see only one of them moved.
func testConcurrency(t *testing.T, s *bench) {
	const batches, readers = 20, 4
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for {
				a, err := s.Adjacency(t.Context(), s.ws)
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				if int64(len(a.Entities)) != a.Cursor || len(a.Entities) != len(a.Chunks) || len(a.Links) != len(a.Chunks) {
					t.Errorf("torn read: cursor %d, %d entities, %d chunks, %d links", a.Cursor, len(a.Entities), len(a.Chunks), len(a.Links))
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range batches {
		d, c := domain.DocumentID(fmt.Sprintf("d%02d", i)), domain.ChunkID(fmt.Sprintf("c%02d", i))
		s.apply(graphstore.Batch{
			Documents: []graphstore.Document{document(d, c)},
			Entities:  []graphstore.Entity{entity(fmt.Sprintf("e%02d", i), mention(d, c, 0))},
		})
	}
	close(done)
	wg.Wait()
	same(s, "cursor", must(s.Cursor(t.Context(), s.ws))(s), int64(batches))
}
