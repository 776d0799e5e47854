package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
)

// maxWindow is the maximum number of chunks in a window: a model loses count of more.
const maxWindow = 24

// Windows groups neighbouring chunks that share a request, in order: each window has at most a number of tokens, or one
// chunk. A gap in the ordinals ends a window. The last neighbours join the window before them if they have at most half
// of the limit: a separate request would be mostly instructions. A limit of 0 leaves every chunk alone.
func Windows(chunks []domain.Chunk, limit int) [][]domain.Chunk {
	var windows [][]domain.Chunk
	for len(chunks) > 0 {
		n := window(chunks, limit)
		if rest := window(chunks[n:], limit/2); rest > 0 && follows(chunks, n) && !follows(chunks, n+rest) && n+rest <= maxWindow && tokens(chunks[n:n+rest]) <= limit/2 {
			n += rest
		}
		windows = append(windows, chunks[:n])
		chunks = chunks[n:]
	}
	return windows
}

// window returns how many chunks the first window has.
func window(chunks []domain.Chunk, limit int) int {
	for n := range chunks {
		if n > 0 && (n == maxWindow || !follows(chunks, n) || tokens(chunks[:n+1]) > limit) {
			return n
		}
	}
	return len(chunks)
}

// follows reports whether there is an n-th chunk, and it is the neighbour of the one
// before.
func follows(chunks []domain.Chunk, n int) bool {
	return n < len(chunks) && chunks[n].Ordinal == chunks[n-1].Ordinal+1
}

func tokens(chunks []domain.Chunk) (sum int) {
	return lists.Sum(chunks, func(c domain.Chunk) int { return c.Tokens })
}

// headings returns the headings above the chunk of a request with one.
func (r Request) headings() prompts.Outside {
	if len(r.Chunks) > 1 {
		return ""
	}
	return prompts.Fence("headings", strings.Join(r.Chunks[0].Headings, " > "))
}

// text returns the chunks as a prompt takes them: one as it is, several with their
// numbers and headings.
func (r Request) text() prompts.Outside {
	if len(r.Chunks) == 1 {
		return prompts.Fence("passage", r.Chunks[0].Text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "These are %d passages that follow each other. Mine each of them. Give for each entity, in \"passages\", the numbers of those that name it, and for each relation, in \"passage\", the number of the one that states it.\n", len(r.Chunks))
	for i, c := range r.Chunks {
		fmt.Fprintf(&b, "\nPassage %d", i+1)
		if len(c.Headings) > 0 {
			fmt.Fprintf(&b, ", under %s", prompts.Fence("headings", strings.Join(c.Headings, " > ")))
		}
		fmt.Fprintf(&b, ":\n%s\n", prompts.Fence("passage", c.Text))
	}
	return prompts.Outside(b.String())
}

// divide leads the items of a window back to the texts of its chunks. An entity belongs to the
// passages whose numbers it has and to the others that name it in full; a relation,
// with its ends, to the passage whose number it has, or else to the first that names
// both.
func (m mined) divide(texts []passage) []mined {
	if len(texts) == 1 {
		return []mined{m}
	}
	w := assembly{parts: make([]mined, len(texts)), names: texts}
	for _, n := range m.nodes {
		w.addNode(n)
	}
	for _, r := range m.relations {
		w.addRelation(r, m.nodes)
	}
	w.parts[0].problems = append(w.parts[0].problems, m.problems...)
	return w.parts
}

// assembly leads items to the passages of a request.
type assembly struct {
	parts []mined
	names []passage
}

func (w assembly) addNode(n minedNode) {
	own := w.valid(n.passages)
	for i := range w.parts {
		switch {
		case slices.Contains(own, i):
			w.parts[i].nodes = append(w.parts[i].nodes, n)
		case w.says(i, n):
			other := n
			if len(own) > 0 {
				other.properties = nil // they are stated where the entity was seen
			}
			w.parts[i].nodes = append(w.parts[i].nodes, other)
			own = append(own, i)
		}
	}
	if len(own) == 0 {
		w.parts[0].nodes = append(w.parts[0].nodes, n)
	}
}

// valid returns the indexes of numbers that are some of passages.
func (w assembly) valid(numbers []int) []int {
	var own []int
	for _, n := range numbers {
		if n >= 1 && n <= len(w.parts) && !slices.Contains(own, n-1) {
			own = append(own, n-1)
		}
	}
	return own
}

// says reports whether a passage contains the name of a node, or an alias.
func (w assembly) says(i int, n minedNode) bool {
	return slices.ContainsFunc(append([]string{n.name}, n.aliases...), func(name string) bool { return len(w.names[i].occurrences(pieces(name))) > 0 })
}

func (w assembly) addRelation(r minedRelation, nodes []minedNode) {
	at := 0
	ends := []minedNode{endOf(r.source, r.sourceLabel, nodes), endOf(r.target, r.targetLabel, nodes)}
	if own := w.valid(r.passages); len(own) > 0 {
		at = own[0]
	} else if first := w.first(ends); first >= 0 {
		at = first
	}
	part := &w.parts[at]
	for _, end := range ends {
		if !slices.ContainsFunc(part.nodes, end.same) {
			end.properties = nil
			part.nodes = append(part.nodes, end)
		}
	}
	part.relations = append(part.relations, r)
}

// first returns the first passage that names all nodes, or -1 if none does.
func (w assembly) first(nodes []minedNode) int {
	for i := range w.parts {
		if !slices.ContainsFunc(nodes, func(n minedNode) bool { return !w.says(i, n) }) {
			return i
		}
	}
	return -1
}

// endOf returns the node that a relation names, or one of the name alone.
func endOf(name, label string, nodes []minedNode) minedNode {
	end := minedNode{name: name, label: label}
	loose := -1
	for i, n := range nodes {
		if !end.named(n) {
			continue
		}
		if Label(n.label) == Label(label) {
			return n
		}
		if loose < 0 {
			loose = i
		}
	}
	if loose >= 0 {
		return nodes[loose]
	}
	return end
}

// named reports whether a node's name is n's, or an alias of it.
func (n minedNode) named(o minedNode) bool {
	key := prose.Key(n.name)
	return prose.Key(o.name) == key || slices.ContainsFunc(o.aliases, func(a string) bool { return prose.Key(a) == key })
}

func (n minedNode) same(o minedNode) bool {
	return prose.Key(n.name) == prose.Key(o.name) && Label(n.label) == Label(o.label)
}

// withoutNamed drops the complaint that a passage does not name an entity where
// another one of the window does.
func withoutNamed(found []Mined) []Mined {
	named := map[string]bool{}
	for _, f := range found {
		for _, n := range f.Graph.Nodes {
			named[prose.Key(n.Name)] = true
		}
	}
	for i := range found {
		found[i].Left = slices.DeleteFunc(found[i].Left, func(d domain.Dropped) bool {
			return len(found) > 1 && d.Kind == domain.DroppedEntity && d.Code == domain.DropUnnamed && named[prose.Key(d.Name)]
		})
	}
	return found
}
