package stores

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/backup"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

var number = flag.Int("n", 10_000, "documents to measure with")

const workspace = domain.DefaultWorkspace

// batch is how many documents are added before the stores follow.
const batch = 100

// result is what was measured of one set.
type result struct {
	name                     string
	load, ledger, cpu        float64 // seconds
	rebuild, rebuildCPU      float64
	backup, restore          float64 // bytes a second
	archive                  int64
	idle, peak, server, disk int64 // bytes
}

// BenchmarkStores measures each set of stores on the same documents, once, and
// prints a table. A set whose server is not installed is skipped in a line.
func BenchmarkStores(b *testing.B) {
	docs := must(newLibrary(b.Context(), *number))(b)
	var results []result
	index := "Qdrant"
	if os.Getenv("QDRANT_URL") == "" {
		index = "embedded index"
	}
	for _, s := range []struct {
		name string
		open func(*testing.B) *set
	}{{"SQLite, embedded graph and index", openEmbedded}, {"SQLite, Neo4j, " + index, openServers}, {"Postgres, Neo4j, " + index, openFleet}} {
		b.Run(strings.NewReplacer(", ", "-", " ", "-").Replace(s.name), func(b *testing.B) {
			r := measure(b, s.open(b), docs)
			r.name = s.name
			results = append(results, r)
			show(docs, results) // after each set: a run that is cut off has told what it knew
		})
	}
	if os.Getenv("QDRANT_URL") == "" {
		fmt.Println("Left out: Qdrant, since QDRANT_URL is not set; the embedded index stands in for it.")
	}
}

func measure(b *testing.B, s *set, docs *library) (r result) {
	check(b, forgetPeak())
	r.idle = must(memory("self", "status", "VmRSS"))(b)
	r.load, r.ledger, r.cpu = s.load(b, docs)
	watch := start()
	check(b, s.projector.Rebuild(b.Context(), workspace))
	r.rebuild, r.rebuildCPU = watch.read()
	s.ask(b)
	r.peak, r.server = must(memory("self", "status", "VmHWM"))(b), serversMemory()
	s.archive(b, &r)
	s.closeAll(b)
	r.disk = s.disk()
	return r
}

// load adds all documents, in batches as a dropped folder comes in, and says
// how long it took in all and in the ledger alone.
func (s *set) load(b *testing.B, docs *library) (all, ledger, cpu float64) {
	watch := start()
	for i, d := range docs.documents {
		one := start()
		s.add(b, d)
		wall, _ := one.read()
		ledger += wall
		if (i+1)%batch == 0 || i+1 == len(docs.documents) {
			check(b, s.projector.Apply(b.Context(), workspace))
		}
	}
	all, cpu = watch.read()
	return all, ledger, cpu
}

func (s *set) add(b *testing.B, d document) {
	ctx := b.Context()
	file := must(s.files.Put(ctx, workspace, strings.NewReader(d.content), d.Size))(b)
	d.Hash = file.Hash
	_, _, err := s.ledger.AddDocument(ctx, d.Document)
	check(b, err)
	check(b, s.ledger.SaveText(ctx, workspace, d.ID, d.text))
	check(b, s.ledger.SaveChunks(ctx, workspace, d.ID, d.chunks))
	for _, c := range d.given {
		check(b, s.ledger.RecordContribution(ctx, workspace, c))
	}
	_, err = s.ledger.Publish(ctx, workspace, d.ID)
	check(b, err)
}

// ask brings into memory what a question needs there: index and adjacency.
func (s *set) ask(b *testing.B) {
	for _, c := range []vectorstore.Collection{vectorstore.Chunks, vectorstore.Sentences, vectorstore.Entities, vectorstore.Relations} {
		_, err := s.vectors.Lexical(b.Context(), workspace, vectorstore.LexicalQuery{Collection: c, Text: person(1), Limit: 20})
		check(b, err)
	}
	if held := must(s.graph.Adjacency(b.Context(), workspace))(b); len(held.Chunks) == 0 {
		b.Fatal("the graph is empty: nothing was measured")
	}
}

// archive backs up into memory and restores into an empty database.
func (s *set) archive(b *testing.B, r *result) {
	var file bytes.Buffer
	watch := start()
	written := must(backup.Write(b.Context(), &file, s.Source))(b)
	took, _ := watch.read()
	r.backup, r.archive = float64(written.Bytes)/took, written.Packed
	into := s.fresh()
	watch = start()
	read := must(backup.Restore(b.Context(), &file, into.target))(b)
	took, _ = watch.read()
	r.restore = float64(read.Bytes) / took
	if read.Count("documents") != int64(*number) {
		b.Fatalf("%d documents came back, not %d", read.Count("documents"), *number)
	}
	check(b, into.close())
}

func show(docs *library, results []result) {
	n, per := float64(len(docs.documents)), 100_000/float64(docs.chunks)
	fmt.Printf("\n%d documents, %d chunks, %.1f MB of text, no embeddings; one run\n\n", len(docs.documents), docs.chunks, float64(docs.bytes)/1e6)
	fmt.Println("| set | documents/s | chunks/s | in the ledger alone, documents/s | program's processor time, ms a document | rebuild, s (processor) | backup, MB/s | restore, MB/s |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, r := range results {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f (%.1f) | %.0f | %.0f |\n", r.name, n/r.load, float64(docs.chunks)/r.load, n/r.ledger, 1000*r.cpu/n,
			r.rebuild, r.rebuildCPU, r.backup/1e6, r.restore/1e6)
	}
	fmt.Printf("\nPer 100,000 chunks, extrapolated from %d:\n\n", docs.chunks)
	fmt.Println("| set | on disk, MB | backup, MB | program's peak above idle, MB | idle, MB | servers as measured, MB |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: |")
	for _, r := range results {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", r.name, per*float64(r.disk)/1e6, per*float64(r.archive)/1e6,
			per*float64(r.peak-r.idle)/1e6, float64(r.idle)/1e6, float64(r.server)/1e6)
	}
}
