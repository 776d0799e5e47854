package partial

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// BranchesProps is the data for the runs about a turn: as asked, and its branches.
type BranchesProps struct {
	Items []BranchItem // in tree order, the original first
}

// BranchItem is one run about a turn.
type BranchItem struct {
	ID      domain.BranchID // "" for the original run
	Run     domain.RunID
	Turn    string // address of the turn with this answer
	Title   string
	From    string   // "step 6 of “As asked”"; "" for the original run
	Changes []string // each in a few words
	Answer  string
	Status  TurnStatus
	Problem string
	Parent  int // the item where it begins, at one of its steps; -1 if it begins at the start
	Begin   int // its first and last step, counted from the start of the root item
	End     int
	Took    time.Duration
	Tokens  int
	Cost    string // "" if it asked no model
	Later   int    // turns after it
	Current bool   // shown on the page
}

func (b BranchItem) later(ctx context.Context) string {
	return lang.Count(ctx, b.Later, "later question", "later questions")
}

func (b BranchItem) current() string {
	if b.Current {
		return "page"
	}
	return "false"
}

// said returns the beginning of the answer, or a substitute for it.
func (b BranchItem) said(ctx context.Context) string {
	switch {
	case b.Answer != "":
		return domain.Cut(b.Answer, 240)
	case b.Problem != "":
		return b.Problem
	case b.Status == TurnStopped:
		return lang.T(ctx, "Stopped before the first word.")
	}
	return lang.T(ctx, "At work")
}

// figures lists the figures of the run, one per line, without its parent's if it starts at a step.
func (b BranchItem) figures(ctx context.Context) (said []string) {
	if b.Took > 0 {
		said = append(said, lang.Duration(ctx, b.Took))
	}
	if b.Tokens > 0 {
		said = append(said, lang.Count(ctx, b.Tokens, "token", "tokens"))
	}
	if b.Cost != "" {
		said = append(said, b.Cost)
	}
	if b.Parent >= 0 {
		for i := range said {
			said[i] = "+" + said[i]
		}
	}
	return said
}

func (b BranchItem) remove() string { return link.DeleteBranch(b.ID) }
