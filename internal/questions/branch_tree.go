package questions

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Node is a branch in the tree of a turn.
type Node struct {
	ledger.Answer
	Depth int // 0 for one that begins at the turn's run, or at the start of the graph
}

// BranchTree orders the branches of a turn as a tree: each after the one it forks from, and otherwise by age. Those whose
// parent is gone are at the top.
func BranchTree(all []ledger.Answer) []Node {
	here := map[domain.RunID]bool{}
	for _, b := range all {
		here[b.Run] = true
	}
	var tree []Node
	var add func(parent domain.RunID, depth int)
	add = func(parent domain.RunID, depth int) {
		for _, b := range all {
			if top := !here[b.Parent]; parent == "" && top || parent != "" && b.Parent == parent {
				tree = append(tree, Node{b, depth})
				add(b.Run, depth+1)
			}
		}
	}
	add("", 0)
	return tree
}
