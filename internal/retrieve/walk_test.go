package retrieve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
)

// drawn returns a library with any graph of a few chunks and names.
func drawn(t *rapid.T) *fake {
	f := newFake()
	chunks, names := rapid.IntRange(1, 6).Draw(t, "chunks"), rapid.IntRange(1, 6).Draw(t, "names")
	for i := range chunks {
		f.graph.Chunks = append(f.graph.Chunks, graphstore.AdjacentChunk{ID: domain.ChunkID(fmt.Sprintf("c%d", i)), Document: domain.DocumentID(fmt.Sprintf("d%d", i%3))})
	}
	kinds := []graphstore.LinkKind{graphstore.LinkMention, graphstore.LinkTitle}
	for range rapid.IntRange(0, 20).Draw(t, "links") {
		name := fmt.Sprintf("name %d", rapid.IntRange(0, names-1).Draw(t, "name"))
		f.link(rapid.IntRange(0, chunks-1).Draw(t, "chunk"), name, rapid.SampledFrom(kinds).Draw(t, "kind"))
	}
	for range rapid.IntRange(0, 6).Draw(t, "relations") {
		if n := len(f.graph.Entities); n > 0 {
			f.graph.Relations = append(f.graph.Relations, graphstore.AdjacentRelation{
				Source: int32(rapid.IntRange(0, n-1).Draw(t, "source")), Target: int32(rapid.IntRange(0, n-1).Draw(t, "target")),
			})
		}
	}
	return f
}

// pageRank computes personalised PageRank on the full matrix of a library, chunks first.
func pageRank(f *fake, seed []float64, tuning tuning, steps int) []float64 {
	n := len(seed)
	weight, degree := make([][]float64, n), make([]float64, n)
	for i := range weight {
		weight[i] = make([]float64, n)
	}
	add := func(a, b int, w float64) {
		weight[a][b] += w
		weight[b][a] += w
		degree[a] += w
		degree[b] += w
	}
	for _, l := range f.graph.Links {
		w := tuning.mention
		if l.Kind&graphstore.LinkTitle != 0 {
			w = tuning.title
		}
		add(int(l.Chunk), len(f.graph.Chunks)+int(l.Entity), w)
	}
	for _, r := range f.graph.Relations {
		if r.Source != r.Target {
			add(len(f.graph.Chunks)+int(r.Source), len(f.graph.Chunks)+int(r.Target), tuning.relation)
		}
	}
	mass := slices.Clone(seed)
	for i := range mass {
		mass[i] *= 1 - tuning.damping
	}
	for range steps {
		next := make([]float64, n)
		for i := range n {
			next[i] = (1 - tuning.damping) * seed[i]
			for j := range n {
				if degree[j] > 0 {
					next[i] += tuning.damping * weight[i][j] / degree[j] * mass[j]
				}
			}
		}
		mass = next
	}
	return mass
}

// TestTheWalkIsPageRank compares the mass with that of as many steps on the full matrix:
// what is left out is no more than a trifle for each edge in each round.
func TestTheWalkIsPageRank(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawn(t)
		s := &search{Retriever: newRetriever(f), tuning: tuned(), ctx: t.Context(), workspace: ws}
		p := newPatch(s.tuning, nil)
		seed := make([]float64, len(f.graph.Chunks)+len(f.graph.Entities))
		for range 3 {
			c := rapid.IntRange(0, len(f.graph.Chunks)-1).Draw(t, "seed")
			seed[c] += 1.0 / 3
			p.chunks[p.chunkOf(f.graph.Chunks[c].ID)].seed++
		}
		if err := s.push(p); err != nil {
			t.Fatal(err)
		}
		for i, want := range pageRank(f, seed, s.tuning, rounds) {
			got := 0.0
			if i < len(f.graph.Chunks) {
				got = p.chunks[p.chunkOf(f.graph.Chunks[i].ID)].mass
			} else {
				got = p.names[p.nameOf(f.graph.Entities[i-len(f.graph.Chunks)].Key)].mass
			}
			if math.Abs(got-want) > rounds*trifle*2*usual {
				t.Fatalf("mass of node %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestTheWalkStaysWhereItMay(t *testing.T) {
	t.Parallel()
	f := valley()
	s := &search{Retriever: newRetriever(f), tuning: tuned(), ctx: t.Context(), workspace: ws}
	p := newPatch(s.tuning, []domain.DocumentID{"d0001", "d0003"})
	p.names[p.nameOf("henrike aldous")].seed = 1
	if err := s.push(p); err != nil {
		t.Fatal(err)
	}
	for _, c := range p.chunks {
		if allowed := c.Document == "d0001"; (c.mass > 0) != allowed {
			t.Errorf("the mass of %s is %g", c.ID, c.mass)
		}
	}
}

// TestOnlyWhatIsNearIsRead asks a library with a name that is everywhere, which is not
// walked through.
func TestOnlyWhatIsNearIsRead(t *testing.T) {
	t.Parallel()
	texts := []text{{"Copper Bridge", "Henrike Aldous designed Copper Bridge in Spain."}, {"Graves", "Henrike Aldous was buried in Spain."}}
	for i := range widest + 1 {
		texts = append(texts, text{fmt.Sprintf("Town %d", i), "It is a town in Spain."})
	}
	f := newFake(texts...)
	got := ask(t, newRetriever(f), Query{Text: "Where was the designer of Copper Bridge buried?", Limit: 2})
	if ids := chunksOf(got); !slices.Equal(ids, []domain.ChunkID{"c0000", "c0001"}) {
		t.Errorf("found %v", ids)
	}
	if len(f.asked) > rounds+4 {
		t.Errorf("the graph was read %d times", len(f.asked))
	}
	read := 0
	for _, q := range f.asked {
		read += len(q.Chunks)
	}
	if read > fromWalk+fromEvidence {
		t.Errorf("%d of %d chunks were read", read, len(texts))
	}
	named := ask(t, newRetriever(f), Query{Text: "What is in Spain?", Limit: 1})
	if !strings.HasPrefix(named.Methods[2].Reason, "names in the question: Spain") {
		t.Errorf("%q, want the name that is everywhere", named.Methods[2].Reason)
	}
}

// TestWhatWasReadIsKept asks again before and after a change of the graph, and with little room.
func TestWhatWasReadIsKept(t *testing.T) {
	t.Parallel()
	f := newFake(text{"Copper Bridge", "Henrike Aldous designed Copper Bridge."}, text{"Graves", "Henrike Aldous was buried in Spain."})
	r, q := newRetriever(f), Query{Text: "Where was the designer of Copper Bridge buried?"}
	first := ask(t, r, q)
	read := len(f.asked)
	if again := ask(t, r, q); len(f.asked) != read || !slices.Equal(chunksOf(again), chunksOf(first)) {
		t.Errorf("read %d times, then %d; found %v, then %v", read, len(f.asked), chunksOf(first), chunksOf(again))
	}
	f.graph.Cursor++
	f.graph.Links = slices.DeleteFunc(f.graph.Links, func(l graphstore.AdjacentLink) bool { return l.Chunk == 1 })
	f.graph.Chunks = f.graph.Chunks[:1]
	if changed := ask(t, r, q); !slices.Equal(chunksOf(changed), chunksOf(first)[:1]) {
		t.Errorf("found %v after a change, want only the passage that is left of %v", chunksOf(changed), chunksOf(first))
	}
}

func TestWhatWasReadTakesBoundedRoom(t *testing.T) {
	t.Parallel()
	var k neighbours
	wide := next{names: []graphstore.NearName{{Related: make([]string, keptNeighbours/10)}}}
	used := node{key: "used"}
	k.put(used, next{})
	for i := range 50 {
		k.put(node{key: fmt.Sprint(i)}, wide)
		if _, missing := k.get([]node{used}); len(missing) > 0 {
			t.Fatalf("a row in use was dropped after %d others", i+1)
		}
	}
	if _, missing := k.get([]node{{key: "0"}}); len(missing) == 0 || len(k.young)+len(k.old) > 25 {
		t.Errorf("%d and %d are kept", len(k.young), len(k.old))
	}
}

func TestLinked(t *testing.T) {
	t.Parallel()
	f := newFake(
		text{"Copper Bridge", "Nothing."}, text{"Bridge", "Nothing."}, text{"The Lamplighter", "Nothing."},
		text{"St Osyth's Church", "Nothing."}, text{"Who", "Nothing."}, text{"Apollo 11", "Nothing."}, text{"Smith & Sons", "Nothing."},
	)
	for _, tt := range []struct{ text, want string }{
		{"Who designed Copper Bridge?", "Copper Bridge"},
		{"Who paid for the repair of the bridge?", ""},
		{"who designed copper bridge", "Copper Bridge"},
		{"Was the Lamplighter read in St Osyth’s Church?", "The Lamplighter|St Osyth's Church"},
		{"Copper Bridge's designer, Bridge and Copper Bridge", "Copper Bridge|Bridge"},
		{"Did Smith and Sons build Apollo 11?", "Smith & Sons|Apollo 11"},
		{"", ""},
	} {
		p := newPatch(tuned(), nil)
		s := &search{Retriever: newRetriever(f), Query: Query{Text: tt.text}, tuning: tuned(), ctx: t.Context(), workspace: ws}
		named, err := s.named(p)
		var got []string
		for _, n := range named {
			got = append(got, p.names[n].name)
		}
		if err != nil || strings.Join(got, "|") != tt.want {
			t.Errorf("names in %q: %q (%v), want %q", tt.text, strings.Join(got, "|"), err, tt.want)
		}
	}
}

// TestAliasesGiveWayToNames: an alias that is also a name finds that name alone.
func TestAliasesGiveWayToNames(t *testing.T) {
	t.Parallel()
	p := newPatch(tuned(), nil)
	p.addChunk(graphstore.NearChunk{AdjacentChunk: graphstore.AdjacentChunk{ID: "c1"}, Links: []graphstore.NamedLink{
		{Key: "anna lind", AliasKeys: []string{"nightingale", "swan"}}, {Key: "jenny lind", AliasKeys: []string{"nightingale"}}, {Key: "swan"},
	}})
	var got []string
	for _, n := range p.namesOf(sentence{"c1", "The Nightingale sang at the Swan."}) {
		got = append(got, p.names[n].key)
	}
	if strings.Join(got, "|") != "anna lind|jenny lind|swan" {
		t.Errorf("names %q", got)
	}
	if words := prose.Words("At the Swan"); len(runs(words, -1)) == 0 {
		t.Error("no runs")
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	f := valley()
	words := f.best("chunks", nil, 3, func(p point) float64 { return float64(p.id[4]) })
	got := fuse(2, list{domain.MethodWords, words}, list{domain.MethodVectors, words[1:2]})
	if len(got) != 2 || string(got[0].Chunk) != words[1].ID || len(got[0].Methods) != 2 {
		t.Errorf("fused %+v, want what both found first", got)
	}
	if one := fuse(3, list{domain.MethodWords, words}); one[0].Score != words[0].Score {
		t.Errorf("a single list lost its scores: %+v", one)
	}
}
