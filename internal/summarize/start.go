package summarize

import (
	"math/bits"

	"github.com/clewhq/clew/internal/domain"
)

// The two measures of the graph, in tokens.
const (
	PartTokens = 1000 // of a part, at most
	TokenMax   = 1000 // of what one account is made of, at most
)

// Begin is what a run begins with.
type Begin struct {
	Workspace    domain.WorkspaceID
	Documents    []domain.DocumentID // in the order in which they are to be told
	Focus        string              // for whom, or what about; may be ""
	Length       Length              // Medium when ""
	MaxCollapses int                 // rounds at most, after which the run ends with what there is; 0 for none, see RecursionLimit
	Review       bool                // stop before the last step, for a person to edit
	Run          domain.RunID
	Salt         string // asks models anew although the same has been recorded
}

// Start is the state in which a run begins.
func Start(b Begin) State {
	if b.Length == "" {
		b.Length = Medium
	}
	return State{
		Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Documents: b.Documents, Focus: b.Focus, Length: b.Length,
		MaxCollapses: max(0, b.MaxCollapses), Review: b.Review,
	}
}

// around is how many super-steps a run takes beside its rounds of collapsing.
const around = 4

// fewest is how many rounds even a small summary may take.
const fewest = 6

// RecursionLimit is how many super-steps a run over so many parts may take: 10,
// which leaves six rounds of collapsing, and above 64 parts one more for each
// doubling. Two summaries that have been collapsed fit into one group, so a
// round at least halves their number, and so many rounds are always enough for
// summaries that shrink.
func RecursionLimit(parts int) int { return around + rounds(parts) }

// DefaultMaxCollapses is after how many rounds a run over so many parts ends
// with what there is: 5, and more where RecursionLimit is higher, so that this
// comes first.
func DefaultMaxCollapses(parts int) int { return rounds(parts) - 1 }

func rounds(parts int) int { return max(fewest, bits.Len(uint(max(1, parts)-1))) }
