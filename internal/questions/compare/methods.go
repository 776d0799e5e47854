package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/trace"
)

// A Column is the answer to a question by one method.
type Column struct {
	Method domain.MethodName // the default is the whole loop
	View   *trace.View
	Cited  []domain.ChunkID // by the answer
	Ended  bool             // with an answer
}

// overGraph reports whether the method uses the graph.
func (c Column) overGraph() bool {
	return c.Method == domain.MethodDefault || c.Method == domain.MethodWalk
}

// A Rank is a passage's rank by a method.
type Rank struct {
	N    int  // from 1; 0 if it was not ranked
	Read bool // it was read and graded
}

// A Row is a passage with its ranks.
type Row struct {
	Chunk  domain.ChunkID
	Needed bool   // an answer rests on it
	Only   bool   // only methods that use the graph read it
	Ranks  []Rank // by column
	Path   []domain.Hop
}

// Ranks holds the rank of each passage by each method.
type Ranks struct {
	Columns []Column
	Rows    []Row // needed ones first, then by their best rank
}

// maxRows bounds the passages that no answer needs.
const maxRows = 12

// Methods compares the answers to one question. A passage is needed if an answer
// rests on it.
func Methods(columns []Column) Ranks {
	r := Ranks{Columns: columns}
	row := func(id domain.ChunkID) *Row {
		i := slices.IndexFunc(r.Rows, func(x Row) bool { return x.Chunk == id })
		if i < 0 {
			i = len(r.Rows)
			r.Rows = append(r.Rows, Row{Chunk: id, Ranks: make([]Rank, len(columns))})
		}
		return &r.Rows[i]
	}
	for i, c := range columns {
		for _, id := range c.Cited {
			row(id).Needed = true
		}
		for id, rank := range ranked(c.View) {
			row(id).Ranks[i] = rank
		}
		for _, s := range c.View.Steps {
			for _, f := range s.Found {
				if x := row(f.Chunk); c.overGraph() && len(x.Path) == 0 {
					x.Path = f.Path
				}
			}
		}
	}
	for i := range r.Rows {
		r.Rows[i].Only = r.only(r.Rows[i])
	}
	r.Rows = slices.DeleteFunc(r.Rows, func(x Row) bool {
		return !x.Needed && !slices.ContainsFunc(x.Ranks, func(k Rank) bool { return k.Read })
	})
	slices.SortFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(-compareBool(a.Needed, b.Needed), cmp.Compare(a.best(), b.best()), cmp.Compare(a.Chunk, b.Chunk))
	})
	needed := len(r.Needed())
	r.Rows = r.Rows[:min(len(r.Rows), needed+maxRows)]
	return r
}

// ranked returns the ranks of passages in a run: by the best search for those that were read, and by the deciding method
// for the others.
func ranked(v *trace.View) map[domain.ChunkID]Rank {
	ranks := map[domain.ChunkID]Rank{}
	better := func(id domain.ChunkID, k Rank) {
		if old, ok := ranks[id]; !ok || k.Read && !old.Read || k.Read == old.Read && k.N < old.N {
			ranks[id] = k
		}
	}
	for _, s := range v.Steps {
		for i, f := range s.Found {
			better(f.Chunk, Rank{i + 1, true})
		}
		if n := len(s.Methods); n > 0 && s.Found != nil {
			for i, id := range s.Methods[n-1].Ranked {
				better(id, Rank{i + 1, false})
			}
		}
	}
	return ranks
}

// only reports whether a passage was read by the graph walk and by none of the other methods that have answered, of which
// there must be at least one.
func (r Ranks) only(x Row) bool {
	over, others := false, 0
	for i, c := range r.Columns {
		switch {
		case !c.Ended:
		case c.overGraph():
			over = over || x.Ranks[i].Read && (c.Method == domain.MethodWalk || len(x.Path) > 0)
		case x.Ranks[i].Read:
			return false
		default:
			others++
		}
	}
	return over && others > 0
}

// best returns the best rank of those read.
func (x Row) best() int {
	best := domain.MaxRanked + 1
	for _, k := range x.Ranks {
		if k.Read {
			best = min(best, k.N)
		}
	}
	return best
}

// Needed returns the passages that an answer rests on.
func (r Ranks) Needed() []Row {
	n := slices.IndexFunc(r.Rows, func(x Row) bool { return !x.Needed })
	if n < 0 {
		n = len(r.Rows)
	}
	return r.Rows[:n]
}

// Only returns the passages that an answer rests on and the graph alone found.
func (r Ranks) Only() []Row {
	return slices.DeleteFunc(slices.Clone(r.Needed()), func(x Row) bool { return !x.Only })
}

// Read returns how many of the needed passages a column has read.
func (r Ranks) Read(column int) int {
	return lists.CountFunc(r.Needed(), func(x Row) bool { return x.Ranks[column].Read })
}

// Helped reports whether the graph helped, in a word and a sentence.
func (r Ranks) Helped() (word, sentence string) {
	working := lists.CountFunc(r.Columns, func(c Column) bool { return !c.Ended && !c.View.Settled })
	needed, only := r.Needed(), r.Only()
	switch {
	case working > 0:
		return "Not known yet.", fmt.Sprintf("%d of %d are still running.", working, len(r.Columns))
	case len(needed) == 0:
		return "This can’t be determined.", "No answer rests on a passage."
	}
	all := lists.CountFunc(needed, func(x Row) bool { return !slices.ContainsFunc(r.ended(), func(i int) bool { return !x.Ranks[i].Read }) })
	said := fmt.Sprintf("Of the %s that the answers rest on, %s in reach of every method.", domain.Counted(len(needed), "passage", "passages"), are(all))
	switch {
	case len(needed) == 1 && all == 1:
		said = "The passage that the answers rest on was in reach of every method."
	case len(needed) == 1:
		said = "The answers rest on one passage."
	case len(needed) == all:
		said = fmt.Sprintf("Each of the %d passages that the answers rest on was in reach of every method.", all)
	}
	switch len(only) {
	case 0:
		return "No.", said + " None was found by the graph alone."
	case 1:
		return "Yes.", said + " " + first(len(needed)) + " was found by the graph alone: " + r.missed(only[0]) + "."
	}
	return "Yes.", said + fmt.Sprintf(" %d were found by the graph alone.", len(only))
}

// ended returns the columns that have an answer.
func (r Ranks) ended() []int {
	var list []int
	for i, c := range r.Columns {
		if c.Ended {
			list = append(list, i)
		}
	}
	return list
}

func are(n int) string {
	switch n {
	case 0:
		return "none was"
	case 1:
		return "one was"
	}
	return fmt.Sprintf("%d were", n)
}

func first(needed int) string {
	if needed == 1 {
		return "It"
	}
	return "One"
}

// missed says where the methods without the graph ranked a passage that none of them read.
func (r Ranks) missed(x Row) string {
	var parts []string
	for i, c := range r.Columns {
		switch {
		case c.overGraph() || !c.Ended:
		case x.Ranks[i].N == 0:
			parts = append(parts, fmt.Sprintf("%s did not rank it among the first %d", c.Method, domain.MaxRanked))
		default:
			parts = append(parts, fmt.Sprintf("%s ranked it %s and did not read that far", c.Method, ordinal(x.Ranks[i].N)))
		}
	}
	return strings.Join(parts, ", ")
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
