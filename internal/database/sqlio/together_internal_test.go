package sqlio

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTogetherWritesWhatHasGathered(t *testing.T) {
	t.Parallel()
	var wrote [][]int
	g := NewTogether(Dialect{}, func(_ context.Context, items []int) error {
		wrote = append(wrote, slices.Clone(items))
		return nil
	})
	r := g.join(1)
	if err := g.Write(t.Context(), 2); err != nil { // which joins the first
		t.Error(err)
	}
	if err, alone := g.finish(t.Context(), r); err != nil || alone {
		t.Errorf("the first got %v, alone %v", err, alone)
	}
	if err := g.Write(t.Context(), 3); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([][]int{{1, 2}, {3}}, wrote); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTogetherKeepsErrorsApart writes a good item together with a bad one.
func TestTogetherKeepsErrorsApart(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	g := NewTogether(Dialect{}, func(_ context.Context, items []bool) error {
		if slices.Contains(items, false) {
			return bad
		}
		return nil
	})
	g.join(false)
	if err := g.Write(t.Context(), true); err != nil {
		t.Errorf("the good item got %v", err)
	}
	g.join(true)
	if err := g.Write(t.Context(), false); !errors.Is(err, bad) {
		t.Errorf("the bad item got %v", err)
	}
}
