package stores

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/lease"
	emptydb "github.com/clewhq/clew/internal/testkit/database"
)

var opened = flag.Int("opened", 15, "how often each page is opened")

// dividedElsewhere is the page whose graph another process has divided since the change.
const dividedElsewhere = "the overview, divided by another process"

// BenchmarkPages opens pages of made graphs in which every third name is related to another, each after a document
// that another process adds, and prints what the first page costs that reads the part it shows, and what the whole graph
// costs.
func BenchmarkPages(b *testing.B) {
	fmt.Println("\n| page | chunks | CPU, ms, p50 | by the clock, ms, p50 | heap that it holds, MB |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: |")
	for size := range strings.SplitSeq(*walked, ",") {
		b.Run(size, func(b *testing.B) {
			store := must(graphsqlite.Open(b.Context(), filepath.Join(b.TempDir(), "graph.db")))(b)
			chunks := must(strconv.Atoi(size))(b)
			fillGraph(b, store, chunks)
			relateNames(b, store, ownNames*chunks)
			openPages(b, store, chunks)
			check(b, store.Close())
		})
	}
}

// relateNames relates every third name to one of the first thirtieth.
func relateNames(b *testing.B, store graphstore.Store, names int) {
	random := rand.New(rand.NewPCG(5, 6))
	id := func(n int) domain.EntityID { return domain.NewEntityID(workspace, "Thing", nameOf(n)) }
	for from := 0; from < names; from += 3_000 {
		cursor := must(store.Cursor(b.Context(), workspace))(b)
		batch := graphstore.Batch{After: cursor, Cursor: cursor + 1}
		for n := from; n < min(from+3_000, names); n += 3 {
			source, target := id(n), id(random.IntN(names/30))
			batch.Relations = append(batch.Relations, domain.Relation{
				ID: domain.NewRelationID(source, "KNOWS", target), Source: source, Target: target, Type: "KNOWS", Evidence: []domain.Evidence{{Chunk: "c", Document: "d"}},
			})
		}
		check(b, store.Apply(b.Context(), workspace, batch))
	}
}

func openPages(b *testing.B, store graphstore.Store, chunks int) {
	db := emptydb.Open(b, filepath.Join(b.TempDir(), "clew.db"))
	shared := explore.Shared{Divisions: ledger.Open(db.Writer, db.Reader, time.Now), Leases: new(lease.Local)}
	started := func() explore.Reader {
		return explore.Reader{Graph: store, Library: explore.NewLibrary(store, 1, shared)}
	}
	ctx, r := domain.WithWorkspace(b.Context(), workspace), started()
	lists := worklist.NewCache(store, 1)
	random := rand.New(rand.NewPCG(7, 8))
	name := func() domain.EntityID {
		return domain.NewEntityID(workspace, "Thing", nameOf(random.IntN(chunks)))
	}
	related := func() domain.EntityID {
		return domain.NewEntityID(workspace, "Thing", nameOf(3*random.IntN(chunks)))
	}
	together := explore.Filter{Together: true}
	everything := func(r explore.Reader) (any, error) {
		view, _, err := r.Wide(ctx, func(g *explore.Graph) explore.View { return g.All(together) })
		return view, err
	}
	filtered := func(r explore.Reader) (any, error) {
		view, _, err := r.Wide(ctx, func(g *explore.Graph) explore.View { return g.Overview(explore.Filter{Evidence: 1}) })
		return view, err
	}
	listed := func(lists *graphstore.Cache[*worklist.Lists]) (any, error) {
		l, _, err := lists.Recent(ctx, workspace)
		if err != nil {
			return nil, err
		}
		page, _ := l.Page(worklist.Once, worklist.Filter{}, 0, 50)
		return page, nil
	}
	anew := func() explore.Reader {
		check(b, shared.Divisions.(*ledger.Ledger).DropDivisions(ctx, workspace))
		return started()
	}
	for _, page := range []struct {
		name string
		open func() (any, error)
	}{
		{"the whole graph, as before", func() (any, error) {
			a, err := store.Adjacency(ctx, workspace)
			if err != nil {
				return nil, err
			}
			g := explore.New(a)
			g.Companions(name())
			return g, nil
		}},
		{"the overview, divided anew", func() (any, error) {
			d, _, err := anew().Divided(ctx)
			return d, err
		}},
		{dividedElsewhere, func() (any, error) {
			d, _, err := started().Divided(ctx)
			return d, err
		}},
		{"everything, read anew", func() (any, error) { return everything(anew()) }},
		{"everything", func() (any, error) { return everything(r) }},
		{"an overview with a filter, read anew", func() (any, error) { return filtered(anew()) }},
		{"an overview with a filter", func() (any, error) { return filtered(r) }},
		{"a work list, made anew", func() (any, error) { return listed(worklist.NewCache(store, 1)) }},
		{"a work list", func() (any, error) { return listed(lists) }},
		{"a community", func() (any, error) {
			d, _, err := r.Divided(ctx)
			if err != nil {
				return d, err
			}
			return r.Community(ctx, together, d.Members(d.Overview.Places[0].Lead))
		}},
		{"an entity", func() (any, error) {
			id := name()
			companions, err := r.Companions(ctx, id)
			if err != nil {
				return companions, err
			}
			view, _, err := r.Around(ctx, explore.Query{At: []domain.EntityID{id}, Steps: 1, Limit: 18})
			return view, err
		}},
		{"a document's picture", func() (any, error) {
			_, d := madeChunk(random.IntN(chunks))
			return r.Part(ctx, explore.Filter{Documents: map[domain.DocumentID]bool{d: true}}, 18)
		}},
		{"an answer's picture", func() (any, error) {
			f := explore.Filter{}
			for range 8 {
				c, _ := madeChunk(random.IntN(chunks))
				f.Passages = append(f.Passages, c)
			}
			return r.Related(ctx, f, 18)
		}},
		{"a neighbourhood", func() (any, error) {
			view, _, err := r.Around(ctx, explore.Query{Filter: together, At: []domain.EntityID{name()}})
			return view, err
		}},
		{"a path", func() (any, error) { return r.Path(ctx, explore.Filter{}, related(), related()) }},
	} {
		var cpus, clocks, heaps []float64
		for range *opened {
			cursor := must(store.Cursor(b.Context(), workspace))(b)
			n := chunks + int(cursor)*eachDocument
			check(b, store.Apply(b.Context(), workspace, graphstore.Batch{After: cursor, Cursor: cursor + 1, Documents: documentsOf(n, n+eachDocument)}))
			if page.name == dividedElsewhere {
				_, _, err := anew().Divided(ctx)
				check(b, err)
			}
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			watch := start()
			shown := must(page.open())(b)
			wall, cpu := watch.read()
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(shown)
			cpus, clocks, heaps = append(cpus, 1000*cpu), append(clocks, 1000*wall), append(heaps, (float64(after.HeapAlloc)-float64(before.HeapAlloc))/(1<<20))
		}
		fmt.Printf("| %s | %d | %.1f | %.1f | %.1f |\n", page.name, chunks, median(cpus), median(clocks), slices.Max(heaps))
	}
}
