package stores

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	sizes = flag.String("sizes", "10000,50000,100000", "how many chunks the libraries hold to which documents are added")
	kept  = flag.String("kept", "", "a folder where these libraries are kept, for measuring two programs on the same")
)

// singly is how many documents are added, and then deleted, one by one; together how
// many are added at once after that.
const singly, together = 15, 100

// BenchmarkGrowth adds documents to libraries of different sizes and deletes them,
// with SQLite and the embedded stores, and prints the CPU time until graph and
// index follow.
func BenchmarkGrowth(b *testing.B) {
	fmt.Println("\n| chunks held | documents | adding one, ms of processor time (in the ledger alone) | deleting one | adding one of 100 at a time |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: |")
	for size := range strings.SplitSeq(*sizes, ",") {
		b.Run(size, func(b *testing.B) { grow(b, must(strconv.Atoi(size))(b)) })
	}
}

// chunksEach is about how many chunks a document has.
const chunksEach = 3.1

func grow(b *testing.B, chunks int) {
	held := int(float64(chunks) / chunksEach)
	of := held + 1 + singly + together
	s := openLibrary(b, held, of)
	docs := must(newPart(b.Context(), held, of, of))(b).documents
	s.add(b, docs[0])
	check(b, s.projector.Apply(b.Context(), workspace)) // makes what is made once
	ledger, adding, deleting := s.one(b, docs[1:1+singly])
	watch := start()
	for _, d := range docs[1+singly:] {
		s.add(b, d)
	}
	check(b, s.projector.Apply(b.Context(), workspace))
	_, all := watch.read()
	stats := must(s.graph.Stats(b.Context(), workspace))(b)
	fmt.Printf("| %d | %d | %.0f (%.0f) | %.0f | %.0f |\n", stats.Chunks, held, 1000*adding, 1000*ledger, 1000*deleting, 1000*all/together)
	s.closeAll(b)
}

// one adds documents one by one, then deletes them, and returns the medians of the
// CPU time that one takes: until the ledger has it, until all stores have it, and
// until all have lost it.
func (s *set) one(b *testing.B, docs []document) (ledger, adding, deleting float64) {
	var written, added, deleted []float64
	for _, d := range docs {
		watch := start()
		s.add(b, d)
		_, cpu := watch.read()
		written = append(written, cpu)
		check(b, s.projector.Apply(b.Context(), workspace))
		_, cpu = watch.read()
		added = append(added, cpu)
	}
	for _, d := range docs {
		watch := start()
		_, err := s.ledger.DeleteDocument(b.Context(), workspace, d.ID)
		check(b, err)
		check(b, s.projector.Apply(b.Context(), workspace))
		_, cpu := watch.read()
		deleted = append(deleted, cpu)
	}
	return median(written), median(added), median(deleted)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// openLibrary returns a library with the first n of its documents.
func openLibrary(b *testing.B, n, of int) *set {
	dir := b.TempDir()
	from := filepath.Join(*kept, strconv.Itoa(n))
	if _, err := os.Stat(from); *kept != "" && err == nil {
		check(b, os.CopyFS(dir, os.DirFS(from)))
		s := openFolder(b, dir)
		check(b, s.projector.Apply(b.Context(), workspace))
		return s
	}
	s := openFolder(b, dir)
	const atOnce = 500 // in memory
	for i := 0; i < n; i += atOnce {
		for _, d := range must(newPart(b.Context(), i, min(i+atOnce, n), of))(b).documents {
			s.add(b, d)
		}
	}
	check(b, s.projector.Apply(b.Context(), workspace))
	if *kept == "" {
		return s
	}
	s.closeAll(b)
	check(b, os.CopyFS(from, os.DirFS(dir)))
	return openFolder(b, dir)
}
