package evaluation

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// MaxPassages is the most passages of each search that a setting may have graded.
const MaxPassages = 100

// A Setting holds what can differ from one evaluation to the next.
type Setting struct {
	Method   domain.MethodName `json:"method"` // of searching
	Model    string            `json:"model"`  // that answers, or built-in
	MaxLoops int               `json:"max_loops"`
	Passages int               `json:"passages"` // of each search that are graded
}

// String names the setting: "default, built-in, 3 loops, 8 passages".
func (s Setting) String() string {
	return fmt.Sprintf("%s, %s, %s, %s", s.method(), s.Model, domain.Counted(s.MaxLoops, "loop", "loops"), domain.Counted(s.Passages, "passage", "passages"))
}

func (s Setting) method() string { return cmp.Or(string(s.Method), "default") }

// check returns an Invalid error for a setting that can't be.
func (s Setting) check() error {
	switch {
	case s.MaxLoops < 0 || s.MaxLoops > answer.MostLoops:
		return domain.Errorf(domain.Invalid, "There can be 0 to %d loops, not %d.", answer.MostLoops, s.MaxLoops)
	case s.Passages < 1 || s.Passages > MaxPassages:
		return domain.Errorf(domain.Invalid, "There can be 1 to %d passages of each search, not %d.", MaxPassages, s.Passages)
	}
	_, err := domain.FindMethod(string(s.Method))
	return err
}

// Facts records what else an answer depends on besides the setting, as it was when an
// evaluation began.
type Facts struct {
	Documents   int    `json:"documents"` // that can be asked
	Passages    int    `json:"passages"`  // into which they are split
	Schema      int64  `json:"schema"`    // version of the library's schema; 0 for none
	ChunkTokens int    `json:"chunk_tokens"`
	Embedder    string `json:"embedder"` // "" where nothing embeds
	Reader      string `json:"reader"`   // model that reads documents, or built-in
	Prompts     int    `json:"prompts"`  // number of the last change of a prompt
}

// A Difference is something that two evaluations do not have in common.
type Difference struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Differences lists what another evaluation has otherwise, in a fixed order.
func (e Evaluation) Differences(other Evaluation) []Difference {
	none := func(s string) string { return cmp.Or(s, "none") }
	number := strconv.Itoa
	version := func(n int64) string { return map[bool]string{true: "none", false: strconv.FormatInt(n, 10)}[n == 0] }
	a, b, x, y := e.Setting, other.Setting, e.Facts, other.Facts
	var list []Difference
	for _, d := range []Difference{
		{"search", a.method(), b.method()},
		{"model", a.Model, b.Model},
		{"loops", number(a.MaxLoops), number(b.MaxLoops)},
		{"passages graded", number(a.Passages), number(b.Passages)},
		{"schema", version(x.Schema), version(y.Schema)},
		{"tokens of a chunk", number(x.ChunkTokens), number(y.ChunkTokens)},
		{"embedding", none(x.Embedder), none(y.Embedder)},
		{"reader", none(x.Reader), none(y.Reader)},
		{"change of prompts", number(x.Prompts), number(y.Prompts)},
		{"documents", number(x.Documents), number(y.Documents)},
		{"passages", number(x.Passages), number(y.Passages)},
	} {
		if d.Before != d.After {
			list = append(list, d)
		}
	}
	return list
}

// String says the difference: "schema 4 → 5".
func (d Difference) String() string { return d.What + " " + d.Before + " → " + d.After }
