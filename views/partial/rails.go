package partial

import (
	"context"
	"fmt"
)

// Measures of the rails, in pixels.
const (
	railLeft  = 10  // before the first station
	railWidth = 280 // from the first station to the last
	railY     = 20  // of the stations, from the top of a row
	railBend  = 8   // radius where a rail leaves another
	railRow   = 34  // height of a row on a phone
	manySteps = 16  // number of steps from which not every one is numbered
)

// A rail is a row of the tree of branches as it is drawn: the line of one run, and the lines that pass it on their way
// to branches below.
type rail struct {
	Track string // path of the run's track
	Lit   string // the part of the path that leads to the shown run; may be ""
	Stops []railStop
	Lines []railLine
}

type railStop struct {
	X    float64
	Lit  bool
	Last bool // belongs to the shown run
}

func (s railStop) radius() string {
	if s.Last {
		return "6"
	}
	return "4"
}

// A railLine is upright: from the top of the row or its stations to the bottom.
type railLine struct {
	X    float64
	From int
	Lit  bool
}

// railNumber is the number of a step above the rails.
type railNumber struct {
	X    float64
	Text string
}

// steps returns the number of the last step of all runs.
func (p BranchesProps) steps() int {
	last := 1
	for _, b := range p.Items {
		last = max(last, b.End)
	}
	return last
}

func (p BranchesProps) x(step int) float64 {
	return railLeft + float64(step)*railWidth/float64(p.steps())
}

// numbers returns the numbers of the steps.
func (p BranchesProps) numbers() (list []railNumber) {
	last, by := p.steps(), 1
	if last >= manySteps {
		by = 5
	}
	for n := 0; n <= last; n += by {
		list = append(list, railNumber{p.x(n), fmt.Sprint(n)})
	}
	return list
}

// lit returns, for each item, the last step up to which it is part of the shown run, or -1.
func (p BranchesProps) lit() []int {
	lit := make([]int, len(p.Items))
	for i := range lit {
		lit[i] = -1
	}
	for i, b := range p.Items {
		for end := b.End; b.Current && i >= 0; i = p.Items[i].Parent {
			lit[i], end = end, p.Items[i].Begin
		}
	}
	return lit
}

// rails returns the rows of the tree as they are drawn.
func (p BranchesProps) rails(ctx context.Context) []rail {
	lit, rows := p.lit(), make([]rail, len(p.Items))
	for i, b := range p.Items {
		rows[i] = p.rail(b, lit[i])
		for j, child := range p.Items {
			if child.Parent < 0 || child.Parent > i || j <= i {
				continue
			}
			line := railLine{X: p.x(child.Begin), Lit: lit[j] >= 0}
			if child.Parent == i {
				line.From = railY
			}
			rows[i].Lines = append(rows[i].Lines, line)
		}
	}
	return rows
}

// rail returns the row of one run, which is lit up to a step.
func (p BranchesProps) rail(b BranchItem, lit int) (r rail) {
	from := fmt.Sprintf("M%.1f %d", p.x(b.Begin), railY)
	first := b.Begin
	if b.Parent >= 0 {
		from = fmt.Sprintf("M%[1]g 0V%[2]dq0 %[3]d %[3]d %[3]d", p.x(b.Begin), railY-railBend, railBend)
		first++
	}
	r.Track = fmt.Sprintf("%sH%g", from, p.x(b.End))
	if lit >= 0 {
		r.Lit = fmt.Sprintf("%sH%g", from, p.x(lit))
	}
	for n := first; n <= b.End; n++ {
		r.Stops = append(r.Stops, railStop{X: p.x(n), Lit: n <= lit, Last: b.Current && n == b.End})
	}
	return r
}
