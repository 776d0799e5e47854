// Package fsck compares what the stores hold with what the ledger says they
// should, and the ledger with itself and with the uploaded files. It only
// looks; mending is done by who asked, mostly by projecting anew.
//
// What a store should hold is not worked out a second time here: the ledger is
// folded into fresh stores by the projector itself, and the two are compared
// through the contract that both meet.
package fsck

import (
	"cmp"
	"maps"
	"slices"
)

// Problem is one way in which something can be off.
type Problem string

// The problems.
const (
	GraphBehind      Problem = "graph-behind"
	GraphAhead       Problem = "graph-ahead"
	EntityMissing    Problem = "entity-missing"
	EntityExtra      Problem = "entity-extra"
	EntityDiffers    Problem = "entity-differs"
	RelationMissing  Problem = "relation-missing"
	RelationExtra    Problem = "relation-extra"
	RelationDiffers  Problem = "relation-differs"
	LinkMissing      Problem = "link-missing"
	LinkExtra        Problem = "link-extra"
	LinkDiffers      Problem = "link-differs"
	ChunkMissing     Problem = "chunk-missing"
	ChunkExtra       Problem = "chunk-extra"
	NodesDiffer      Problem = "documents-differ"
	VectorsBehind    Problem = "vectors-behind"
	VectorsAhead     Problem = "vectors-ahead"
	PointMissing     Problem = "point-missing"
	PointExtra       Problem = "point-extra"
	PointDiffers     Problem = "point-differs"
	ChunksMiscounted Problem = "chunks-miscounted"
	DocumentStranded Problem = "document-stranded"
	DocumentUnheard  Problem = "document-unheard"
	ThreadWithoutRun Problem = "thread-without-run"
	RowWithoutParent Problem = "row-without-parent"
	FileMissing      Problem = "file-missing"
	FileChanged      Problem = "file-changed"
	FileWithoutOwner Problem = "file-without-owner"
)

// Found is what is off: for each problem the ids of what has it.
type Found map[Problem][]string

// add notes that something has a problem.
func (f Found) add(p Problem, id string) { f[p] = append(f[p], id) }

// Join is f with what others found.
func (f Found) Join(others ...Found) Found {
	all := maps.Clone(f)
	if all == nil {
		all = Found{}
	}
	for _, o := range others {
		for p, ids := range o {
			all[p] = append(slices.Clone(all[p]), ids...)
		}
	}
	return all
}

// Both is what f and g have in common.
func (f Found) Both(g Found) Found {
	common := Found{}
	for p, ids := range f {
		for _, id := range ids {
			if slices.Contains(g[p], id) {
				common.add(p, id)
			}
		}
	}
	return common
}

// Group is a problem with how many have it.
type Group struct {
	Problem  Problem  `json:"problem"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"` // ids, at most three: names would outlive their documents
}

// Groups lists what was found, by place and problem.
func (f Found) Groups() []Group {
	groups := []Group{}
	for p, ids := range f {
		slices.Sort(ids)
		groups = append(groups, Group{p, len(ids), slices.Clone(ids[:min(len(ids), 3)])})
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Problem.Place(), b.Problem.Place()), cmp.Compare(a.Problem, b.Problem))
	})
	return groups
}
