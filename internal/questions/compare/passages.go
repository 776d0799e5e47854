package compare

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
)

// A Reading is a passage as a run read it.
type Reading struct {
	Rank  int // the best in the searches that found it; 0 if the run did not record it
	Loop  int // of that search, from 0
	Grade domain.Grade
}

// A Passage is a passage that one of two runs read, or both.
type Passage struct {
	Chunk       domain.ChunkID
	Document    domain.DocumentID
	Name        string // of the document's file
	Page        int
	Place       string   // see domain.Chunk
	Left, Right *Reading // nil if it was not read
}

// Passages returns the passages that two runs read: those in both by their rank on
// the left, then those only on the left, then those only on the right.
func Passages(left, right *trace.View) []Passage {
	var list []Passage
	at := map[domain.ChunkID]int{}
	for side, v := range []*trace.View{left, right} {
		for _, r := range readings(v) {
			i, ok := at[r.Chunk]
			if !ok {
				i = len(list)
				at[r.Chunk] = i
				list = append(list, Passage{Chunk: r.Chunk, Document: r.Document, Name: r.Name, Page: r.Page, Place: r.Place})
			}
			if side == 0 {
				list[i].Left = r.Left
			} else {
				list[i].Right = r.Left
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.group(), b.group()), cmp.Compare(a.rank(), b.rank()))
	})
	return list
}

// group orders passages in both before those on one side.
func (p Passage) group() int {
	switch {
	case p.Right == nil:
		return 1
	case p.Left == nil:
		return 2
	}
	return 0
}

func (p Passage) rank() int {
	if p.Left != nil {
		return p.Left.Rank
	}
	return p.Right.Rank
}

// readings returns the passages that a run graded or found, as if on the left.
func readings(v *trace.View) []Passage {
	var list []Passage
	of := func(id domain.ChunkID) *Passage {
		i := slices.IndexFunc(list, func(p Passage) bool { return p.Chunk == id })
		if i < 0 {
			i = len(list)
			list = append(list, Passage{Chunk: id, Left: &Reading{}})
		}
		return &list[i]
	}
	loop := -1
	for _, s := range v.Steps {
		if len(s.Methods) > 0 || s.Found != nil {
			loop++
		}
		for rank, f := range s.Found {
			if r := of(f.Chunk).Left; r.Rank == 0 || rank+1 < r.Rank {
				r.Rank, r.Loop = rank+1, loop
			}
		}
		for _, g := range s.Grades {
			p := of(g.Chunk)
			p.Document, p.Name, p.Page, p.Place = g.Document, g.Name, g.Page, g.Place
			if p.Left.Grade.Verdict != domain.Relevant {
				p.Left.Grade = g.Grade
			}
		}
	}
	return list
}
