package diagram

import (
	"fmt"
	"slices"
	"strconv"
)

// forward draws the edges that lead on.
func (d *Drawing) forward(s *shape, p *places, r reading) {
	for e := range s.edges {
		a, b := s.from(e), s.to(e)
		if !p.down(s, e) {
			continue
		}
		times := r.walked[e]
		switch lane, skips := p.skip[e]; {
		case p.bow[e]:
			d.line(times, bow(p, a, b))
		case skips:
			d.line(times, p.around(a, b, lane))
		case p.lane[a] == p.lane[b]:
			d.strands(times, p.x[a], p.y[a], p.y[b])
		default:
			d.line(times, p.around(a, b, max(p.lane[a], p.lane[b])))
		}
		if p.bow[e] && s.edges[e].Label != "" {
			d.Words = append(d.Words, Word{p.spine - 26, (p.y[a]+p.y[b])/2 + 6, true, s.edges[e].Label})
		}
	}
	for _, n := range s.rows {
		words := p.words(s, n)
		for i, word := range words {
			y := p.y[n] - 18 - 13*float64(len(words)-1-i)
			d.Words = append(d.Words, Word{p.names - 6, y, false, word})
		}
	}
}

func (d *Drawing) line(times int, path string) {
	d.Lines = append(d.Lines, Line{path, times > 0})
}

// strands lays one line for each pass, side by side, a few at most.
func (d *Drawing) strands(times int, x, from, to float64) {
	n := min(max(times, 1), strands)
	for i := range n {
		at := x + strandGap*(float64(i)-float64(n-1)/2)
		d.line(times, fmt.Sprintf("M%s %sV%s", num(at), num(from), num(to)))
	}
}

// bow is the short way beside a straight line, to the left of it.
func bow(p *places, a, b int) string {
	x, from, to := p.x[a]-6, p.y[a]+4, p.y[b]-4
	third := (to - from) / 3
	return fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x), num(from), num(x-18), num(from+third), num(x-18), num(to-third), num(x), num(to))
}

// around goes from a out to a lane, down it, and into b.
func (p *places) around(a, b, lane int) string {
	const bend = 22.0
	x := p.spine + laneStep*float64(lane)
	path := fmt.Sprintf("M%s %s", num(p.x[a]), num(p.y[a]))
	if p.x[a] != x {
		path += curve(p.x[a], p.y[a], x, p.y[a]+bend)
	}
	if p.x[b] == x {
		return path + "V" + num(p.y[b])
	}
	return path + "V" + num(p.y[b]-bend) + curve(x, p.y[b]-bend, p.x[b], p.y[b])
}

// curve changes lanes between two heights, upright at both ends.
func curve(x1, y1, x2, y2 float64) string {
	mid := (y1 + y2) / 2
	return fmt.Sprintf("C%s %s %s %s %s %s", num(x1), num(mid), num(x2), num(mid), num(x2), num(y2))
}

// loops draws the ways back, and straight across what is neither: a way into
// the midst of a loop, or out of it.
func (d *Drawing) loops(s *shape, p *places, r reading) {
	looped := map[int]bool{}
	for i, l := range s.turns {
		d.loop(s, p, r, l, p.column[i])
		for _, e := range l.edges {
			looped[e] = true
		}
	}
	for e := range s.edges {
		if a, b := s.from(e), s.to(e); !looped[e] && !p.down(s, e) {
			d.line(r.walked[e], fmt.Sprintf("M%s %sL%s %s", num(p.x[a]), num(p.y[a]), num(p.x[b]), num(p.y[b])))
		}
	}
}

func (d *Drawing) loop(s *shape, p *places, r reading, l loop, x float64) {
	out, in := p.y[l.from], p.y[l.to]
	if l.from == l.to {
		out, in = out+strandGap, in-strandGap
	}
	edgeOut, edgeIn := l.edges[0], l.edges[len(l.edges)-1]
	fromX := p.x[l.from] - radiusOf(s.nodes[l.from].Kind) + 1
	toX := p.x[l.to] - radiusOf(s.nodes[l.to].Kind) - 6
	turnOut := fmt.Sprintf("M%s %sH%s", num(fromX), num(out), num(x+corner)) + elbow(l.from != l.to, "a12 12 0 0 1-12-12")
	turnIn := elbow(l.from != l.to, "V"+num(in+corner)+"a12 12 0 0 1 12-12") + "H" + num(toX)
	if len(l.via) == 0 {
		d.line(r.walked[edgeOut], turnOut+turnIn)
	} else {
		d.line(r.walked[edgeOut], turnOut+elbow(l.from != l.to, "V"+num(p.y[l.via[0]])))
		for k := 1; k < len(l.via); k++ {
			d.strands(min(r.walked[l.edges[k]], 1), x, p.y[l.via[k-1]], p.y[l.via[k]])
		}
		d.line(r.walked[edgeIn], fmt.Sprintf("M%s %s", num(x), num(ends(l, p, in)))+turnIn)
	}
	tip := Point{toX + 4, in, r.walked[edgeIn] > 0}
	if tip.Lit { // two loops may end in one place: the lit head lies on top
		d.Tips = append(d.Tips, tip)
	} else {
		d.Tips = slices.Insert(d.Tips, 0, tip)
	}
	if label := s.edges[edgeOut].Label; label != "" {
		d.Words = append(d.Words, Word{p.x[l.from] - 10, out - 6, true, label})
	}
}

// elbow is a corner where there is room for one.
func elbow(room bool, path string) string {
	if room {
		return path
	}
	return ""
}

// ends is the height from which the last line of a loop sets out.
func ends(l loop, p *places, in float64) float64 {
	if l.from == l.to {
		return in
	}
	return p.y[l.via[len(l.via)-1]]
}

// stops draws the nodes with their names and figures.
func (d *Drawing) stops(s *shape, p *places, r reading) {
	for n, node := range s.nodes {
		visit := r.visits[n]
		stop := Stop{
			Point: Point{p.x[n], p.y[n], visit.State.Or() != Waiting}, Node: node.Name, Kind: node.Kind, Within: node.Within,
			R: radiusOf(node.Kind), State: visit.State.Or(), Times: visit.Times,
			Name:   Word{p.names + node.indent(), p.y[n] + 4, false, node.title()},
			Figure: Word{d.Width, p.y[n] + 4, true, r.figure(n)},
		}
		if !s.ahead[n] {
			stop.Name = Word{p.x[n] - 14, p.y[n] + 1, true, node.title()}
			stop.Figure = Word{p.x[n] - 14, p.y[n] + 16, true, r.figure(n)}
		}
		d.Stops = append(d.Stops, stop)
	}
}

// num prints a length without needless digits.
func num(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
