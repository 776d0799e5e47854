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
	asOf      domain.Day // follows only relations that hold on that day
}

// next holds the neighbours of a node: none if the store does not hold it.
type next struct {
	names []graphstore.NearName // entities that share the name
	chunk []graphstore.NearChunk
	spelt []string // words of names, see graphstore.Reader
}

// get returns the cached neighbours of nodes, and the indexes of the nodes that are not cached.
func (k *neighbours) get(nodes []node) (found []next, missing []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found = make([]next, len(nodes))
	for i, n := range nodes {
		v, ok := k.young[n]
		if !ok {
			if v, ok = k.old[n]; ok {
				k.add(n, v)
			} else {
				missing = append(missing, i)
			}
		}
		found[i] = v
	}
	return found, missing
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
func (s *search) near(q graphstore.NearQuery) ([]next, error) {
	at, err := s.stateOfGraph()
	if err != nil {
		return nil, err
	}
	slices.Sort(q.Keys)
	slices.Sort(q.Chunks)
	nodes := make([]node, 0, len(q.Keys)+len(q.Chunks))
	for _, key := range q.Keys {
		nodes = append(nodes, node{at, aName, key})
	}
	for _, id := range q.Chunks {
		nodes = append(nodes, node{at, aChunk, string(id)})
	}
	found, missing := s.kept.get(nodes)
	if len(missing) > 0 {
		if err := s.readNear(q.Most, nodes, found, missing); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readNear reads the neighbours of the missing nodes into found, and caches them.
func (s *search) readNear(most int, nodes []node, found []next, missing []int) error {
	q := graphstore.NearQuery{Most: most, AsOf: s.AsOf}
	for _, i := range missing {
		if n := nodes[i]; n.kind == aName {
			q.Keys = append(q.Keys, n.key)
		} else {
			q.Chunks = append(q.Chunks, domain.ChunkID(n.key))
		}
	}
	read, err := s.Graph.Near(s.ctx, s.workspace, q)
	if err != nil {
		return err
	}
	names, chunks := map[string][]graphstore.NearName{}, map[string][]graphstore.NearChunk{}
	for same := range chunkedBy(read.Names, func(a, b graphstore.NearName) bool { return a.Key == b.Key }) {
		names[same[0].Key] = same
	}
	for _, c := range read.Chunks {
		chunks[string(c.ID)] = []graphstore.NearChunk{c}
	}
	for _, i := range missing {
		n := nodes[i]
		if n.kind == aName {
			found[i].names = names[n.key]
		} else {
			found[i].chunk = chunks[n.key]
		}
		s.kept.put(n, found[i])
	}
	return nil
}

// stateOfGraph returns the state of the graph when it was first requested. Later reads may see a later state but are
// cached under this one, so that nothing outdated is found under a later one.
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

// spelt is Spelt of the graph, cached by word: a word that is in no name costs the graph some hundred look-ups, and one
// question looks for it several times.
func (r *Retriever) spelt(ctx context.Context, w domain.WorkspaceID, at state, words []string) ([]string, error) {
	var all, missing []string
	nodes := make([]node, len(words))
	for i, word := range words {
		nodes[i] = node{at, aWord, word}
	}
	found, unknown := r.kept.get(nodes)
	for _, n := range found {
		all = append(all, n.spelt...)
	}
	for _, i := range unknown {
		missing = append(missing, words[i])
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
