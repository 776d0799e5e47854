package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	round  = 20 * time.Millisecond // of CPU at least, lest the measuring counts
	rounds = 21
	budget = 4 * time.Second // of CPU for all rounds; what takes longer is done once
)

// measuring measures one row for a program.
type measuring = func(*program) (value, error)

// cost returns the median CPU time of a work, in microseconds, divided by
// parts.
func cost(work string, size int, parts float64) measuring {
	return func(p *program) (value, error) {
		us, err := p.median(work, size)
		return known(us/parts, err)
	}
}

// median returns the median CPU time of a work, in microseconds. Rows that
// share a work share the measurement.
func (p *program) median(work string, size int) (float64, error) {
	key := fmt.Sprint(work, size)
	if us, ok := p.medians[key]; ok {
		return us, nil
	}
	us, err := p.measure(work, size)
	if err == nil {
		p.medians[key] = us
	}
	return us, err
}

func (p *program) measure(work string, size int) (float64, error) {
	times, took, err := p.pace(work, size)
	all := []time.Duration{took}
	if again := min(rounds, int(budget/max(took, 1))); again > 1 && err == nil {
		all = nil
		for range again {
			took, rest := p.timed(work, size, times)
			all, err = append(all, took), errors.Join(err, rest)
		}
	}
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds()) / 1e3 / float64(times), err
}

// pace prepares a work and calibrates how often to do it per round.
func (p *program) pace(work string, size int) (times int, took time.Duration, err error) {
	if _, err := p.do(work, size, 0); err != nil {
		return 0, 0, err
	}
	times = 1
	took, err = p.timed(work, size, times)
	for took < round && err == nil {
		times *= 2
		took, err = p.timed(work, size, times)
	}
	return times, took, err
}

// against returns the cost of a work in one size relative to another: the
// median over rounds that do both in turn.
func against(work string, size, other int) measuring {
	return func(p *program) (value, error) {
		times, _, err := p.pace(work, size)
		if err != nil {
			return known(0, err)
		}
		others, _, err := p.pace(work, other)
		if err != nil {
			return value{}, err
		}
		var all []float64
		for range rounds {
			this, err := p.timed(work, size, times)
			that, rest := p.timed(work, other, others)
			if err := errors.Join(err, rest); err != nil {
				return value{}, err
			}
			all = append(all, this.Seconds()/float64(times)/(that.Seconds()/float64(others)))
		}
		slices.Sort(all)
		return known(all[rounds/2], nil)
	}
}

// ratio divides one measurement by another.
func ratio(above, below measuring) measuring {
	return func(p *program) (value, error) {
		a, err := above(p)
		if err != nil || !a.known {
			return value{}, err
		}
		b, err := below(p)
		return known(a.number/b.number, err)
	}
}

// memory returns the peak memory that a work adds to a new, prepared process.
func memory(work string, size int) measuring {
	return func(p *program) (value, error) {
		if err := p.again(); err != nil {
			return value{}, err
		}
		if _, err := p.do(work, size, 0); err != nil {
			return known(0, err)
		}
		idle, err := p.resident("VmRSS")
		err = errors.Join(err, p.forget())
		if _, done := p.do(work, size, 1); done != nil || err != nil {
			return value{}, errors.Join(err, done)
		}
		most, err := p.resident("VmHWM")
		return known(most-idle, err)
	}
}

// growth holds the measurements of a list that grows step by step in a new
// database: medians of three runs, or fewer if slow.
type growth struct {
	mb    float64 // of the database
	slope float64 // what a step costs at the end, against step 10: 100 of each
}

// grow measures a growth once for all rows.
func (p *program) grow(steps int) (growth, error) {
	if g, ok := p.grown[steps]; ok {
		return g, nil
	}
	var sizes, slopes []float64
	for spent := time.Duration(0); len(sizes) < 3 && spent < budget; {
		mb, err := p.do("grow", steps, 1)
		if err != nil {
			return growth{}, err
		}
		spent += p.marks[3] - p.marks[0]
		sizes = append(sizes, mb)
		slopes = append(slopes, float64(p.marks[3]-p.marks[2])/float64(p.marks[1]-p.marks[0]))
	}
	slices.Sort(sizes)
	slices.Sort(slopes)
	p.grown[steps] = growth{mb: sizes[len(sizes)/2], slope: slopes[len(slopes)/2]}
	return p.grown[steps], nil
}

// size returns the size of the database after the given steps, in MB.
func size(steps int) measuring {
	return func(p *program) (value, error) {
		g, err := p.grow(steps)
		return known(g.mb, err)
	}
}

// slope returns how much more the last step costs than the first.
func slope(steps int) measuring {
	return func(p *program) (value, error) {
		g, err := p.grow(steps)
		return known(g.slope, err)
	}
}

// event returns the cost of one event to an observer of a linear graph of 100.
func event(p *program) (value, error) {
	events, err := p.do("observed", 100, 1)
	if err != nil {
		return known(0, err)
	}
	heard, err := p.median("observed", 100)
	if err != nil {
		return value{}, err
	}
	silent, err := p.median("linear", 100)
	return known((heard-silent)/events, err)
}

// apiece returns the cost of one of 1,000 parts of a work, in microseconds.
func apiece(work string) measuring {
	return func(p *program) (value, error) {
		all, err := p.median(work, 1000)
		if err != nil {
			return known(0, err)
		}
		none, err := p.median(work, 0)
		return known(max(0, all-none)/1000, err)
	}
}

// lost returns how many of 499 finished calls are missing from the thread of a
// process killed in call 500.
func lost(work string) measuring {
	return func(p *program) (value, error) {
		if _, err := p.do(work, 1000, 1); errors.Is(err, errNone) {
			return value{}, nil
		}
		if err := p.again(); err != nil {
			return value{}, err
		}
		kept, err := p.do("kept", 1000, 1)
		return known(499-kept, err)
	}
}

// known converts a result, which may be absent, to a value.
func known(number float64, err error) (value, error) {
	if errors.Is(err, errNone) {
		return value{}, nil
	}
	return value{number: number, known: err == nil}, err
}
