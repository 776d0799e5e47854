package partial

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheTreeIsDrawnAsRails draws a turn of ten steps with two branches, of which the
// second has one of its own, which is shown.
func TestTheTreeIsDrawnAsRails(t *testing.T) {
	t.Parallel()
	p := BranchesProps{Items: []BranchItem{
		{Parent: -1, End: 10}, {Parent: 0, Begin: 6, End: 8}, {Parent: 0, Begin: 4, End: 10}, {Parent: 2, Begin: 7, End: 9, Current: true},
	}}
	if diff := cmp.Diff([]int{4, -1, 7, 9}, p.lit()); diff != "" {
		t.Errorf("what led to the run that is shown (-want +got)\n%s", diff)
	}
	rows := p.rails(t.Context())
	for i, want := range []rail{
		{Track: "M10.0 20H290", Lit: "M10.0 20H122", Lines: []railLine{{X: 178, From: railY}, {X: 122, From: railY, Lit: true}}},
		{Track: "M178 0V12q0 8 8 8H234", Lines: []railLine{{X: 122, Lit: true}}},
		{Track: "M122 0V12q0 8 8 8H290", Lit: "M122 0V12q0 8 8 8H206", Lines: []railLine{{X: 206, From: railY, Lit: true}}},
		{Track: "M206 0V12q0 8 8 8H262", Lit: "M206 0V12q0 8 8 8H262"},
	} {
		got := rows[i]
		got.Stops = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row %d (-want +got)\n%s", i, diff)
		}
	}
	for i, want := range []int{11, 2, 6, 2} {
		if got := len(rows[i].Stops); got != want {
			t.Errorf("row %d has %d stations, want %d", i, got, want)
		}
	}
	if last := rows[3].Stops[1]; last != (railStop{X: 262, Lit: true, Last: true}) {
		t.Errorf("the last station of the run that is shown is %+v", last)
	}
	if n := p.numbers(); len(n) != 11 || n[10] != (railNumber{290, "10"}) {
		t.Errorf("the steps are numbered %+v", n)
	}
}
