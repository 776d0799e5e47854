package stategraph

import (
	"fmt"
	"slices"
)

// plan is a random graph whose nodes act on a hash of their input. It can be built
// for the engine, and interpreted slowly and obviously by the reference below.
type plan struct {
	Seed     int
	Nodes    []planNode
	Start    []int // nodes that plain edges lead to
	Branches []planBranch
	Joins    []planJoin
	Limit    int
}

type planNode struct {
	Task     bool
	Asks     bool // before it does anything, and adds the answer to the total
	Attempts int
	Edges    []int // toEnd is the end
	Inner    *plan // of a subgraph
}

type planBranch struct {
	From      int // fromStart is the start
	Cases     []int
	Otherwise bool // to the end
}

type planJoin struct {
	To   int
	From []int
}

const (
	fromStart = -1
	toEnd     = -2
)

func (p plan) name(node int) string {
	switch node {
	case fromStart:
		return Start
	case toEnd:
		return End
	}
	return fmt.Sprintf("n%d", node)
}

// hash returns a number that depends on all values.
func hash(values ...int) int {
	h := uint64(14695981039346656037)
	for _, v := range values {
		h = (h ^ uint64(v+1000)) * 1099511628211
		h ^= h >> 29
	}
	return int(h >> 33)
}

// digest returns a hash of a state.
func digest(s board) int {
	return hash(len(s.Word), len(s.Ints), len(s.Log), len(s.Cards), s.High, int(s.Total))
}

// deed is the effect of one call of a node.
type deed struct {
	fails bool
	word  *string
	log   []string
	cards []card
	high  *int
	total float64
}

// does returns the effect of a call: input is the digest of the state or the payload.
func (p plan) does(node, step, attempt, input int) deed {
	roll := func(what, sides int) int { return hash(p.Seed, node, step, input, what) % sides }
	if failing := roll(1, 24); failing < 3 && attempt <= failing {
		return deed{fails: true}
	}
	name := fmt.Sprintf("%s@%d/%d", p.name(node), step, input%97)
	d := deed{log: []string{name}}
	if roll(2, 7) == 0 {
		d.word = &name
	}
	if roll(3, 2) == 0 {
		d.cards = []card{{fmt.Sprint(roll(4, 5)), name}, {fmt.Sprint(roll(5, 5)), "second"}}
	}
	if high := roll(6, 100); high > 30 {
		d.high = &high
	}
	d.total = float64(roll(7, 10)) / 8
	return d
}

// answerTo returns the answer to a node that asks about its input.
func answerTo(input int) float64 { return float64(input%7) / 4 }

// begin returns a subgraph's first state, by the digest of the outer state or the
// payload.
func (p plan) begin(input int) board { return board{Total: float64(input%50) / 8} }

// choice is a branch's decision: indexes of cases, and payloads by case.
type choice struct {
	cases []int
	sends []planSend
}

type planSend struct{ to, payload int }

func (p plan) decides(branch, step, input int) choice {
	var c choice
	b := p.Branches[branch]
	for i, to := range b.Cases {
		roll := hash(p.Seed, 100+branch, step, input, i) % 5
		switch {
		case roll > 2:
		case to >= 0 && p.Nodes[to].Task:
			for n := range roll + 1 {
				c.sends = append(c.sends, planSend{to, hash(p.Seed, step, n, i)})
			}
		case !slices.ContainsFunc(c.cases, func(j int) bool { return b.Cases[j] == to }):
			c.cases = append(c.cases, i)
		}
	}
	return c
}

// outcome is how a run ended.
type outcome struct {
	kind  string // done, limit, node, conflict, stalled
	where string // subgraphs and node, as a path; "" for the whole
	what  string
}

// within converts a subgraph's outcome to that of its node.
func (o outcome) within(node string) outcome {
	if o.where != "" {
		node += "/" + o.where
	}
	o.where = node
	return o
}

// call is one call of a node in the reference.
type call struct {
	node  int
	input int // payload of a task
}

// reference is the interpreter. It keeps plain maps and slices and searches them from
// end to end.
type reference struct {
	plan
	state   board
	step    int
	planned map[int]bool
	sends   []planSend
	arrived []map[int]bool
	failure []outcome                // of several nodes that fail in one step, any may be reported
	edit    func(step int, s *board) // a fork, between a step and what follows from it
}

// interpret runs the plan by the rules of the package, one call at a time.
func (p plan) interpret() (board, []outcome) {
	return p.interpretForked(board{}, func(int, *board) {})
}

func (p plan) interpretForked(s board, edit func(step int, s *board)) (board, []outcome) {
	r := &reference{plan: p, state: s, edit: edit, planned: map[int]bool{}, arrived: make([]map[int]bool, len(p.Joins))}
	for i := range r.arrived {
		r.arrived[i] = map[int]bool{}
	}
	r.edit(0, &r.state)
	r.leave(fromStart)
	for r.failure == nil {
		calls := r.calls()
		if len(calls) == 0 {
			return r.state, r.rest()
		}
		if r.step == p.Limit {
			return r.state, []outcome{{kind: "limit"}}
		}
		r.step++
		r.perform(calls)
	}
	return r.state, r.failure
}

// calls lists the planned calls by node and order of sends.
func (r *reference) calls() []call {
	var calls []call
	for node := range r.Nodes {
		if r.planned[node] {
			calls = append(calls, call{node: node})
		}
		for _, s := range r.sends {
			if s.to == node {
				calls = append(calls, call{node, s.payload})
			}
		}
	}
	r.planned, r.sends = map[int]bool{}, nil
	return calls
}

// perform runs one super-step.
func (r *reference) perform(calls []call) {
	var deeds []deed
	for _, c := range calls {
		deeds = append(deeds, r.call(c))
	}
	if r.failure != nil {
		return
	}
	var writers []string
	for i, d := range deeds {
		if d.word != nil {
			writers = append(writers, r.name(calls[i].node))
		}
	}
	if len(writers) > 1 {
		r.failure = []outcome{{"conflict", "", fmt.Sprint(writers[:2], r.step)}}
		return
	}
	for _, d := range deeds {
		r.merge(d)
	}
	r.edit(r.step, &r.state)
	left := map[int]bool{}
	for _, c := range calls {
		if !left[c.node] {
			left[c.node] = true
			r.leave(c.node)
		}
	}
}

// call makes one call, with its retries, and records a failure.
func (r *reference) call(c call) deed {
	n, input := r.Nodes[c.node], c.input
	if !n.Task {
		input = digest(r.state)
	}
	if n.Inner != nil {
		last, ends := n.Inner.interpretForked(n.Inner.begin(input), func(int, *board) {})
		for _, o := range ends {
			if o.kind != "done" {
				r.failure = append(r.failure, o.within(r.name(c.node)))
			}
		}
		return deed{log: last.Log, cards: last.Cards, total: last.Total}
	}
	d := r.does(c.node, r.step, 1, input)
	for attempt := 2; d.fails && attempt <= n.Attempts; attempt++ {
		d = r.does(c.node, r.step, attempt, input)
	}
	if n.Asks {
		d.total += answerTo(input)
	}
	if d.fails {
		r.failure = append(r.failure, outcome{"node", r.name(c.node), fmt.Sprint(r.step)})
	}
	return d
}

// merge applies the reducers by hand.
func (r *reference) merge(d deed) {
	s := &r.state
	if d.word != nil {
		s.Word = *d.word
	}
	s.Log = append(slices.Clone(s.Log), d.log...)
	for _, c := range d.cards {
		s.Cards = slices.Clone(s.Cards)
		if i := slices.IndexFunc(s.Cards, func(o card) bool { return o.ID == c.ID }); i >= 0 {
			s.Cards[i] = c
		} else {
			s.Cards = append(s.Cards, c)
		}
	}
	if d.high != nil && *d.high > s.High {
		s.High = *d.high
	}
	s.Total += d.total
}

// leave takes the exits of a node.
func (r *reference) leave(from int) {
	if r.failure != nil {
		return
	}
	edges := r.Start
	if from != fromStart {
		edges = r.Nodes[from].Edges
	}
	for _, to := range edges {
		r.visit(to)
	}
	for i, j := range r.Joins {
		if !slices.Contains(j.From, from) {
			continue
		}
		r.arrived[i][from] = true
		if len(r.arrived[i]) == len(j.From) {
			r.arrived[i] = map[int]bool{}
			r.visit(j.To)
		}
	}
	for i, b := range r.Branches {
		if b.From == from {
			r.follow(i, b)
		}
	}
}

func (r *reference) follow(i int, b planBranch) {
	if r.failure != nil {
		return
	}
	c := r.decides(i, r.step, digest(r.state))
	if len(c.cases) == 0 && len(c.sends) == 0 && !b.Otherwise {
		r.failure = []outcome{{"node", fmt.Sprintf("b%d", i), fmt.Sprint(r.step)}}
		return
	}
	for _, chosen := range c.cases {
		r.visit(b.Cases[chosen])
	}
	r.sends = append(r.sends, c.sends...)
}

func (r *reference) visit(to int) {
	if to != toEnd {
		r.planned[to] = true
	}
}

// rest returns the outcome of a run that has nothing left to do.
func (r *reference) rest() []outcome {
	for i, j := range r.Joins {
		if n := len(r.arrived[i]); n > 0 && n < len(j.From) {
			return []outcome{{kind: "stalled"}}
		}
	}
	return []outcome{{kind: "done"}}
}
