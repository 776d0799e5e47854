package proposals

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// pair names two entities, the lower id first.
type pair [2]domain.EntityID

func pairOf(a, b domain.EntityID) pair { return pair{min(a, b), max(a, b)} }

// decisions holds what the curation log decides about merges.
type decisions struct {
	rule  map[int64]ledger.Curation // merges by rule in force, about which nobody has decided
	apart map[pair]bool             // that a person keeps apart
}

// readLog returns the decisions in a log. A merge by rule that a person took back
// keeps its entities apart; one that a person brought back is that person's
// decision.
func readLog(log []ledger.Curation) decisions {
	d := decisions{rule: map[int64]ledger.Curation{}, apart: map[pair]bool{}}
	undone, bySeq, touched := ledger.Undone(log), map[int64]ledger.Curation{}, map[int64]bool{}
	for _, c := range log {
		bySeq[c.Seq] = c
		origin := c
		for origin.Kind == ledger.CurationUndo {
			origin = bySeq[origin.Undoes]
		}
		if c.Who != ledger.Rule {
			touched[origin.Seq] = true
		}
	}
	for _, c := range log {
		byRule := c.Kind == ledger.CurationMerge && c.Who == ledger.Rule
		switch {
		case byRule && !touched[c.Seq] && !undone[c.Seq]:
			d.rule[c.Seq] = c
		case byRule && touched[c.Seq] && undone[c.Seq], c.Kind == ledger.CurationApart && !undone[c.Seq]:
			for _, other := range c.Others {
				d.apart[pairOf(c.Entity, other)] = true
			}
		}
	}
	return d
}

// change returns what has to be done to the log so that exactly some merges by rule
// are in force.
func (d decisions) change(wanted []Merge) (undo []int64, add []Merge) {
	missing := map[[2]domain.EntityID]Merge{}
	for _, m := range wanted {
		missing[[2]domain.EntityID{m.Into, m.From}] = m
	}
	for seq, c := range d.rule {
		found := false
		if len(c.Others) == 1 {
			at := [2]domain.EntityID{c.Entity, c.Others[0]}
			_, found = missing[at]
			delete(missing, at)
		}
		if !found {
			undo = append(undo, seq)
		}
	}
	slices.Sort(undo)
	for _, m := range wanted {
		if _, ok := missing[[2]domain.EntityID{m.Into, m.From}]; ok {
			add = append(add, m)
		}
	}
	return undo, add
}
