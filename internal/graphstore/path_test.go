package graphstore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// pairs is a graph of relations between numbered entities.
type pairs [][2]int

func name(n int) domain.EntityID { return domain.EntityID(fmt.Sprint("e", n)) }

// Around behaves like a store's, with equal evidence for all relations.
func (g pairs) Around(_ context.Context, _ domain.WorkspaceID, ids []domain.EntityID, limit int) ([]graphstore.Edge, error) {
	var edges []graphstore.Edge
	for i, p := range g {
		source, target := name(p[0]), name(p[1])
		if slices.Contains(ids, source) || slices.Contains(ids, target) {
			edges = append(edges, graphstore.Edge{Relation: domain.Relation{ID: domain.RelationID(fmt.Sprint(i)), Source: source, Target: target}})
		}
	}
	return edges[:min(limit, len(edges))], nil
}

// distance returns the distance of two entities by exhaustive search, or -1 if
// they are not connected.
func (g pairs) distance(from, to int) int {
	at := map[int]int{from: 0}
	for changed := true; changed; {
		changed = false
		for _, p := range g {
			for _, hop := range [][2]int{{p[0], p[1]}, {p[1], p[0]}} {
				d, reached := at[hop[0]]
				if old, known := at[hop[1]]; reached && (!known || d+1 < old) {
					at[hop[1]], changed = d+1, true
				}
			}
		}
	}
	if d, ok := at[to]; ok {
		return d
	}
	return -1
}

func TestPathIsShortest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 14).Draw(t, "entities")
		end := rapid.IntRange(0, n-1)
		g := make(pairs, rapid.IntRange(0, 24).Draw(t, "relations"))
		for i := range g {
			g[i] = [2]int{end.Draw(t, "source"), end.Draw(t, "target")}
		}
		from, to := end.Draw(t, "from"), end.Draw(t, "to")
		hops := rapid.IntRange(0, graphstore.MaxHops+2).Draw(t, "hops")
		found, err := graphstore.FindPath(context.Background(), g, "w", name(from), name(to), hops)
		if err != nil || found.Cut {
			t.Fatalf("got cut %v, error %v", found.Cut, err)
		}
		want := g.distance(from, to)
		if want > min(hops, graphstore.MaxHops) || want < 0 {
			want = 0
		}
		if len(found.Edges) != want {
			t.Fatalf("got %d relations, want %d", len(found.Edges), want)
		}
		at := name(from)
		for _, e := range found.Edges {
			switch at {
			case e.Source:
				at = e.Target
			case e.Target:
				at = e.Source
			default:
				t.Fatalf("got %v, want an edge from %s", e, at)
			}
		}
		if want > 0 && at != name(to) {
			t.Fatalf("got a path to %s, want one to %s", at, name(to))
		}
	})
}

func TestPathSearchIsBounded(t *testing.T) {
	t.Parallel()
	var hub pairs
	for i := range 6_000 {
		hub = append(hub, [2]int{0, i + 1})
	}
	hub = append(hub, [2]int{6_000, 6_001}, [2]int{6_001, 6_002})
	found, err := graphstore.FindPath(t.Context(), hub, "w", name(0), name(9_999), 4)
	if err != nil || found.Edges != nil {
		t.Fatalf("got %v, error %v", found.Edges, err)
	}
	found, err = graphstore.FindPath(t.Context(), hub, "w", name(0), name(6_002), 6)
	if err != nil || len(found.Edges) != 3 {
		t.Errorf("hub of 6,000 relations: got %d, want 3; error %v", len(found.Edges), err)
	}
	found, err = graphstore.FindPath(t.Context(), append(hub, [2]int{7_000, 7_001}), "w", name(0), name(7_001), 6)
	if err != nil || found.Edges != nil {
		t.Errorf("island: got %v, error %v", found.Edges, err)
	}
}
