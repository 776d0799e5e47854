package projection_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// passage is a document of the corpus.
type passage struct{ ID, Title, Text string }

// passages reads up to n passages of the multi-hop corpus.
func passages(t testing.TB, n int) []passage {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "multihop", "musique_dev", "passages.jsonl.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the corpus in ../shared is missing")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []passage
	for d := json.NewDecoder(z); len(all) < n; {
		var p passage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// realLibrary has the ledger and the stores of the program.
type realLibrary struct {
	testing.TB
	db      *sqlite.DB
	ledger  *ledger.Ledger
	graph   *graphsqlite.Store
	vectors *embedded.Store
	*projection.Projector
}

func openLibrary(t testing.TB) *realLibrary {
	t.Helper()
	dir := t.TempDir()
	closing := func(c io.Closer) {
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	db := database.Open(t, filepath.Join(dir, "clew.db"))
	var err error
	l := &realLibrary{TB: t, db: db, ledger: ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key))}
	if l.graph, err = graphsqlite.Open(t.Context(), filepath.Join(dir, "graph.db")); err != nil {
		t.Fatal(err)
	}
	closing(l.graph)
	if l.vectors, err = embedded.Open(t.Context(), filepath.Join(dir, "vectors.db"), ""); err != nil {
		t.Fatal(err)
	}
	closing(l.vectors)
	l.Projector = projection.New(projection.Params{
		Ledger: l.ledger, Graph: l.graph, Vectors: l.vectors, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
		Leases: lease.New(lease.Options{Writer: db.Writer, Reader: db.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler)}),
	})
	return l
}

// publish publishes a passage as a document of one chunk. The names in the text are
// its nodes.
func (l *realLibrary) publish(p passage) domain.DocumentID {
	l.Helper()
	id := domain.NewDocumentID(ws, p.ID)
	chunk := domain.Chunk{ID: domain.NewChunkID(id, p.ID, 0), Document: id, Text: p.Text, Span: domain.Span{End: domain.Runes(p.Text)}}
	var graph domain.GraphDocument
	nodes := map[string]int{}
	for _, n := range prose.Names(p.Text) {
		i, ok := nodes[prose.Key(n.Text)]
		if !ok {
			i = len(graph.Nodes)
			nodes[prose.Key(n.Text)] = i
			graph.Nodes = append(graph.Nodes, domain.GraphNode{Name: n.Text, Label: domain.UnknownLabel})
			if i > 0 && i%3 == 0 {
				graph.Relationships = append(graph.Relationships, domain.GraphRelationship{Source: i - 1, Target: i, Type: "NEXT_TO", Spans: []domain.Span{n.Span}})
			}
		}
		graph.Nodes[i].Spans = append(graph.Nodes[i].Spans, n.Span)
	}
	ctx := l.Context()
	_, _, err := l.ledger.AddDocument(ctx, domain.Document{Workspace: ws, ID: id, Name: p.ID + ".txt", Title: p.Title, Format: domain.FormatText, Status: domain.DocumentReady})
	l.check(err)
	l.check(l.ledger.SaveChunks(ctx, ws, id, []domain.Chunk{chunk}))
	l.check(l.ledger.RecordContribution(ctx, ws, ledger.Contribution{Chunk: chunk.ID, Document: id, Reader: "test", Graph: graph}))
	_, err = l.ledger.Publish(ctx, ws, id)
	l.check(err)
	return id
}

func (l *realLibrary) apply() {
	l.Helper()
	l.check(l.Apply(l.Context(), ws))
}

func (l *realLibrary) check(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// TestRealStores projects documents one by one, with deletions, and compares the
// result with one batch.
func TestRealStores(t *testing.T) {
	t.Parallel()
	one, batch := openLibrary(t), openLibrary(t)
	one.KeepTallies(2)
	for i, p := range passages(t, 40) {
		id := one.publish(p)
		if i%7 != 3 {
			one.apply()
		}
		if i%5 == 4 {
			_, err := one.ledger.DeleteDocument(t.Context(), ws, id)
			one.check(err)
			continue
		}
		batch.publish(p)
	}
	one.apply()
	batch.apply()
	want, err := batch.graph.Adjacency(t.Context(), ws)
	batch.check(err)
	got, err := one.graph.Adjacency(t.Context(), ws)
	one.check(err)
	got.Cursor = want.Cursor
	if len(want.Entities) < 150 || len(want.Relations) < 40 {
		t.Fatalf("got %d entities and %d relations: the test proves little", len(want.Entities), len(want.Relations))
	}
	if d := diff(want, got); d != "" {
		t.Errorf("graph (-batch +one by one):\n%s", d)
	}
	for _, c := range vectorstore.Collections() {
		want, err := batch.vectors.IDs(t.Context(), ws, c)
		batch.check(err)
		got, err := one.vectors.IDs(t.Context(), ws, c)
		one.check(err)
		if d := diff(want, got); d != "" {
			t.Errorf("%s (-batch +one by one):\n%s", c, d)
		}
	}
}

// BenchmarkApply projects 1,500 documents of one chunk each.
func BenchmarkApply(b *testing.B) {
	all := passages(b, 1500)
	report := func(b *testing.B, l *realLibrary, took time.Duration) {
		stats, err := l.graph.Stats(b.Context(), ws)
		l.check(err)
		if stats.Documents != len(all) {
			b.Fatalf("%+v", stats)
		}
		b.ReportMetric(float64(len(all))/took.Seconds(), "documents/s")
	}
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			l := openLibrary(b)
			for _, p := range all {
				l.publish(p)
			}
			b.StartTimer()
			start := time.Now()
			l.apply()
			report(b, l, time.Since(start))
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			l := openLibrary(b)
			var took time.Duration
			for _, p := range all {
				l.publish(p)
				start := time.Now()
				l.apply()
				took += time.Since(start)
			}
			report(b, l, took)
			adjacency, err := l.graph.Adjacency(b.Context(), ws)
			l.check(err)
			b.Logf("%d entities, %d links, %d relations", len(adjacency.Entities), len(adjacency.Links), len(adjacency.Relations))
			links := map[graphstore.LinkKind]int{}
			for _, link := range adjacency.Links {
				links[link.Kind]++
			}
			b.Log(links)
		}
	})
}
