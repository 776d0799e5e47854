package summarize

import (
	"math/bits"

	"github.com/clewhq/clew/internal/domain"
)

// Limits in tokens.
const (
	PartTokens = 1000 // of a part
	TokenMax   = 1000 // of the summaries that are reduced to one
)

// Begin is the input of a run.
type Begin struct {
	Workspace    domain.WorkspaceID
	Documents    []domain.DocumentID // in the order of the summary
	Focus        string              // reader or subject; optional
	Length       Length              // default Medium
	MaxCollapses int                 // rounds after which the run ends with what it has; 0 for no limit but RecursionLimit
	Review       bool                // stop before the last step for edits
	Run          domain.RunID
	Salt         string // forces new model calls
	Prompts      int    // pin of the prompt's text, see prompts.Book
}

// Start returns the initial state of a run.
func Start(b Begin) State {
	if b.Length == "" {
		b.Length = Medium
	}
	return State{
		Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Prompts: b.Prompts, Documents: b.Documents, Focus: b.Focus, Length: b.Length,
		MaxCollapses: max(0, b.MaxCollapses), Review: b.Review,
	}
}

// RecursionLimit returns the maximum number of super-steps of a run: 10, which
// leaves six rounds of collapsing, and above 64 parts one more for each
// doubling. Two collapsed summaries fit into one group, so a round at least
// halves their number: the limit suffices for all summaries that shrink.
func RecursionLimit(parts int) int {
	const otherSteps = 4
	return otherSteps + maxRounds(parts)
}

// DefaultMaxCollapses returns the number of rounds after which a run ends with
// what it has, one below the recursion limit.
func DefaultMaxCollapses(parts int) int { return maxRounds(parts) - 1 }

func maxRounds(parts int) int { return max(6, bits.Len(uint(max(1, parts)-1))) }
