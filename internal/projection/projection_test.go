package projection_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/vectorstore"
)

func TestApply(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.ledger.put(text("d1", "Oslo", "[Person:Ann Lee] -LIVES_IN- [Place:Oslo]. She sails.", "More."))
	b.ledger.put(text("d2", "Boats", "[Entity:Ann Lee] saw Oslo."))
	b.apply()
	all := b.everything()
	if d := diff(graphstore.Stats{Documents: 2, Chunks: 3, Entities: 2, Relations: 1}, all.Stats); d != "" {
		t.Errorf("stats:\n%s", d)
	}
	ann, _ := b.entity("Person", "Ann Lee")
	if ann.Documents != 2 || ann.Relations != 1 {
		t.Errorf("got %+v, want the mention without a label to join the person", ann)
	}
	oslo, _ := b.entity("Place", "Oslo")
	want := []graphstore.Link{
		{Chunk: "c-d1-0", Document: "d1", Kind: graphstore.LinkMention | graphstore.LinkTitle, Spans: []domain.Span{{Start: 19, End: 23}}},
		{Chunk: "c-d1-1", Document: "d1", Kind: graphstore.LinkTitle},
		{Chunk: "c-d2-0", Document: "d2", Kind: graphstore.LinkTitled, Spans: []domain.Span{{Start: 12, End: 16}}},
	}
	if d := diff(want, oslo.Links); d != "" {
		t.Errorf("links of the title:\n%s", d)
	}
	if _, ok := b.entity(domain.UnknownLabel, "Boats"); !ok {
		t.Error("a title without mentions has no node")
	}
}

// TestALabelThatFewGive: a name loses its label, and a curator's decision on it stays, once three times as many chunks
// list the name without a label; the relation stated under the label stays too.
func TestALabelThatFewGive(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.ledger.put(text("d1", "First", "[Person:Go] -RUNS_ON- [Entity:Linux]"))
	b.apply()
	person := domain.NewEntityID(ws, "Person", "go")
	b.ledger.names[person] = "go"
	b.ledger.curate(ledger.Curation{Kind: ledger.CurationRename, Operation: ledger.Operation{Entity: person, Name: "Golang"}})
	b.apply()
	b.ledger.put(text("d2", "Second", "[Entity:Go] compiles.", "[Entity:Go] links.", "[Entity:Go] runs."))
	b.apply()
	if e, ok := b.entity("Person", "Go"); ok {
		t.Errorf("still a person: %+v", e)
	}
	e, _ := b.entity(domain.UnknownLabel, "Go")
	if e.Name != "Golang" || e.Chunks != 4 || e.Relations != 1 {
		t.Errorf("got %+v, want the renamed entity of four chunks with its relation", e)
	}
	b.ledger.put(text("d3", "Third", "[Person:Go] sleeps."))
	b.apply()
	if e, _ := b.entity("Person", "Go"); e.Name != "Golang" || e.Chunks != 5 {
		t.Errorf("got %+v, want the person again", e)
	}
}

func TestPoints(t *testing.T) {
	t.Parallel()
	b := start(t)
	vector := []float32{1, 0}
	for _, text := range []string{nearest.PassageText("Oslo", "[x] One. Two."), nearest.PassageText("T", "Ann Lee lives. Oslo"),
		nearest.SentenceText("T", "Oslo")} {
		b.ledger.vectors["m"+domain.Hash([]byte(text))] = vector
	}
	b.ledger.put(text("d1", "T", "[Person:Ann Lee] lives. [Place:Oslo]"))
	b.apply()
	for _, c := range []struct {
		ref  vectorstore.Ref
		want vectorstore.Point
	}{
		{vectorstore.Ref{Collection: vectorstore.Chunks, ID: "c-d1-0"}, vectorstore.Point{Document: "d1", Title: "T", Text: "Ann Lee lives. Oslo", Vector: vector}},
		{vectorstore.Ref{Collection: vectorstore.Sentences, ID: "c-d1-0#0"}, vectorstore.Point{Document: "d1", Title: "T", Text: "Ann Lee lives. "}},
		{vectorstore.Ref{Collection: vectorstore.Sentences, ID: "c-d1-0#1"}, vectorstore.Point{Document: "d1", Title: "T", Text: "Oslo", Vector: vector}},
	} {
		c.want.Ref = c.ref
		if d := diff(c.want, b.vectors.points[c.ref]); d != "" {
			t.Errorf("%v:\n%s", c.ref, d)
		}
	}
}

func TestAnIndexOfAnotherModelGetsNoVectors(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.vectors.model = "another"
	b.ledger.put(text("d1", "T", "Oslo"))
	b.apply()
	p := b.vectors.points[vectorstore.Ref{Collection: vectorstore.Chunks, ID: "c-d1-0"}]
	if p.Text != "Oslo" || p.Vector != nil {
		t.Errorf("got chunk %+v", p)
	}
}

// TestDelete covers the effects of a deletion on other documents. Each case is
// compared with a library that never had the document.
func TestDelete(t *testing.T) {
	t.Parallel()
	for name, documents := range map[string][][]string{ // the first is deleted; each is a title and texts
		"everything":                     {{"Oslo", "[Person:Ann]"}},
		"the label that others joined":   {{"A", "[Person:Ann] x"}, {"B", "[Entity:Ann] -KNOWS- [Entity:Bob]"}},
		"which label is best":            {{"A", "[Person:Ann]", "[Person:Ann]"}, {"B", "[Place:Ann]"}, {"C", "[Person:Ann]", "[Entity:Ann] -KNOWS- [Entity:Bob]"}, {"D", "[Place:Ann]"}},
		"which label the end has":        {{"A", "[Person:Ann]", "[Person:Ann]"}, {"B", "[Place:Ann]", "[Place:Ann]"}, {"C", "[Person:Ann]"}, {"D", "[Entity:Bob] -IN- [Entity:Ann]"}},
		"the name shown":                 {{"A", "[Person:ANN LEE] [Person:ANN LEE]"}, {"B", "[Person:Ann Lee] -KNOWS- [Person:Bob]"}},
		"a title others hold":            {{"Oslo", "text"}, {"B", "in Oslo"}, {"C", "[Entity:Oslo]"}},
		"one of two with the same title": {{"Oslo", "in Oslo"}, {"Oslo", "in Oslo"}, {"C", "in Oslo"}},
		"one that holds a title":         {{"A", "in Oslo"}, {"Oslo", "x"}, {"C", "in Oslo"}, {"D", "OSLO"}},
		"one that mentions a title":      {{"notes", "[Entity:Oslo]"}, {"Oslo", "x"}, {"C", "in Oslo"}},
		"one piece of evidence":          {{"A", "[Entity:Ann] -KNOWS- [Entity:Bob]"}, {"B", "[Entity:Ann] -KNOWS- [Entity:Bob]"}},
		"the last piece of evidence":     {{"A", "[Entity:Ann] -KNOWS- [Entity:Bob]"}, {"B", "[Entity:Ann] [Entity:Bob]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			for i, d := range documents {
				b.ledger.put(text(domain.DocumentID('a'+rune(i)), d[0], d[1:]...))
			}
			b.apply()
			b.ledger.delete("a")
			b.apply()
			fresh := start(t)
			fresh.ledger = b.ledger.fresh()
			fresh.Projector = fresh.projector(fresh.ledger)
			fresh.apply()
			if d := diff(fresh.everything(), b.everything()); d != "" {
				t.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
			}
		})
	}
}

// TestDeletedWhileFolding deletes a document between reading its change and
// reading its mentions, and another before its change is read.
func TestDeletedWhileFolding(t *testing.T) {
	t.Parallel()
	for _, links := range []int{1, 1000} {
		t.Run(fmt.Sprint("tallies from ", links, " links on"), func(t *testing.T) { deletedWhileFolding(t, links) })
	}
}

func deletedWhileFolding(t *testing.T, links int) {
	b := start(t)
	b.KeepTallies(links)
	b.ledger.put(text("d1", "Stays", "[Person:Ann] [Entity:Bob]"))
	b.apply()
	b.ledger.put(text("d2", "Goes", "[Entity:Ann] [Entity:Cid] Stays"))
	var once sync.Once
	b.ledger.onRead = func() {
		once.Do(func() {
			b.ledger.put(text("d3", "Comes and goes", "[Place:ANN] [Entity:Dan] Stays"))
			b.ledger.delete("d2")
		})
	}
	p := b.projector(oneChangeAtATime{b.ledger})
	p.KeepTallies(links)
	for range 2 {
		if err := p.Apply(t.Context(), ws); err != nil && !errors.Is(err, errStop) {
			t.Fatal(err)
		}
	}
	b.ledger.delete("d3")
	b.apply()
	fresh := start(t)
	fresh.ledger = b.ledger.fresh()
	fresh.Projector = fresh.projector(fresh.ledger)
	fresh.KeepTallies(links)
	fresh.apply()
	if d := diff(fresh.everything(), b.everything()); d != "" {
		t.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
	}
}

var errStop = errors.New("stopped")

// oneChangeAtATime is a ledger that returns one change at a time.
type oneChangeAtATime struct{ projection.Ledger }

func (s oneChangeAtATime) Changes(ctx context.Context, ws domain.WorkspaceID, after int64, _ int) ([]ledger.Change, error) {
	if after >= 2 {
		return nil, errStop
	}
	return s.Ledger.Changes(ctx, ws, after, 1)
}

func TestBehind(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.ledger.put(text("d1", "Oslo", "[Person:Ann]"))
	b.vectors.fail = domain.Errorf(domain.Unavailable, "The search index does not answer.")
	err := b.Apply(t.Context(), ws)
	if domain.KindOf(err) != domain.Unavailable {
		t.Fatalf("apply: %v, want the store's error", err)
	}
	at, err := b.Behind(t.Context(), ws)
	b.check(err)
	if d := diff(projection.Progress{Head: 1, Graph: 1, Vectors: 0}, at); d != "" {
		t.Errorf("while the index is away (-want +got)\n%s", d)
	}
	b.apply()
	at, err = b.Behind(t.Context(), ws)
	b.check(err)
	if d := diff(projection.Progress{Head: 1, Graph: 1, Vectors: 1}, at); d != "" {
		t.Errorf("once the index is back (-want +got)\n%s", d)
	}
	if len(b.vectors.points) != 2 { // the chunk and its sentence
		t.Errorf("got %d points, want 2", len(b.vectors.points))
	}
}

// TestApplyEndsWhileOthersPublish publishes a document whenever the head is read.
func TestApplyEndsWhileOthersPublish(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.ledger.put(text("d0", "Oslo", "[Person:Ann]"))
	busy := &publishing{Ledger: b.ledger, others: b.ledger}
	b.check(b.projector(busy).Apply(t.Context(), ws))
	at, err := b.Behind(t.Context(), ws)
	b.check(err)
	if at.Graph < 1 || at.Vectors != at.Graph || busy.published > 4 {
		t.Errorf("after %d other documents the stores are at %+v, want what was published before, and an end", busy.published, at)
	}
}

// publishing is a ledger that grows with each look at its head, a hundred times.
type publishing struct {
	projection.Ledger
	others    *fakeLedger
	published int
}

func (p *publishing) Head(ctx context.Context, ws domain.WorkspaceID) (int64, error) {
	head, err := p.Ledger.Head(ctx, ws)
	if p.published < 100 {
		p.published++
		p.others.put(text(domain.DocumentID(fmt.Sprint("other", p.published)), "Bergen", "[Person:Bob]"))
	}
	return head, err
}

// TestLostStores loses one store, then the other, then restores an older
// ledger.
func TestLostStores(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.ledger.put(text("d1", "Oslo", "[Person:Ann] -IN- [Place:Oslo]"))
	b.ledger.put(text("d2", "Boats", "[Person:Bob] saw Oslo"))
	b.apply()
	want := b.everything()
	check := func(what string) {
		t.Helper()
		b.apply()
		if d := diff(want, b.everything()); d != "" {
			t.Errorf("%s:\n%s", what, d)
		}
	}
	b.check(b.vectors.Reset(t.Context(), ws, 0))
	check("after losing the index")
	b.check(b.graph.Reset(t.Context(), ws, 0))
	check("after losing the graph")
	b.check(b.Reset(t.Context(), ws, projection.Stores{Graph: true, Vectors: true}))
	b.check(b.Apply(t.Context(), ws))
	check("after a rebuild")
	b.ledger = b.ledger.fresh()
	b.ledger.delete("d2")
	b.ledger.changes = b.ledger.changes[2:]
	b.ledger.changes[0] = ledger.Change{Seq: 1, Document: "d1"}
	b.Projector = b.projector(b.ledger)
	b.apply()
	if got := b.everything().Stats.Documents; got != 1 {
		t.Errorf("got %d documents after the older ledger came back, want 1", got)
	}
}

// TestTwoProjectors runs two projectors of one ledger at the same time.
func TestTwoProjectors(t *testing.T) {
	t.Parallel()
	b := start(t)
	locked := &lockedVectors{memoryVectors: b.vectors}
	var wg sync.WaitGroup
	for i := range 20 {
		b.ledger.put(text(domain.DocumentID('a'+rune(i)), "Title "+strings.Repeat("I", i), "[Person:Ann] -SAW- [Entity:Bob]", "[Entity:Ann] Title II"))
		if i%4 == 3 {
			b.ledger.delete(domain.DocumentID('a' + rune(i-1)))
		}
		for range 2 {
			p := projection.New(projection.Params{Ledger: b.ledger, Graph: b.graph, Vectors: locked, Log: slog.New(slog.DiscardHandler), Key: key, Sentences: sentences})
			p.KeepTallies(2)
			wg.Go(func() {
				if err := p.Apply(t.Context(), ws); err != nil {
					t.Errorf("apply: %v", err)
				}
			})
		}
	}
	wg.Wait()
	b.KeepTallies(2)
	b.apply()
	fresh := start(t)
	fresh.ledger = b.ledger.fresh()
	fresh.Projector = fresh.projector(fresh.ledger)
	fresh.KeepTallies(2)
	fresh.apply()
	if d := diff(fresh.everything(), b.everything()); d != "" {
		t.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
	}
}

// lockedVectors lets several projectors use memoryVectors at once.
type lockedVectors struct {
	mu sync.Mutex
	*memoryVectors
}

func (v *lockedVectors) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.memoryVectors.Cursor(ctx, w)
}

func (v *lockedVectors) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.memoryVectors.Apply(ctx, w, b)
}

// TestStoppedBetweenTheStores stops when the graph has a change that the index
// lacks: the next Apply writes that change to the index only.
func TestStoppedBetweenTheStores(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.ledger.put(text("d1", "Boats", "[Person:Bob]"))
	b.apply()
	b.ledger.put(text("d2", "Oslo", "[Person:Ann]"))
	ctx, cancel := context.WithCancel(t.Context())
	p := projection.New(projection.Params{
		Ledger: b.ledger, Graph: stoppedGraph{b.graph, cancel}, Vectors: contextVectors{b.vectors},
		Log: slog.New(slog.DiscardHandler), Key: key, Sentences: sentences,
	})
	if err := p.Apply(ctx, ws); err == nil {
		t.Error("got no error from the stopped run")
	}
	at, err := b.Behind(t.Context(), ws)
	b.check(err)
	if d := diff(projection.Progress{Head: 2, Graph: 2, Vectors: 1}, at); d != "" {
		t.Errorf("after the stop (-want +got)\n%s", d)
	}
	v := &counted{memoryVectors: b.vectors}
	b.check(b.projectorOf(v).Apply(t.Context(), ws))
	if len(v.batches) != 1 || diff(v.batches[0].DeleteDocuments, []domain.DocumentID{"d2"}) != "" {
		t.Errorf("got index batches %+v, want only the missing document", v.batches)
	}
}

// stoppedGraph stops the projector once the graph has applied a batch.
type stoppedGraph struct {
	graphstore.Store
	stop func()
}

func (g stoppedGraph) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	defer g.stop()
	return g.Store.Apply(ctx, w, b)
}

// contextVectors refuse writes once the context has ended, like a database.
type contextVectors struct{ *memoryVectors }

func (v contextVectors) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return v.memoryVectors.Apply(ctx, w, b)
}

// appliedStore counts the batches that are applied to a graph.
type appliedStore struct {
	graphstore.Store
	batches int
}

func (s *appliedStore) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	s.batches++
	return s.Store.Apply(ctx, w, b)
}

// TestAnUpdateHoldsFewChunks: of documents that come together, and go.
func TestAnUpdateHoldsFewChunks(t *testing.T) {
	t.Parallel()
	b, all := start(t), start(t)
	counting := &appliedStore{Store: b.graph}
	b.graph = counting
	b.Projector = b.projector(b.ledger)
	b.HoldChunks(3)
	apply := func(want int) {
		t.Helper()
		counting.batches = 0
		b.apply()
		if counting.batches != want {
			t.Errorf("%d batches, want %d", counting.batches, want)
		}
	}
	for _, id := range []domain.DocumentID{"d1", "d2", "d3", "d4", "d5"} {
		for _, to := range []*bench{b, all} {
			to.ledger.put(text(id, "Oslo "+string(id), "[Person:Ann] -KNOWS- [Person:Bob]", "[Person:Bob] saw Oslo d3"))
		}
	}
	apply(3) // of two documents, two and one
	all.apply()
	if d := diff(all.everything(), b.everything()); d != "" {
		t.Errorf("differs from one batch (-one +several):\n%s", d)
	}
	for _, id := range []domain.DocumentID{"d2", "d4", "d5"} {
		b.ledger.delete(id)
		all.ledger.delete(id)
	}
	apply(1) // nothing of them has to be held
	all.apply()
	if d := diff(all.everything(), b.everything()); d != "" {
		t.Errorf("after deletions (-one +several):\n%s", d)
	}
}
