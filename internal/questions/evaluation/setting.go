package evaluation

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// The maximum number of passages of each search that a setting may have graded, and in one call.
const (
	MaxPassages = 100
	MaxInACall  = 32
)

// A Setting holds what can vary between evaluations.
type Setting struct {
	Method   domain.MethodName `json:"method"` // of searching
	Model    string            `json:"model"`  // that answers, or built-in
	MaxLoops int               `json:"max_loops"`
	Passages int               `json:"passages"` // from each search that are graded

	GradeMany int  `json:"grade_many"` // passages graded in one call
	Rerank    int  `json:"rerank"`     // first passages that the model puts in order; 0 for none
	Decompose bool `json:"decompose"`  // the model may split a question
}

// String names the setting: "default, built-in, 3 rewrites, 8 passages".
func (s Setting) String() string {
	return fmt.Sprintf("%s, %s, %s", s.method(), s.Model, s.Amounts())
}

// Amounts describes the setting without its method and model: "3 rewrites, 8 passages, 4 in a call".
func (s Setting) Amounts() string {
	said := domain.Counted(s.MaxLoops, "rewrite", "rewrites") + ", " + domain.Counted(s.Passages, "passage", "passages")
	if s.GradeMany > 1 {
		said += fmt.Sprintf(", %d in a call", s.GradeMany)
	}
	if s.Rerank > 0 {
		said += fmt.Sprintf(", first %d put in order", s.Rerank)
	}
	if s.Decompose {
		said += ", in steps"
	}
	return said
}

func (s Setting) method() string { return cmp.Or(string(s.Method), "default") }

// check returns an Invalid error for a setting that can't be.
func (s Setting) check() error {
	switch {
	case s.MaxLoops < 0 || s.MaxLoops > answer.MostLoops:
		return domain.Errorf(domain.Invalid, "The number of rewrites must be between 0 and %d, not %d.", answer.MostLoops, s.MaxLoops)
	case s.Passages < 1 || s.Passages > MaxPassages:
		return domain.Errorf(domain.Invalid, "The number of passages of each search must be between 1 and %d, not %d.", MaxPassages, s.Passages)
	case s.GradeMany < 1 || s.GradeMany > MaxInACall:
		return domain.Errorf(domain.Invalid, "The number of passages graded in a call must be between 1 and %d, not %d.", MaxInACall, s.GradeMany)
	case s.Rerank < 0 || s.Rerank > domain.MaxRanked:
		return domain.Errorf(domain.Invalid, "The number of passages put in order must be between 0 and %d, not %d.", domain.MaxRanked, s.Rerank)
	}
	_, err := domain.FindMethod(string(s.Method))
	return err
}

// plain reports whether no part of the setting needs a model. ranks reports that passages are put in order without one.
func (s Setting) plain(ranks bool) bool {
	return s.GradeMany <= 1 && (s.Rerank == 0 || ranks) && !s.Decompose
}

// A Choice holds a person's choices for a setting. Nil or empty fields keep the values used for people's questions.
type Choice struct {
	Method    domain.MethodName
	Model     string
	MaxLoops  *int
	Passages  *int
	GradeMany *int
	Rerank    *int
	Decompose *bool
}

// Usually returns the setting used for people's questions, overridden by a person's choices. The built-in mode always
// grades passages one by one.
func (s *Service) Usually(c Choice) Setting {
	v := s.Usual
	v.Method, v.Model = c.Method, cmp.Or(c.Model, v.Model)
	if v.Model == s.BuiltIn {
		v.GradeMany, v.Decompose = 1, false
		if !s.Ranks {
			v.Rerank = 0
		}
	}
	for into, chosen := range map[*int]*int{&v.MaxLoops: c.MaxLoops, &v.Passages: c.Passages, &v.GradeMany: c.GradeMany, &v.Rerank: c.Rerank} {
		if chosen != nil {
			*into = *chosen
		}
	}
	if c.Decompose != nil {
		v.Decompose = *c.Decompose
	}
	return v
}

// Facts records the facts that an answer depends on besides the setting, as of the start of an evaluation.
type Facts struct {
	Documents   int    `json:"documents"` // that can be searched
	Passages    int    `json:"passages"`  // that they are split into
	Schema      int64  `json:"schema"`    // version of the library's schema; 0 if there is none
	ChunkTokens int    `json:"chunk_tokens"`
	Chunking    string `json:"chunking"` // in words; "" if unknown
	Embedder    string `json:"embedder"` // "" if there is none
	Reader      string `json:"reader"`   // model that reads documents, or built-in
	Prompts     int    `json:"prompts"`  // number of the last change of a prompt
}

// SayChunking describes how a library is cut into chunks: "by headings in 2, by format in 10".
func SayChunking(cuts []ledger.Cut) string {
	said := make([]string, len(cuts))
	for i, c := range cuts {
		said[i] = cmp.Or(c.How.String(), "by format")
		if len(cuts) > 1 {
			said[i] += fmt.Sprintf(" in %d", c.Documents)
		}
	}
	return strings.Join(said, ", ")
}

// A Difference is something that two evaluations do not have in common.
type Difference struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Differences lists the facts in which another evaluation differs, in a fixed order.
func (e Evaluation) Differences(other Evaluation) []Difference {
	none := func(s string) string { return cmp.Or(s, "none") }
	number := strconv.Itoa
	cut := func(c, other string) string { return map[bool]string{true: c}[other != ""] } // older evaluations lack it
	yes := func(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }
	version := func(n int64) string { return map[bool]string{true: "none", false: strconv.FormatInt(n, 10)}[n == 0] }
	a, b, x, y := e.Setting, other.Setting, e.Facts, other.Facts
	var list []Difference
	for _, d := range []Difference{
		{"search", a.method(), b.method()},
		{"model", a.Model, b.Model},
		{"rewrites", number(a.MaxLoops), number(b.MaxLoops)},
		{"passages graded", number(a.Passages), number(b.Passages)},
		{"passages in a call", number(max(1, a.GradeMany)), number(max(1, b.GradeMany))},
		{"put in order", number(a.Rerank), number(b.Rerank)},
		{"questions in steps", yes(a.Decompose), yes(b.Decompose)},
		{"schema", version(x.Schema), version(y.Schema)},
		{"tokens of a chunk", number(x.ChunkTokens), number(y.ChunkTokens)},
		{"chunking", cut(x.Chunking, y.Chunking), cut(y.Chunking, x.Chunking)},
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

// String describes the difference: "schema 4 → 5".
func (d Difference) String() string { return d.What + " " + d.Before + " → " + d.After }
