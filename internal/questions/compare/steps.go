// Package compare compares runs: the steps, states and passages of two of them side by side, a run
// with its replay, and the answers to one question by several methods of searching. It does no reading
// itself.
package compare

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/worddiff"
)

// A Pair is a step of each run that correspond to each other. A step without a
// counterpart stands alone: the other is nil.
type Pair struct{ Left, Right *trace.Step }

// visit names a step by its node and the number of its visits before.
type visit struct {
	node string
	n    int
}

// Steps aligns the steps of two runs by a longest common subsequence of their
// visits: the second visit of a node corresponds only to a second visit.
func Steps(left, right []*trace.Step) []Pair {
	a, b := visits(left), visits(right)
	common := worddiff.Common(a, b, func(x, y visit) bool { return x == y })
	var pairs []Pair
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			pairs = append(pairs, Pair{left[i], right[j]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			pairs = append(pairs, Pair{Left: left[i]})
			i++
		default:
			pairs = append(pairs, Pair{Right: right[j]})
			j++
		}
	}
	return pairs
}

func visits(steps []*trace.Step) []visit {
	seen := map[string]int{}
	list := make([]visit, len(steps))
	for i, s := range steps {
		list[i] = visit{s.Name(), seen[s.Name()]}
		seen[s.Name()]++
	}
	return list
}

// A Field is a field of the states of two runs. A state that has no such field has
// nil.
type Field struct {
	Name        string
	Left, Right json.RawMessage
}

// Same reports whether both states have the same value.
func (f Field) Same() bool { return bytes.Equal(f.Left, f.Right) }

// States returns the fields of two states in the order of the left one, then those
// that only the right one has.
func States(left, right json.RawMessage) ([]Field, error) {
	members, _, err := run.Members(left)
	if err != nil {
		return nil, err
	}
	others, _, err := run.Members(right)
	if err != nil {
		return nil, err
	}
	var fields []Field
	for _, m := range members {
		fields = append(fields, Field{Name: m.Name, Left: m.After})
	}
	for _, o := range others {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == o.Name })
		if i < 0 {
			fields = append(fields, Field{Name: o.Name, Right: o.After})
		} else {
			fields[i].Right = o.After
		}
	}
	return fields, nil
}
