package retrieve

import (
	"context"
	"slices"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// keptNeighbours is how many neighbours are kept, twice: those read or used last, and those before them. One takes
// about 100 bytes.
const keptNeighbours = 100_000

// neighbours caches the neighbours of names and chunks, and the spellings of words, by the state of the graph they were read from: a change
// of the graph invalidates them all. It is safe for concurrent use.
type neighbours struct {
	mu         sync.Mutex
	young, old map[node]next
	size       int // neighbours in young
}

// node is a name, a chunk or a word in a state of a graph.
type node struct {
	state state
	kind  kind
	key   string // of the name, or the id of the chunk, or the word
}

// kind is the kind of a node.
type kind byte

const (
	aName kind = iota
	aChunk
	aWord
)

// state is a graph at a change, as the viewer of a search sees it.
type state struct {
	workspace domain.WorkspaceID
	cursor    int64
	asOf      domain.Day // only the relations that hold then
}

// next holds the neighbours of a node: none if the store does not hold it.
type next struct {
	names []graphstore.NearName // entities that share the name
	chunk []graphstore.NearChunk
	spelt []string // words of names, see graphstore.Reader
}

// get returns what is kept of a node.
func (k *neighbours) get(n node) (next, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, ok := k.young[n]; ok {
		return v, true
	}
	v, ok := k.old[n]
	if ok {
		k.add(n, v)
	}
	return v, ok
}

// put keeps the neighbours of a node.
func (k *neighbours) put(n node, v next) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(n, v)
}

func (k *neighbours) add(n node, v next) {
	if k.young == nil || k.size > keptNeighbours {
		k.young, k.old, k.size = map[node]next{}, k.young, 0
	}
	k.young[n] = v
	k.size += 1 + len(v.spelt)
	for _, e := range v.names {
		k.size += len(e.Links) + len(e.Related)
	}
	for _, c := range v.chunk {
		k.size += len(c.Links)
	}
}

// near returns the neighbours of names and chunks. It reads from the store only those that are not cached.
func (s *search) near(q graphstore.NearQuery) (near graphstore.Near, err error) {
	at, err := s.stateOfGraph()
	if err != nil {
		return near, err
	}
	slices.Sort(q.Keys)
	slices.Sort(q.Chunks)
	found := map[node]next{}
	missing := graphstore.NearQuery{Most: q.Most, AsOf: s.AsOf}
	for _, key := range q.Keys {
		n, ok := node{at, aName, key}, false
		if found[n], ok = s.kept.get(n); !ok {
			missing.Keys = append(missing.Keys, key)
		}
	}
	for _, id := range q.Chunks {
		n, ok := node{at, aChunk, string(id)}, false
		if found[n], ok = s.kept.get(n); !ok {
			missing.Chunks = append(missing.Chunks, id)
		}
	}
	if err := s.readNear(at, missing, found); err != nil {
		return near, err
	}
	for _, key := range q.Keys {
		near.Names = append(near.Names, found[node{at, aName, key}].names...)
	}
	for _, id := range q.Chunks {
		near.Chunks = append(near.Chunks, found[node{at, aChunk, string(id)}].chunk...)
	}
	return near, nil
}

// readNear reads the missing neighbours into found, and caches them.
func (s *search) readNear(at state, missing graphstore.NearQuery, found map[node]next) error {
	if len(missing.Keys) == 0 && len(missing.Chunks) == 0 {
		return nil
	}
	read, err := s.Graph.Near(s.ctx, s.workspace, missing)
	if err != nil {
		return err
	}
	for same := range chunkedBy(read.Names, func(a, b graphstore.NearName) bool { return a.Key == b.Key }) {
		found[node{at, aName, same[0].Key}] = next{names: same}
	}
	for _, c := range read.Chunks {
		found[node{at, aChunk, string(c.ID)}] = next{chunk: []graphstore.NearChunk{c}}
	}
	for _, key := range missing.Keys {
		n := node{at, aName, key}
		s.kept.put(n, found[n])
	}
	for _, id := range missing.Chunks {
		n := node{at, aChunk, string(id)}
		s.kept.put(n, found[n])
	}
	return nil
}

// stateOfGraph returns the state of the graph when it was first asked for. What is read later may be of a later state,
// and is kept as that of this one, so that nothing outdated is found under a later one.
func (s *search) stateOfGraph() (at state, err error) {
	if s.graph == nil {
		if at, err = s.stateOf(s.ctx, s.workspace); err != nil {
			return at, err
		}
		at.asOf = s.AsOf
		s.graph = &at
	}
	return *s.graph, nil
}

// stateOf returns the state of the graph of a workspace.
func (r *Retriever) stateOf(ctx context.Context, w domain.WorkspaceID) (at state, err error) {
	at.workspace = w
	if p, ok := r.Graph.(graphstore.Placed); ok {
		if at.workspace, err = p.Place(ctx, w); err != nil {
			return at, err
		}
	}
	at.cursor, err = r.Graph.Cursor(ctx, w)
	return at, err
}

// spelt is Spelt of the graph, which is asked only for words of which nothing is kept: a word that is in no name costs it
// some hundred look-ups, and one question asks for it several times.
func (r *Retriever) spelt(ctx context.Context, w domain.WorkspaceID, at state, words []string) ([]string, error) {
	var all, missing []string
	for _, word := range words {
		if n, ok := r.kept.get(node{at, aWord, word}); ok {
			all = append(all, n.spelt...)
		} else {
			missing = append(missing, word)
		}
	}
	if len(missing) > 0 {
		read, err := r.Graph.Spelt(ctx, w, missing)
		if err != nil {
			return nil, err
		}
		for _, word := range missing {
			r.kept.put(node{at, aWord, word}, next{spelt: graphstore.SpeltAlike([]string{word}, read)})
		}
		all = append(all, read...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
