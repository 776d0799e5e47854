package stores

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	sizes = flag.String("sizes", "1000,5000,20000", "how many documents the libraries hold to which some are added")
	kept  = flag.String("kept", "", "a folder where these libraries are kept, for measuring two programs on the same")
)

// few lists how many documents are added at a time, and how often.
var few = []struct{ documents, times int }{{1, 20}, {10, 4}, {100, 1}}

// BenchmarkGrowth adds documents to libraries of different sizes, with SQLite
// and the embedded stores, and prints the CPU time until graph and index
// include them.
func BenchmarkGrowth(b *testing.B) {
	fmt.Println("\n| documents held | added at a time | ms of processor time a document | in the ledger alone |")
	fmt.Println("| ---: | ---: | ---: | ---: |")
	for size := range strings.SplitSeq(*sizes, ",") {
		b.Run(size, func(b *testing.B) { grow(b, must(strconv.Atoi(size))(b)) })
	}
}

func grow(b *testing.B, n int) {
	more := 1
	for _, f := range few {
		more += f.documents * f.times
	}
	docs := must(newLibrary(b.Context(), n+more))(b)
	s := openLibrary(b, docs, n)
	s.add(b, docs.documents[n])
	check(b, s.projector.Apply(b.Context(), workspace)) // makes what is made once
	n++
	for _, f := range few {
		var ledger, all float64
		for range f.times {
			watch := start()
			for range f.documents {
				s.add(b, docs.documents[n])
				n++
			}
			_, cpu := watch.read()
			ledger += cpu
			check(b, s.projector.Apply(b.Context(), workspace))
			_, cpu = watch.read()
			all += cpu
		}
		per := 1000 / float64(f.documents*f.times)
		fmt.Printf("| %d | %d | %.1f | %.1f |\n", len(docs.documents)-more, f.documents, per*all, per*ledger)
	}
	s.closeAll(b)
}

// openLibrary returns a library with the first n of docs.
func openLibrary(b *testing.B, docs *library, n int) *set {
	dir := b.TempDir()
	from := filepath.Join(*kept, strconv.Itoa(n))
	if _, err := os.Stat(from); *kept != "" && err == nil {
		check(b, os.CopyFS(dir, os.DirFS(from)))
		s := openFolder(b, dir)
		check(b, s.projector.Apply(b.Context(), workspace))
		return s
	}
	s := openFolder(b, dir)
	for _, d := range docs.documents[:n] {
		s.add(b, d)
	}
	check(b, s.projector.Apply(b.Context(), workspace))
	if *kept == "" {
		return s
	}
	s.closeAll(b)
	check(b, os.CopyFS(from, os.DirFS(dir)))
	return openFolder(b, dir)
}
