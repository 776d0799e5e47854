package retrieve

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

// snapshot is a workspace's graph prepared for walking. Its nodes are the chunks
// followed by the names. Entities with the same name share one node, because a
// name in a question has no label.
type snapshot struct {
	chunks   []graphstore.AdjacentChunk
	chunk    map[domain.ChunkID]int32
	names    []name
	byKey    map[string][]int32 // names by key of name and aliases
	longest  int                // number of words in the longest key
	spelt    *spellings
	links    []link  // ordered by chunk, then name
	first    []int32 // index of each chunk's first link
	titles   []link  // of links, those to the title of the chunk's document
	mentions []link  // and those to the title of another chunk's document
	matrix   matrix
	pool     sync.Pool // of *walk
	held     atomic.Pointer[holdings]
}

// name is shared by one or more entities.
type name struct {
	entity   domain.EntityID // the first of them
	name     string
	passages int32 // number of chunks that mention it
}

// link connects a chunk and a name.
type link struct {
	chunk, name int32
	kind        graphstore.LinkKind
}

// isTitle reports whether the name is the title of the chunk's document.
func (l link) isTitle() bool { return l.kind&graphstore.LinkTitle != 0 }

func newSnapshot(a *graphstore.Adjacency, t tuning) *snapshot {
	s := &snapshot{chunks: a.Chunks, chunk: make(map[domain.ChunkID]int32, len(a.Chunks)), byKey: map[string][]int32{}}
	for i, c := range a.Chunks {
		s.chunk[c.ID] = int32(i)
	}
	of := s.readNames(a.Entities)
	s.spelt = newSpellings(s.byKey)
	s.readLinks(a.Links, of)
	s.noteTitles()
	s.matrix = s.edges(a.Relations, of, t)
	return s
}

// readNames groups entities into names and returns the name of each entity. An
// alias that is also the name of another entity is ignored.
func (s *snapshot) readNames(entities []graphstore.AdjacentEntity) []int32 {
	of := make([]int32, len(entities))
	at := make(map[string]int32, len(entities))
	for i, e := range entities {
		n, ok := at[e.Key]
		if !ok {
			n = int32(len(s.names))
			at[e.Key] = n
			s.names = append(s.names, name{entity: e.ID, name: e.Name})
			s.addKey(e.Key, n)
		}
		of[i] = n
	}
	for i, e := range entities {
		for _, key := range e.AliasKeys {
			if _, taken := at[key]; !taken {
				s.addKey(key, of[i])
			}
		}
	}
	return of
}

func (s *snapshot) addKey(key string, n int32) {
	if slices.Contains(s.byKey[key], n) {
		return
	}
	s.byKey[key] = append(s.byKey[key], n)
	s.longest = max(s.longest, strings.Count(key, " ")+1)
}

// readLinks converts links to entities into links to names.
func (s *snapshot) readLinks(links []graphstore.AdjacentLink, of []int32) {
	s.first = make([]int32, len(s.chunks)+1)
	s.links = make([]link, 0, len(links))
	for i := 0; i < len(links); {
		chunk := links[i].Chunk
		from := len(s.links)
		for ; i < len(links) && links[i].Chunk == chunk; i++ {
			s.addLink(from, link{chunk, of[links[i].Entity], links[i].Kind})
		}
		slices.SortFunc(s.links[from:], func(a, b link) int { return int(a.name) - int(b.name) })
	}
	at := 0
	for c := range s.first {
		for at < len(s.links) && int(s.links[at].chunk) < c {
			at++
		}
		s.first[c] = int32(at)
	}
	for _, l := range s.links {
		s.names[l.name].passages++
	}
}

// noteTitles keeps apart the links that stepTitles follows.
func (s *snapshot) noteTitles() {
	title := make([]bool, len(s.names))
	for _, l := range s.links {
		if l.isTitle() {
			s.titles, title[l.name] = append(s.titles, l), true
		}
	}
	for _, l := range s.links {
		if !l.isTitle() && title[l.name] {
			s.mentions = append(s.mentions, l)
		}
	}
}

// addLink adds l to the current chunk's links, which start at from.
func (s *snapshot) addLink(from int, l link) {
	for i := from; i < len(s.links); i++ {
		if s.links[i].name == l.name {
			s.links[i].kind |= l.kind
			return
		}
	}
	s.links = append(s.links, l)
}

func (s *snapshot) linksOf(chunk int32) []link { return s.links[s.first[chunk]:s.first[chunk+1]] }

// node returns the node of a name.
func (s *snapshot) node(name int32) int32 { return int32(len(s.chunks)) + name }

// edges returns the weighted edges between chunks and names and among names.
func (s *snapshot) edges(relations []graphstore.AdjacentRelation, of []int32, t tuning) matrix {
	b := newMatrixBuilder(len(s.chunks) + len(s.names))
	for _, l := range s.links {
		weight := t.mention
		if l.isTitle() {
			weight = t.title
		}
		b.add(l.chunk, s.node(l.name), weight)
	}
	for _, r := range relations {
		if from, to := of[r.Source], of[r.Target]; from != to {
			b.add(s.node(from), s.node(to), t.relation)
		}
	}
	return b.build()
}

// walkFrom walks from the names in the question, the names in the best sentences
// and the best passages, and ranks passages by the mass they end up with.
func (s *search) walkFrom(snap *snapshot, words, vectors []vectorstore.Hit) error {
	return s.report(domain.MethodWalk, func(m *domain.Method) error {
		w := snap.walk()
		defer snap.pool.Put(w)
		allowed := snap.allowed(s.Documents)
		named := snap.linked(s.Text)
		for _, n := range snap.misspelt(s.Text) {
			if !slices.Contains(named, n) {
				named = append(named, n)
			}
		}
		s.seedNames(snap, w, named)
		sentences, err := s.rankSentences()
		if err != nil {
			return err
		}
		started, err := s.seedSentences(snap, w, sentences)
		if err != nil {
			return err
		}
		if len(vectors) > 0 {
			snap.seedPassages(w, vectors, s.tuning.passages)
		} else {
			snap.seedPassages(w, words, s.tuning.byWords)
		}
		w.run(&snap.matrix, s.tuning.damping, allowed)
		best, reached := s.rank(snap, w, allowed)
		best, why, err := s.rerank(snap, named, best, s.evidence(words, vectors, sentences), allowed)
		if err != nil {
			return err
		}
		for _, p := range best[:min(len(best), domain.MaxRanked)] {
			m.Ranked = append(m.Ranked, snap.chunks[p.chunk].ID)
		}
		t := tracer{snapshot: snap, walk: w, named: named, damping: s.tuning.damping}
		for _, p := range best[:min(len(best), s.limit())] {
			id := snap.chunks[p.chunk].ID
			s.result.Passages = append(s.result.Passages, domain.FoundPassage{Chunk: id, Score: float64(p.score), Methods: foundBy(id, words, vectors), Path: t.path(p.chunk)})
		}
		m.Candidates, m.Reason = reached, snap.reason(named, started)+why
		return nil
	})
}

// foundBy returns the methods that have the passage among their candidates.
func foundBy(id domain.ChunkID, words, vectors []vectorstore.Hit) []domain.MethodName {
	methods := make([]domain.MethodName, 0, 3)
	is := func(h vectorstore.Hit) bool { return h.ID == string(id) }
	if slices.ContainsFunc(words, is) {
		methods = append(methods, domain.MethodWords)
	}
	if slices.ContainsFunc(vectors, is) {
		methods = append(methods, domain.MethodVectors)
	}
	return append(methods, domain.MethodWalk)
}

// allowed returns which nodes a walk restricted to documents may enter, or nil
// if it may enter all.
func (s *snapshot) allowed(documents []domain.DocumentID) []bool {
	if len(documents) == 0 {
		return nil
	}
	among := make(map[domain.DocumentID]bool, len(documents))
	for _, d := range documents {
		among[d] = true
	}
	allowed := make([]bool, s.matrix.nodes())
	for i := range allowed {
		allowed[i] = i >= len(s.chunks) || among[s.chunks[i].Document]
	}
	return allowed
}

// What is added to the reason when the question is looked up.
const (
	lookup       = "; one passage holds nearly all that is found of the question, so it comes first"
	nothingToAdd = "; no other document adds to the nearest passage, so the nearest come first"
)

// reason explains to a person where the walk started.
func (s *snapshot) reason(named, started []int32) string {
	switch {
	case len(named) > 0:
		return "names in the question: " + s.list(named)
	case len(started) > 0:
		return "no known name in the question; names in the best sentences: " + s.list(started)
	}
	return "no known name in the question; started at the best passages"
}

// maxNamed bounds the names listed in a reason.
const maxNamed = 6

func (s *snapshot) list(names []int32) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more", len(names)-maxNamed)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.names[n].name)
	}
	return b.String()
}

// scored is a passage with its score.
type scored struct {
	chunk int32
	score float32
}

// rank returns the passages with the most mass and how many have any.
func (s *search) rank(snap *snapshot, w *walk, allowed []bool) (best []scored, reached int) {
	score := s.stepTitles(snap, w)
	limit := max(s.limit(), fromWalk)
	best = make([]scored, 0, limit+1)
	for i, x := range score {
		if x <= 0 || allowed != nil && !allowed[i] {
			continue
		}
		reached++
		if len(best) == limit && best[limit-1].score >= x {
			continue
		}
		p := scored{int32(i), x}
		at, _ := slices.BinarySearchFunc(best, p, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.chunk, b.chunk))
		})
		best = slices.Insert(best, at, p)
		best = best[:min(len(best), limit)]
	}
	return best, reached
}

// stepTitles takes one more step, from passages to the passages whose titles
// they mention, and returns the scores. A passage passes on a share of its mass,
// less to a title that many mention. The result reuses the walk's memory.
func (s *search) stepTitles(snap *snapshot, w *walk) []float32 {
	score, passed := w.next[:len(snap.chunks)], w.next[len(snap.chunks):]
	copy(score, w.mass)
	clear(passed)
	for _, l := range snap.mentions {
		passed[l.name] += w.mass[l.chunk] / float32(snap.names[l.name].passages)
	}
	for _, l := range snap.titles {
		score[l.chunk] += s.tuning.step * passed[l.name]
	}
	return score
}

// linked returns the names mentioned in a text, each once, by matching the
// longest runs of words that are the key of a name.
func (s *snapshot) linked(text string) []int32 {
	words := prose.Words(text)
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = prose.Key(w.Text)
	}
	plain := text == strings.ToLower(text)
	var found []int32
	for i := 0; i < len(words); {
		names, n := s.longestRun(words[i:], keys[i:], plain)
		for _, name := range names {
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		i += max(n, 1)
	}
	return found
}

// longestRun returns the names of the longest prefix of words that is a key, and
// the length of that prefix.
func (s *snapshot) longestRun(words []prose.Token, keys []string, plain bool) (names []int32, n int) {
	for n = min(len(words), s.longest+1); n > 0; n-- {
		if !namelike(words[:n], plain) {
			continue
		}
		key := strings.Join(keys[:n], " ")
		if n > 1 {
			key = strings.TrimPrefix(key, "the ")
		}
		if names = s.byKey[key]; len(names) > 0 {
			return names, n
		}
	}
	return nil, 0
}

// namelike reports whether words can be a name: a content word starts with a
// capital or a digit, or there are at least three content words. In plain text,
// which has no capitals, any content word will do.
func namelike(words []prose.Token, plain bool) bool {
	content := 0
	for _, w := range words {
		if prose.IsStopWord(w.Text) && !prose.IsAcronym(w.Text) {
			continue
		}
		content++
		if plain || w.Text != strings.ToLower(w.Text) || len(words) > 1 && '0' <= w.Text[0] && w.Text[0] <= '9' {
			return true
		}
	}
	return content > 2
}

// matrix is an undirected weighted graph in compressed rows. Columns are divided
// by the weighted degree of their node, so entry (i, j) is the probability of
// stepping from j to i.
//
// Rows lie in the order of their length, so that the rows that are summed side by
// side end together.
type matrix struct {
	order []int32 // nodes, those with few neighbours first
	first []int32 // index of each node's first neighbour
	after []int32 // and the index after its last
	all   []neighbour
}

// neighbour is an entry of a row.
type neighbour struct {
	node   int32
	chance float32
}

func (m *matrix) nodes() int { return len(m.first) }

// neighbours returns the row of a node.
func (m *matrix) neighbours(node int32) []neighbour { return m.all[m.first[node]:m.after[node]] }

// step moves to from where it is towards what walkers bring who follow an edge
// with probability damping and otherwise restart at the seeds: as far as that if
// ahead is 1, and beyond if it is more. Large graphs are divided among the processors;
// each row is summed by one, in the same order.
func (m *matrix) step(from, to, seed []float32, damping, ahead float32) {
	parts := m.parts(runtime.GOMAXPROCS(0))
	var others sync.WaitGroup
	for _, rows := range parts[1:] {
		others.Go(func() { m.stepRows(rows, from, to, seed, damping, ahead) })
	}
	m.stepRows(parts[0], from, to, seed, damping, ahead)
	others.Wait()
}

// entriesEach is the least number of entries that are worth a goroutine in each step.
const entriesEach = 1 << 16

// parts divides the rows into at most so many parts with about as many entries each.
func (m *matrix) parts(most int) [][]int32 {
	n := max(1, min(most, len(m.all)/entriesEach))
	parts, begun := make([][]int32, 0, n), 0
	for i := 1; i < n; i++ {
		entries := int32(i * (len(m.all) / n))
		end, _ := slices.BinarySearchFunc(m.order, entries, func(node, at int32) int { return cmp.Compare(m.first[node], at) })
		parts, begun = append(parts, m.order[begun:end]), end
	}
	return append(parts, m.order[begun:])
}

// stepRows is step for the rows of some nodes. It sums four rows at a time, each from its
// first neighbour to its last: the processor need not wait for one sum.
func (m *matrix) stepRows(order []int32, from, to, seed []float32, damping, ahead float32) {
	move := func(n int32, sum float32) {
		to[n] += ahead * (damping*sum + (1-damping)*seed[n] - to[n])
	}
	for ; len(order) >= 4; order = order[4:] {
		n0, n1, n2, n3 := order[0], order[1], order[2], order[3]
		r0, r1, r2, r3 := m.neighbours(n0), m.neighbours(n1), m.neighbours(n2), m.neighbours(n3)
		var s0, s1, s2, s3 float32
		b1, b2, b3 := r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for k, e := range r0 {
			s0 += e.chance * from[e.node]
			s1 += b1[k].chance * from[b1[k].node]
			s2 += b2[k].chance * from[b2[k].node]
			s3 += b3[k].chance * from[b3[k].node]
		}
		move(n0, s0)
		move(n1, sum(s1, r1[len(r0):], from))
		move(n2, sum(s2, r2[len(r0):], from))
		move(n3, sum(s3, r3[len(r0):], from))
	}
	for _, n := range order {
		move(n, sum(0, m.neighbours(n), from))
	}
}

// sum adds what comes from neighbours to s.
func sum(s float32, row []neighbour, from []float32) float32 {
	for _, e := range row {
		s += e.chance * from[e.node]
	}
	return s
}

type edge struct {
	a, b   int32
	weight float32
}

// matrixBuilder collects edges and sums parallel ones.
type matrixBuilder struct {
	nodes int
	edges []edge
}

func newMatrixBuilder(nodes int) *matrixBuilder { return &matrixBuilder{nodes: nodes} }

func (b *matrixBuilder) add(from, to int32, weight float32) {
	if weight > 0 {
		b.edges = append(b.edges, edge{from, to, weight})
	}
}

// build lays the edges out, those of a node in their order.
func (b *matrixBuilder) build() matrix {
	m := matrix{order: make([]int32, b.nodes), first: make([]int32, b.nodes), after: make([]int32, b.nodes), all: make([]neighbour, 2*len(b.edges))}
	length, degree := make([]int32, b.nodes), make([]float32, b.nodes)
	for _, e := range b.edges {
		length[e.a]++
		length[e.b]++
		degree[e.a] += e.weight
		degree[e.b] += e.weight
	}
	for i := range m.order {
		m.order[i] = int32(i)
	}
	slices.SortStableFunc(m.order, func(a, b int32) int { return cmp.Compare(length[a], length[b]) })
	at := int32(0)
	for _, n := range m.order {
		m.first[n], m.after[n] = at, at
		at += length[n]
	}
	put := func(n, other int32, weight float32) {
		m.all[m.after[n]] = neighbour{other, weight / degree[other]}
		m.after[n]++
	}
	for _, e := range b.edges {
		put(e.a, e.b, e.weight)
		put(e.b, e.a, e.weight)
	}
	return m
}
