package partial

import (
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

// BranchesProps show the runs about a turn: as asked, and its branches.
type BranchesProps struct {
	Items []BranchItem // in the order of the tree, the one as asked first
}

// BranchItem is one run about a turn.
type BranchItem struct {
	ID      domain.BranchID // "" for the run as asked
	Run     domain.RunID
	Turn    string // address of the turn with this answer
	Title   string
	From    string   // "step 6 of “As asked”"; "" for the run as asked
	Changes []string // each in a few words
	Answer  string
	Status  TurnStatus
	Problem string
	Depth   int // 0 for the run as asked
	Took    time.Duration
	Tokens  int
	Current bool // it is the one that the page shows
}

func (b BranchItem) current() string {
	if b.Current {
		return "page"
	}
	return "false"
}

// said is the beginning of the answer, or what there is in its place.
func (b BranchItem) said() string {
	switch {
	case b.Answer != "":
		return domain.Cut(b.Answer, 240)
	case b.Problem != "":
		return b.Problem
	case b.Status == TurnStopped:
		return "Stopped before the first word."
	}
	return "At work"
}

func (b BranchItem) figures() string {
	said := ""
	if b.Took > 0 {
		said = format.Duration(b.Took)
	}
	if b.Tokens > 0 {
		said += ", " + format.Count(b.Tokens, "token", "tokens")
	}
	return said
}

func (b BranchItem) depth() string { return fmt.Sprintf("d%d", min(b.Depth, 4)) }

func (b BranchItem) remove() string { return link.DeleteBranch(b.ID) }
