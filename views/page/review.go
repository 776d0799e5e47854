package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// ReviewProps fill the page on which pairs of entities are decided.
type ReviewProps struct {
	App   layout.Props
	Lists []WorkTab
	Queue QueueProps
	Pair  *PairProps // nil if nothing waits
}

// A WorkTab leads to a work list.
type WorkTab struct {
	List  string // "" is the queue of pairs
	Title string
	Count int
}

// QueueProps list the pairs that wait for a decision.
type QueueProps struct {
	Items   []PairItem // the first of them
	Total   int        // of all
	Today   int        // decided since midnight
	Current domain.ProposalID
}

// A PairItem is one line of the queue.
type PairItem struct {
	ID    domain.ProposalID
	A, B  string // their names
	Score float64
	Later bool // put off
}

// PairProps show two entities that may be the same.
type PairProps struct {
	ID      domain.ProposalID
	A, B    EntityProps
	Score   float64
	Bar     float64 // the score from which the rule merges by itself
	Reasons []Reason
	Pattern string // how the names differ
	Differ  string // the same in words, such as "a missing initial"
	Alike   int    // pairs that wait and differ in the same way
	Decided string // why there is nothing to decide; "" if there is
}

// A Reason speaks for or against a merge.
type Reason struct {
	Name, Words string
	Against     bool
}

// AlikeProps list pairs whose names differ in the same way.
type AlikeProps struct {
	App     layout.Props
	Pattern string
	Differ  string
	Items   []AlikeItem
	Total   int // of all that wait; more than Items if there are too many for one page
}

// An AlikeItem is a pair with what speaks for and against a merge.
type AlikeItem struct {
	PairItem
	Reasons []Reason
}

// WorkProps fill a work list.
type WorkProps struct {
	App      layout.Props
	Lists    []WorkTab
	Work     link.Work
	Title    string
	Lede     string
	Empty    string // what it means that there is no entry
	Labels   []LabelCount
	Document string   // name of the document of the filter
	Choices  []string // labels to give by the keys 1 to 9
	Rows     []WorkRow
	Pager    Pager
}

// A WorkRow is an entry of a work list.
type WorkRow struct {
	Entity    domain.Entity
	Says      string // what is wrong, in words; "" where the list says it
	Sentences []PassageItem
	Relations []RelationRow // that may be hidden
}

func score(s float64) string { return fmt.Sprintf("%.2f", s) }

// asks returns the question of a pair.
func (p PairProps) asks() string {
	label := p.A.Entity.Label
	if label != p.B.Entity.Label || label == domain.UnknownLabel || label == "" {
		return "One, or two?"
	}
	return "One " + strings.ToLower(component.LabelName(label)) + ", or two?"
}

func (p PairProps) shared() map[string]bool { return MergeProps{A: p.A, B: p.B}.shared() }

// sharedFirst returns all relations of an entity, the shared ones first.
func sharedFirst(p EntityProps, shared map[string]bool) []RelationRow {
	rows := slices.Concat(p.Out, p.In)
	slices.SortStableFunc(rows, func(a, b RelationRow) int {
		switch x, y := shared[string(a.Other.ID)], shared[string(b.Other.ID)]; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return rows
}

func (q QueueProps) said() string {
	return fmt.Sprintf("%s left, %s decided today", format.Int(q.Total), format.Int(q.Today))
}

// The most relations and passages of one side.
const (
	maxSideRelations = 10
	maxSidePassages  = 5
)

func (p WorkProps) query() url.Values {
	return url.Values{"list": {p.Work.List}, "label": {p.Work.Label}, "doc": {string(p.Work.Document)}}
}

func current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// reviewKeys lists the keys of the queue, workKeys the keys of a work list.
var (
	reviewKeys = [][2]string{
		{"M", "Merge the two"}, {"K", "Keep them apart"}, {"L", "Later: put the pair to the end"}, {"1 2", "Keep the left or the right name"},
		{"J", "Next pair; with Shift the previous one"}, {"↑ ↓", "The same, in the list"}, {"A", "All pairs that differ in the same way"}, {"U", "Undo"}, {"?", "This list"},
	}
	workKeys = [][2]string{
		{"J", "Next entry; with Shift the previous one"}, {"1 to 9", "Give the entry that label"}, {"H", "Hide it"}, {"R", "Change its name or label"}, {"P", "Change its properties"},
		{"M", "Merge it with another"}, {"S", "Split it"}, {"U", "Undo"}, {"?", "This list"},
	}
)
