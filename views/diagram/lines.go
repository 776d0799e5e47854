package diagram

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// forward draws the edges that point down, and returns their labels.
func (d *Drawing) forward(g *graph, p *placement, r progress) (labels []label) {
	for e := range g.edges {
		a, b := g.from(e), g.to(e)
		if !p.pointsDown(g, e) {
			continue
		}
		times := r.walked[e]
		x, from, y := p.x[a], p.y[a], (p.y[a]+p.y[b])/2+4
		switch lane, skips := p.bypass[e]; {
		case p.parallel[e]:
			x -= 20
			d.line(times, parallelPath(p, a, b))
		case p.bows[e]:
			x += laneStep
			d.line(times, bowPath(p, a, b))
		case !skips && p.lane[a] == p.lane[b]:
			d.strands(times, x, from, p.y[b])
		default:
			lane = max(lane, p.lane[a], p.lane[b])
			x = p.spineX + laneStep*float64(lane)
			y = from + bend + 6
			d.line(times, p.lanePath(a, b, lane))
		}
		if text := g.name(e); text != "" {
			labels = append(labels, label{text, b, beside(text, x, from, p.y[b], y)})
		}
	}
	return labels
}

func (d *Drawing) line(times int, path string) {
	d.Lines = append(d.Lines, Line{path, times > 0})
}

// strands draws one line for each pass, side by side, up to a limit.
func (d *Drawing) strands(times int, x, from, to float64) {
	n := min(max(times, 1), strands)
	for i := range n {
		at := x + strandGap*(float64(i)-float64(n-1)/2)
		d.line(times, fmt.Sprintf("M%s %sV%s", num(at), num(from), num(to)))
	}
}

// parallelPath returns the path of an edge left of a straight one between the
// same nodes.
func parallelPath(p *placement, a, b int) string {
	x, from, to := p.x[a]-6, p.y[a]+4, p.y[b]-4
	third := (to - from) / 3
	return fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x), num(from), num(x-18), num(from+third), num(x-18), num(to-third), num(x), num(to))
}

// bowPath returns the path of an edge around one node of the spine.
func bowPath(p *placement, a, b int) string {
	x, from, to := p.x[a], p.y[a]+2, p.y[b]-4
	return fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x+4), num(from), num(x+27), num(from+12), num(x+27), num(to-12), num(x+7), num(to))
}

// bend is the height in which a line changes lanes.
const bend = 22.0

// lanePath returns the path from a out to a lane, down it, and into b.
func (p *placement) lanePath(a, b, lane int) string {
	x := p.spineX + laneStep*float64(lane)
	path := fmt.Sprintf("M%s %s", num(p.x[a]), num(p.y[a]))
	if p.x[a] != x {
		path += curve(p.x[a], p.y[a], x, p.y[a]+bend)
	}
	if p.x[b] == x {
		return path + "V" + num(p.y[b])
	}
	return path + "V" + num(p.y[b]-bend) + curve(x, p.y[b]-bend, p.x[b], p.y[b])
}

// curve returns a path between two lanes that is vertical at both ends.
func curve(x1, y1, x2, y2 float64) string {
	mid := (y1 + y2) / 2
	return fmt.Sprintf("C%s %s %s %s %s %s", num(x1), num(mid), num(x2), num(mid), num(x2), num(y2))
}

// loops draws the loops, and as straight lines all edges that neither point down nor belong to a loop. It returns the
// labels of the loops.
func (d *Drawing) loops(g *graph, p *placement, r progress) (labels []label) {
	looped := map[int]bool{}
	for i, l := range g.loops {
		d.loop(g, p, r, l, p.loopX[i])
		if text := g.label(l.edges[0]); text != "" {
			labels = append(labels, label{text, -1, p.alongLoop(text, l, p.loopX[i])})
		}
		for _, e := range l.edges {
			looped[e] = true
		}
	}
	for e := range g.edges {
		if a, b := g.from(e), g.to(e); !looped[e] && !p.pointsDown(g, e) {
			d.line(r.walked[e], fmt.Sprintf("M%s %sL%s %s", num(p.x[a]), num(p.y[a]), num(p.x[b]), num(p.y[b])))
		}
	}
	return labels
}

// alongLoop yields the places for the name of a loop: on its first line, below that, or beside its upright line.
func (p *placement) alongLoop(text string, l loop, x float64) iter.Seq[Word] {
	out, room := p.y[l.from], 0.0
	if l.from == l.to {
		room = strandGap
	}
	on, under := Word{p.x[l.from] - 12, out - room - 6, true, text}, Word{p.x[l.from] - 12, out + room + 14, true, text}
	return func(yield func(Word) bool) {
		if yield(on) && yield(under) {
			beside(text, x, min(p.y[l.to], out), max(p.y[l.to], out), out-14)(yield)
		}
	}
}

func (d *Drawing) loop(g *graph, p *placement, r progress, l loop, x float64) {
	out, in := p.y[l.from], p.y[l.to]
	if l.from == l.to {
		out, in = out+strandGap, in-strandGap
	}
	edgeOut, edgeIn := l.edges[0], l.edges[len(l.edges)-1]
	fromX := p.x[l.from] - radiusOf(g.nodes[l.from].Kind) + 1
	toX := p.x[l.to] - radiusOf(g.nodes[l.to].Kind) - 6
	turnOut := fmt.Sprintf("M%s %sH%s", num(fromX), num(out), num(x+corner)) + elbow(l.from != l.to, "a12 12 0 0 1-12-12")
	turnIn := elbow(l.from != l.to, "V"+num(in+corner)+"a12 12 0 0 1 12-12") + "H" + num(toX)
	if len(l.via) == 0 {
		d.line(r.walked[edgeOut], turnOut+turnIn)
	} else {
		d.line(r.walked[edgeOut], turnOut+elbow(l.from != l.to, "V"+num(p.y[l.via[0]])))
		for k := 1; k < len(l.via); k++ {
			d.strands(min(r.walked[l.edges[k]], 1), x, p.y[l.via[k-1]], p.y[l.via[k]])
		}
		d.line(r.walked[edgeIn], fmt.Sprintf("M%s %s", num(x), num(lastY(l, p, in)))+turnIn)
	}
	tip := Point{toX + 4, in, r.walked[edgeIn] > 0}
	if tip.Lit { // loops may share an end: the lit arrowhead is drawn on top
		d.Tips = append(d.Tips, tip)
	} else {
		d.Tips = slices.Insert(d.Tips, 0, tip)
	}
}

// elbow returns path, or "" where there is no room for a corner.
func elbow(room bool, path string) string {
	if room {
		return path
	}
	return ""
}

// lastY returns the height where the last line of a loop starts.
func lastY(l loop, p *placement, in float64) float64 {
	if l.from == l.to {
		return in
	}
	return p.y[l.via[len(l.via)-1]]
}

// stops draws the nodes with their names and figures.
func (d *Drawing) stops(g *graph, p *placement, r progress) {
	for n, node := range g.nodes {
		visit := r.visits[n]
		stop := Stop{
			Point: Point{p.x[n], p.y[n], visit.State.Or() != Waiting}, Node: node.Name, Kind: node.Kind, Within: node.Within,
			R: radiusOf(node.Kind), State: visit.State.Or(), Times: visit.Times,
			Name:   Word{p.nameAt(g, n), p.y[n] + 4, false, r.name(g, n)},
			Figure: Word{d.Width, p.y[n] + 4, true, r.figure(n)},
		}
		if !g.reachesEnd[n] {
			stop.Name = Word{p.x[n] - 14, p.y[n] + 1, true, r.name(g, n)}
			stop.Figure = Word{p.x[n] - 14, p.y[n] + 16, true, r.figure(n)}
		}
		d.Stops = append(d.Stops, stop)
	}
}

// num formats a length without needless digits.
func num(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
