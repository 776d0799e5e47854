package maintenance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Found holds the ids affected by each problem.
type Found map[Problem][]string

func (f Found) add(p Problem, id string) { f[p] = append(f[p], id) }

// Join returns the problems of f and others.
func (f Found) Join(others ...Found) Found {
	all := Found{}
	for _, o := range append([]Found{f}, others...) {
		for p, ids := range o {
			all[p] = append(slices.Clone(all[p]), ids...)
		}
	}
	return all
}

// Both returns the problems that f and g have in common.
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

// Group is a problem with the number of ids it affects.
type Group struct {
	Problem  Problem  `json:"problem"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"` // at most three ids; names would outlive their documents
}

// Groups returns the problems by store.
func (f Found) Groups() []Group {
	groups := []Group{}
	for _, p := range slices.Sorted(maps.Keys(f)) {
		ids := slices.Sorted(slices.Values(f[p]))
		groups = append(groups, Group{p, len(ids), ids[:min(len(ids), 3)]})
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Problem.Store(), b.Problem.Store()) })
	return groups
}

// String describes the group: "Graph: 3 entities are missing (…)."
func (g Group) String() string {
	k := kinds[g.Problem]
	text := k.one
	if g.Count != 1 {
		text = strings.ReplaceAll(k.many, "%s", strconv.Itoa(g.Count))
	}
	if len(g.Examples) > 0 && g.Examples[0] != "" {
		text += " (" + strings.Join(g.Examples, ", ")
		if g.Count > len(g.Examples) {
			text += ", …"
		}
		text += ")"
	}
	return fmt.Sprintf("%s: %s.", k.store, text)
}
