package vectorstoretest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// testConcurrency searches while a writer adds and deletes: a point that is
// there throughout is always found.
func testConcurrency(t *testing.T, s *bench) {
	s.put(chunk("a0", "", "granite keystone", 1, 0))
	done := make(chan struct{})
	var wg sync.WaitGroup
	search := func(find func() []string) {
		wg.Go(func() {
			for {
				if ids := find(); len(ids) == 0 || ids[0] != "a0" {
					t.Errorf("got %v, want a0 first", ids)
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
	for range 2 {
		search(func() []string { return s.find("keystone") })
		search(func() []string { return s.near([]float32{1, 0}, 3) })
	}
	for i := range 15 {
		added := chunk(fmt.Sprintf("b%d", i), "", "granite", 0.6, 0.8)
		added.Document = domain.DocumentID(fmt.Sprint("d", i))
		s.put(added)
		if i%2 == 0 {
			s.apply(vectorstore.Batch{DeleteDocuments: []domain.DocumentID{added.Document}})
		}
	}
	close(done)
	wg.Wait()
	same(s, "points", len(s.ids(vectorstore.Chunks)), 8)
}
