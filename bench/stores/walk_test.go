package stores

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore"
)

var (
	walked = flag.String("walked", "50000,200000", "how many chunks the graphs hold that are walked in, embedded")
	served = flag.String("served", "", "and in Neo4j")
)

// The shape of the graph of the four sets of multi-hop questions as one library: so many
// names for a chunk that are in no other, and so many drawn from a third of all.
const (
	ownNames, drawnNames = 5, 14
	eachDocument         = 3
	walksBefore          = 500 // that are not counted
	walksEach            = 60
)

// BenchmarkWalks asks questions of made graphs of different sizes, in which words find 200
// passages anywhere, and prints what a walk costs of a process that has read nothing, in a store that has: at rest, and after each document
// that another process adds.
func BenchmarkWalks(b *testing.B) {
	fmt.Println("\n| store | chunks | links | CPU of a walk, ms, p50 / p95 | by the clock, ms, p50 / p95 | after a change: CPU, by the clock, ms, p50 | memory of the process, MB |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for size := range strings.SplitSeq(*walked, ",") {
		b.Run("embedded/"+size, func(b *testing.B) {
			store := must(graphsqlite.Open(b.Context(), filepath.Join(b.TempDir(), "graph.db")))(b)
			chunks := must(strconv.Atoi(size))(b)
			walkIn(b, "SQLite", store, chunks, fillGraph(b, store, chunks))
			check(b, store.Close())
		})
	}
	if *served == "" {
		return
	}
	for size := range strings.SplitSeq(*served, ",") {
		b.Run("server/"+size, func(b *testing.B) {
			server := servers.LargeNeo4j(b)
			chunks := must(strconv.Atoi(size))(b)
			links := importGraph(b, server, chunks)
			server.Start(b)
			store := must(neo4j.Open(b.Context(), neo4j.Options{
				URL: server.URL, User: server.User, Password: server.Password, Database: server.Database, SilenceTimeout: 10 * time.Minute,
			}))(b)
			check(b, store.Apply(b.Context(), workspace, graphstore.Batch{Cursor: 1}))
			walkIn(b, "Neo4j", store, chunks, links)
			check(b, store.Close())
		})
	}
}

func walkIn(b *testing.B, name string, store graphstore.Store, chunks, links int) {
	debug.FreeOSMemory()
	random := rand.New(rand.NewPCG(3, 4))
	walker := func() *retrieve.Retriever {
		return retrieve.New(retrieve.Params{Graph: store, Index: anywhere{chunks}, Texts: anywhere{chunks}, Now: time.Now})
	}
	walk := func(r *retrieve.Retriever) (cpu, wall float64) {
		q := retrieve.Query{Text: fmt.Sprintf("Where did %s meet %s?", nameOf(random.IntN(chunks)), nameOf(int(float64(chunks)*random.Float64()*random.Float64()*random.Float64())))}
		watch := start()
		found := must(r.Retrieve(b.Context(), workspace, q))(b)
		wall, cpu = watch.read()
		if len(found.Passages) < retrieve.DefaultLimit || len(found.Methods) != 3 {
			b.Fatalf("%s found %d passages: %+v", q.Text, len(found.Passages), found.Methods)
		}
		return 1000 * cpu, 1000 * wall
	}
	first := walker() // which keeps what it read; the store keeps pages and plans, a server also code
	for range walksBefore {
		walk(first)
	}
	r := walker()
	var still, clock, changed, changedClock []float64
	for range walksEach {
		cpu, wall := walk(r)
		still, clock = append(still, cpu), append(clock, wall)
	}
	for i := range walksEach {
		n := chunks + eachDocument*i
		cursor := must(store.Cursor(b.Context(), workspace))(b)
		check(b, store.Apply(b.Context(), workspace, graphstore.Batch{After: cursor, Cursor: cursor + 1, Documents: documentsOf(n, n+eachDocument)}))
		cpu, wall := walk(r)
		changed, changedClock = append(changed, cpu), append(changedClock, wall)
	}
	debug.FreeOSMemory()
	slices.Sort(still)
	slices.Sort(clock)
	fmt.Printf("| %s | %d | %d | %.1f / %.1f | %.1f / %.1f | %.1f, %.1f | %d |\n", name, chunks, links, median(still), still[walksEach*95/100],
		median(clock), clock[walksEach*95/100], median(changed), median(changedClock), must(memory("self", "status", "VmRSS"))(b)>>20)
}

func nameOf(n int) string { return "Nom" + strconv.Itoa(n) }

func madeChunk(n int) (domain.ChunkID, domain.DocumentID) {
	d := domain.NewDocumentID(workspace, strconv.Itoa(n/eachDocument))
	return domain.NewChunkID(d, strconv.Itoa(n), 0), d
}

// documentsOf returns the documents of chunks.
func documentsOf(from, to int) (all []graphstore.Document) {
	for n := from; n < to; n++ {
		id, d := madeChunk(n)
		if n == from || n%eachDocument == 0 {
			all = append(all, graphstore.Document{ID: d, Name: "d", Title: nameOf(n / eachDocument)})
		}
		last := &all[len(all)-1]
		last.Chunks = append(last.Chunks, graphstore.Chunk{ID: id, Ordinal: n % eachDocument})
	}
	return all
}

// fillGraph writes a graph into a store and returns the number of its links.
func fillGraph(b *testing.B, store graphstore.Store, chunks int) (links int) {
	cursor := must(store.Cursor(b.Context(), workspace))(b)
	apply := func(batch graphstore.Batch) {
		batch.After, batch.Cursor = cursor, cursor+1
		check(b, store.Apply(b.Context(), workspace, batch))
		cursor++
	}
	const atOnce = 3_000
	for from := 0; from < chunks; from += atOnce {
		apply(graphstore.Batch{Documents: documentsOf(from, min(from+atOnce, chunks))})
	}
	var batch graphstore.Batch
	eachEntity(chunks, func(e graphstore.Entity) {
		batch.Entities = append(batch.Entities, e)
		links += len(e.Links)
		if len(batch.Entities) == atOnce {
			apply(batch)
			batch = graphstore.Batch{}
		}
	})
	apply(batch)
	return links
}

// madeEntity returns the nth name with the chunks it is in, which is the title of the document with its number.
func madeEntity(n int, in []int32) graphstore.Entity {
	name := nameOf(n)
	e := graphstore.Entity{Entity: domain.Entity{ID: domain.NewEntityID(workspace, "Thing", name), Label: "Thing", Key: prose.Key(name), Name: name}}
	for _, c := range in {
		chunk, document := madeChunk(int(c))
		kind := graphstore.LinkMention
		if int(c)/eachDocument == n {
			kind |= graphstore.LinkTitle
		}
		e.Links = append(e.Links, graphstore.Link{Chunk: chunk, Document: document, Kind: kind})
	}
	e.Chunks, e.Mentions = len(e.Links), len(e.Links)
	return e
}

// anywhere finds chunks anywhere: the same for the same question.
type anywhere struct{ chunks int }

// Lexical implements retrieve.Index.
func (a anywhere) Lexical(_ context.Context, _ domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(q.Text)) // it never fails
	random := rand.New(rand.NewPCG(hash.Sum64(), 5))
	hits := make([]vectorstore.Hit, q.Limit)
	for i := range hits {
		id, _ := madeChunk(random.IntN(a.chunks))
		hits[i] = vectorstore.Hit{ID: string(id), Score: 20 / (1 + float64(i)/8)}
		if q.Collection == vectorstore.Sentences {
			hits[i].ID += "#0"
		}
	}
	return hits, nil
}

// Dense implements retrieve.Index.
func (anywhere) Dense(context.Context, domain.WorkspaceID, vectorstore.DenseQuery) ([]vectorstore.Hit, error) {
	return nil, nil
}

// Embedded implements retrieve.Index.
func (anywhere) Embedded(context.Context, domain.WorkspaceID, vectorstore.Collection) (embedded, points int, err error) {
	return 0, 0, nil
}

// Passages implements retrieve.Texts.
func (anywhere) Passages(_ context.Context, _ domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	list := make([]domain.Passage, len(ids))
	for i, id := range ids {
		list[i].ID, list[i].Text = id, "They met there, and it was late in the year when she wrote about it."
	}
	return list, nil
}
