package questions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// Changes lists how a branch differs from its parent. The zero value changes nothing.
type Changes struct {
	answer.Edit
	Scope   *domain.Scope     `json:"scope,omitempty"`   // within which to ask; only from the start
	Model   string            `json:"model,omitempty"`   // for all roles; "" for the models in the settings
	Prompts map[string]int    `json:"prompts,omitempty"` // number of the version, by role
	Drafts  map[string]string `json:"drafts,omitempty"`  // texts of prompts by role, in place of a version
}

// The fields that can be changed. Those of passages and prompts are prefixes,
// followed by a chunk's id or a role.
const (
	FieldQuestion = "question"
	FieldRewrite  = "rewrite"
	FieldLoops    = "max_loops"
	FieldMethod   = "method"
	FieldModel    = "model"
	FieldGrade    = "grade."
	FieldPrompt   = "prompt."
	FieldDraft    = "draft."
)

// The names of verdicts, as a person sets them.
const (
	relevant   = "relevant"
	irrelevant = "irrelevant"
)

// A Problem explains why a change can't be made.
type Problem struct {
	Field string // "" for the changes as a whole
	Says  string // a sentence
}

// Problems lists the changes that can't be made.
type Problems []Problem

// Error names each field with its problem.
func (p Problems) Error() string {
	said := make([]string, len(p))
	for i, problem := range p {
		said[i] = problem.Says
		if problem.Field != "" {
			said[i] = problem.Field + ": " + problem.Says
		}
	}
	return strings.Join(said, " ")
}

// Of returns the problem of a field, or "" if it has none.
func (p Problems) Of(field string) string {
	return lists.First(p, func(problem Problem) bool { return problem.Field == field }).Says
}

func (p *Problems) add(field, format string, args ...any) {
	*p = append(*p, Problem{field, fmt.Sprintf(format, args...)})
}

// err returns the problems as an error of kind Invalid.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return domain.Because(domain.Invalid, p, "%s", p.Error())
}

// ParseChanges parses changes from the field names and values of a form or a command. The error is Invalid and holds
// [Problems].
func ParseChanges(values map[string]string) (c Changes, err error) {
	var all Problems
	for _, field := range slices.Sorted(maps.Keys(values)) {
		value := strings.TrimSpace(values[field])
		if says := c.set(field, value); says != "" {
			all.add(field, "%s", says)
		}
	}
	return c, all.err()
}

// set sets one field. It returns a sentence if that can't be done.
func (c *Changes) set(field, value string) (says string) {
	line := domain.OneLine(strings.ToValidUTF8(value, ""))
	switch {
	case field == FieldQuestion:
		c.Question = line
	case field == FieldRewrite:
		c.Rewrite = line
	case field == FieldModel:
		c.Model = value
	case field == FieldMethod:
		m, err := domain.FindMethod(value)
		if err != nil {
			return domain.InWords(err)
		}
		c.Method = &m
	case field == FieldLoops:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Sprintf("%q is not a number.", domain.Cut(value, 40))
		}
		c.MaxLoops = &n
	case strings.HasPrefix(field, FieldGrade):
		return c.grade(domain.ChunkID(strings.TrimPrefix(field, FieldGrade)), value)
	case strings.HasPrefix(field, FieldPrompt):
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Sprintf("%q is not a version number.", domain.Cut(value, 40))
		}
		put(&c.Prompts, strings.TrimPrefix(field, FieldPrompt), n)
	case strings.HasPrefix(field, FieldDraft):
		put(&c.Drafts, strings.TrimPrefix(field, FieldDraft), value)
	default:
		return "There is no such field. The fields are question, rewrite, max_loops, method, model, grade.CHUNK, prompt.ROLE and draft.ROLE."
	}
	return ""
}

func (c *Changes) grade(id domain.ChunkID, value string) (says string) {
	verdict, ok := map[string]domain.Verdict{relevant: domain.Relevant, irrelevant: domain.Irrelevant}[value]
	if !ok {
		return fmt.Sprintf("%q is not a grade. Write relevant or irrelevant.", domain.Cut(value, 40))
	}
	put(&c.Grades, id, verdict)
	return ""
}

func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// none reports whether nothing is changed.
func (c Changes) none() bool {
	return c.Question == "" && c.Scope == nil && c.Rewrite == "" && c.MaxLoops == nil && c.Method == nil && c.Model == "" &&
		len(c.Grades)+len(c.Prompts)+len(c.Drafts) == 0
}

// ChangesOf returns how a branch differs from its parent.
func ChangesOf(b ledger.Answer) (c Changes, err error) {
	if err = json.Unmarshal(b.Changes, &c); err != nil {
		err = fmt.Errorf("decode the changes of branch %s: %w", b.Branch, err)
	}
	return c, err
}

// BranchTitle describes a branch in a few words, for lists.
func BranchTitle(b ledger.Answer) string {
	c, err := ChangesOf(b)
	said := c.titles()
	switch {
	case err == nil && b.Purpose == string(Web):
		return "From the web"
	case err != nil || len(said) == 0 && b.Purpose == string(Replay):
		return "Replayed"
	case len(said) == 0:
		return "Asked again"
	case b.Purpose == string(Edit):
		return "Edited"
	case len(said) == 1:
		return said[0]
	case len(said) == 2:
		return said[0] + ", " + strings.ToLower(said[1][:1]) + said[1][1:]
	}
	return fmt.Sprintf("%d changes", len(said))
}

// MethodTitle names a way of searching.
func MethodTitle(m domain.MethodName) string { return methodTitles[m] }

// methodTitles name the ways of searching.
var methodTitles = map[domain.MethodName]string{
	domain.MethodDefault: "Usual search", domain.MethodWords: "Words only", domain.MethodVectors: "Vectors only",
	domain.MethodHybrid: "Words and vectors", domain.MethodWalk: "Graph walk",
}

func (c Changes) titles() (said []string) {
	if c.Question != "" {
		said = append(said, "Other question")
	}
	if c.Scope != nil {
		said = append(said, "Other scope")
	}
	if c.Rewrite != "" {
		said = append(said, "Other rewrite")
	}
	switch n := len(c.Grades); {
	case n == 1:
		said = append(said, "Grade flipped")
	case n > 1:
		said = append(said, fmt.Sprintf("%d grades flipped", n))
	}
	if c.MaxLoops != nil {
		said = append(said, domain.Counted(*c.MaxLoops, "rewrite", "rewrites"))
	}
	if c.Method != nil {
		said = append(said, methodTitles[*c.Method])
	}
	if c.Model != "" {
		said = append(said, "Model "+c.Model)
	}
	if n := len(c.Prompts) + len(c.Drafts); n > 0 {
		said = append(said, map[bool]string{true: "Other prompt", false: "Other prompts"}[n == 1])
	}
	return said
}
