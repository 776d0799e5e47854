package page

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// ReviewProps is the data for the page that decides about pairs of entities.
type ReviewProps struct {
	App   layout.Props
	Lists []WorkTab
	Queue QueueProps
	Pair  *PairProps // nil if nothing is waiting
}

// A WorkTab links to a work list.
type WorkTab struct {
	List  string // "" for the queue of pairs
	Title string
	Count int
}

// QueueProps list the pairs that wait for a decision.
type QueueProps struct {
	curate.Queue
	Current domain.ProposalID
}

// PairProps show two entities that may be the same.
type PairProps struct {
	ledger.Proposal
	Sides [2]explore.About
	Bar   float64 // score from which the rule merges automatically
	Alike int     // waiting pairs that differ in the same way
}

// AlikeProps is the data for pairs whose names differ in the same way.
type AlikeProps struct {
	App     layout.Props
	Pattern string
	Items   []curate.Proposed
	Total   int // of all waiting entries; more than Items if they don't fit on one page
}

// WorkProps is the data for a work list.
type WorkProps struct {
	App      layout.Props
	Lists    []WorkTab
	Work     link.Work
	Title    string
	Lede     string
	Empty    string // shown in place of entries
	Labels   []graphstore.LabelCount
	Document string   // name of the filter's document
	Choices  []string // labels for the keys 1 to 9
	Rows     []worklist.Entry
	Pager    Pager
}

func score(s float64) string { return fmt.Sprintf("%.2f", s) }

// asks returns the question of a pair.
func (p PairProps) asks(ctx context.Context) string {
	label := p.Sides[0].Entity.Label
	if label != p.Sides[1].Entity.Label || label == domain.UnknownLabel || label == "" {
		return lang.T(ctx, "One, or two?")
	}
	return lang.F(ctx, "One %s, or two?", strings.ToLower(component.LabelName(ctx, label)))
}

// decided describes why there is nothing to decide; it is "" if there is.
func (p PairProps) decided(ctx context.Context) string {
	by := ""
	if p.Who != "" {
		by = lang.F(ctx, " by %s", p.Who)
	}
	switch p.Status {
	case ledger.ProposalOpen, ledger.ProposalLater:
		return ""
	case ledger.ProposalMerged:
		return lang.F(ctx, "The two are merged%s. Undo that on the page of changes to decide again.", by)
	case ledger.ProposalAuto:
		return lang.T(ctx, "The two are merged by rule. Undo that on the page of changes to keep them apart.")
	case ledger.ProposalApart, ledger.ProposalNever:
		return lang.F(ctx, "The two are kept apart%s. Undo that on the page of changes to decide again.", by)
	}
	return lang.T(ctx, "One of the two has left the graph, or has become part of another.")
}

// differences describes how the names of a pattern differ, after "pairs with".
var differences = map[string]string{
	resolve.SameName:       "the same name",
	resolve.Spelling:       "different spaces or punctuation",
	resolve.Reordered:      "the words in another order",
	resolve.Title:          "a title or without",
	resolve.LegalForm:      "with or without a legal form",
	resolve.Alias:          "a name in common",
	resolve.Initials:       "initials",
	resolve.Acronym:        "an acronym",
	resolve.ShortName:      "a shorter name",
	resolve.Typo:           "another letter",
	resolve.Transliterated: "another spelling of the same sounds",
	resolve.SameMeaning:    "other words with the same meaning",
}

func differ(ctx context.Context, pattern string) string {
	return cmp.Or(lang.T(ctx, differences[pattern]), lang.F(ctx, "the pattern %s", pattern))
}

// reason names a reason for or against a merge.
func reason(ctx context.Context, e ledger.ProposalEvidence) string {
	if e.Against {
		return lang.T(ctx, "Speaks against")
	}
	return format.Capital(lang.T(ctx, e.Kind))
}

// weighed returns the evidence for a merge, then the evidence against it.
func weighed(p ledger.Proposal) []ledger.ProposalEvidence {
	list := slices.Clone(p.Evidence)
	slices.SortStableFunc(list, func(a, b ledger.ProposalEvidence) int {
		switch {
		case a.Against == b.Against:
			return 0
		case a.Against:
			return 1
		}
		return -1
	})
	return list
}

// sharedFirst returns all relations of an entity, the shared ones first.
func sharedFirst(p explore.About, shared map[string]bool) []explore.Relation {
	rows := slices.Concat(p.Out, p.In)
	slices.SortStableFunc(rows, func(a, b explore.Relation) int {
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

func (q QueueProps) said(ctx context.Context) string {
	return lang.F(ctx, "%s left, %s decided today", lang.Int(ctx, q.Total), lang.Int(ctx, q.Today))
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

// wrong describes the problem of an entry, or returns "" if the list's title does.
func wrong(ctx context.Context, e worklist.Entry) string {
	targets := lists.Map(e.Relations, func(r worklist.Relation) string { return r.Target })
	switch {
	case len(targets) > 1:
		return format.Words(e.Relations[0].Type) + ": " + strings.Join(targets, " or ") + "?"
	case e.Sure > 0:
		return lang.F(ctx, "Read with a confidence of %s.", lang.Decimal(ctx, e.Sure, 2))
	case len(e.Values) > 1:
		return format.Words(e.Property) + ": " + strings.Join(e.Values, " or ") + "?"
	}
	return ""
}
