package stores

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clewhq/clew/bench/made"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/vectorstore"
)

var (
	number     = flag.Int("n", 10_000, "documents to measure with")
	batch      = flag.Int("batch", 100, "documents that are added before the stores follow; 0 leaves the stores to the rebuild")
	dimensions = flag.Int("dimensions", 384, "numbers in the embedding of a chunk; 0 is without")
)

const workspace = domain.DefaultWorkspace

// model returns the name of the embedding model, or "".
func model() string {
	if *dimensions == 0 {
		return ""
	}
	return "made up"
}

// result holds the measurements of one set.
type result struct {
	name                string
	load, ledger, cpu   float64 // seconds
	rebuild, rebuildCPU float64
	backup, restore     float64 // unpacked bytes a second
	restoreCPU          float64 // unpacked bytes for each second of processor time
	archive             int64
	idle, peak, kept    int64            // memory of the program: before, at most, and once it can answer
	servers             map[string]int64 // the most that each has held, in bytes
	disk                disk
}

// BenchmarkStores measures each set of stores once on the same documents and
// prints a table. It skips a set whose server is not installed.
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
	} else if os.Getenv("QDRANT_PID") == "" || os.Getenv("QDRANT_STORAGE") == "" {
		fmt.Println("Not counted: what Qdrant holds. QDRANT_PID is its process, QDRANT_STORAGE its folder, on this machine.")
	}
}

func measure(b *testing.B, s *set, docs *library) (r result) {
	check(b, forgetPeak())
	r.idle = must(memory("self", "status", "VmRSS"))(b)
	servers := peaks()
	r.load, r.ledger, r.cpu = s.load(b, docs)
	watch := start()
	check(b, s.projector.Reset(b.Context(), workspace, projection.Stores{Graph: true, Vectors: true}))
	check(b, s.projector.Apply(b.Context(), workspace))
	r.rebuild, r.rebuildCPU = watch.read()
	s.ask(b)
	r.peak, r.servers = must(memory("self", "status", "VmHWM"))(b), servers()
	check(b, forgetPeak())
	r.kept = must(memory("self", "status", "VmRSS"))(b)
	s.archive(b, &r)
	s.closeAll(b)
	r.disk = s.disk()
	return r
}

// load adds all documents in batches and returns the time in all and in the
// ledger alone.
func (s *set) load(b *testing.B, docs *library) (all, ledger, cpu float64) {
	watch := start()
	for i, d := range docs.documents {
		one := start()
		s.add(b, d)
		wall, _ := one.read()
		ledger += wall
		if *batch > 0 && ((i+1)%*batch == 0 || i+1 == len(docs.documents)) {
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
	if model() != "" {
		check(b, s.ledger.SaveEmbeddings(ctx, model(), d.embeddings(*dimensions)))
	}
	for _, c := range d.given {
		check(b, s.ledger.RecordContribution(ctx, workspace, c))
	}
	_, err = s.ledger.Publish(ctx, workspace, d.ID)
	check(b, err)
}

// ask loads into memory what a question needs: index and adjacency.
func (s *set) ask(b *testing.B) {
	for _, c := range vectorstore.Collections() {
		_, err := s.vectors.Lexical(b.Context(), workspace, vectorstore.LexicalQuery{Collection: c, Text: made.Person(1), Limit: 20})
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
	if into.dangling != nil {
		if table := must(into.dangling(b.Context()))(b); table != "" {
			b.Fatalf("rows of %s refer to none", table)
		}
	}
	took, cpu := watch.read()
	r.restore, r.restoreCPU = float64(read.Bytes)/took, float64(read.Bytes)/cpu
	if read.Count("documents") != int64(*number) {
		b.Fatalf("%d documents came back, not %d", read.Count("documents"), *number)
	}
	check(b, into.close())
}

func show(docs *library, results []result) {
	n, per := float64(len(docs.documents)), 100_000/float64(docs.chunks)
	fmt.Printf("\n%d documents, %d chunks, %.1f MB of text, embeddings of %d numbers, batches of %d; one run\n\n",
		len(docs.documents), docs.chunks, float64(docs.bytes)/1e6, *dimensions, *batch)
	fmt.Println("| set | documents/s | chunks/s | in the ledger alone, documents/s | program's processor time, ms a document | rebuild, s (processor) | backup, MB/s | restore, MB unpacked/s (for each s of processor time) |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, r := range results {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f (%.1f) | %.0f | %.0f (%.0f) |\n", r.name, n/r.load, float64(docs.chunks)/r.load, n/r.ledger, 1000*r.cpu/n,
			r.rebuild, r.rebuildCPU, r.backup/1e6, r.restore/1e6, r.restoreCPU/1e6)
	}
	for _, t := range []struct {
		title string
		times float64
	}{{"As measured", 1}, {fmt.Sprintf("Per 100,000 chunks, in proportion from %d", docs.chunks), per}} {
		fmt.Printf("\n%s, in MB (disk, then memory at its peak):\n\n", t.title)
		fmt.Println("| set | ledger | graph | index | logs of the servers | backup | program at its peak, above idle | program afterwards, above idle | Neo4j | Postgres | Qdrant |")
		fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
		for _, r := range results {
			fmt.Printf("| %s |", r.name)
			for _, x := range []int64{r.disk.ledger, r.disk.graph, r.disk.index, r.disk.logs, r.archive, r.peak - r.idle, r.kept - r.idle, r.servers[neo4jName], r.servers[postgresName], r.servers[qdrantName]} {
				fmt.Printf(" %.0f |", t.times*float64(x)/1e6)
			}
			fmt.Println()
		}
	}
}
