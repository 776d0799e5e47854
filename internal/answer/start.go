package answer

import "github.com/clewhq/clew/internal/domain"

// Begin is what a run begins with.
type Begin struct {
	Workspace   domain.WorkspaceID
	Question    string
	History     []Exchange // oldest first
	MaxLoops    int        // rewrites at most; a negative number fails the run
	MinRelevant int        // relevant passages to answer from; less than 1 means 1
	Documents   []domain.DocumentID
	Run         domain.RunID
	Salt        string // asks models anew although the same has been recorded
}

// Start is the state in which a run begins.
func Start(b Begin) State {
	return State{
		Workspace: b.Workspace, Run: b.Run, Salt: b.Salt,
		Question:    b.Question,
		UserContext: UserContext{History: b.History, Within: b.Documents},
		MaxLoops:    b.MaxLoops, MinRelevant: max(1, b.MinRelevant),
	}
}

// RecursionLimit is how many super-steps a run of maxLoops rewrites takes at
// most: condense, retrieve and grade once, three more for each rewrite,
// generate and check.
func RecursionLimit(maxLoops int) int { return 5 + 3*max(0, maxLoops) }
