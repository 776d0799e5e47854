package retrieve

// The limits of a walk. What is read depends on them, and not on the size of the graph.
const (
	rounds = 5 // after each, the nodes reached are read and pass mass on

	// trifle is the share of the mass, per edge of a node, below which a residual is not pushed.
	trifle = 1e-4
	// usual is the assumed degree of a chunk that was not read.
	usual = 16
	// widest is the maximum of chunks, or related names, for a name to be walked through.
	widest = 200
)

// push computes the mass of the nodes around the seeds: walkers start at the seeds, follow an edge with probability
// damping and otherwise restart. Each round reads the nodes whose residuals exceed a trifle, and pushes these on
// (Andersen, Chung and Lang 2006, "Local graph partitioning using PageRank vectors"). What remains stays where it is.
func (s *search) push(p *patch) error {
	p.start()
	for range rounds {
		names, chunks := p.front()
		if err := s.read(p, names, chunks); err != nil {
			return err
		}
		if !p.step(p.front()) {
			break
		}
	}
	for at := range p.places {
		at.stay(p.tuning.damping)
	}
	return nil
}

// start puts all mass at the seeds.
func (p *patch) start() {
	sum := 0.0
	for at := range p.places {
		sum += at.seed
	}
	if sum == 0 {
		return
	}
	for at := range p.places {
		at.seed /= sum
		at.residual = at.seed
	}
}

// places yields the names, then the chunks.
func (p *patch) places(yield func(*place) bool) {
	for i := range p.names {
		if !yield(&p.names[i].place) {
			return
		}
	}
	for i := range p.chunks {
		if !yield(&p.chunks[i].place) {
			return
		}
	}
}

// front returns the nodes whose residuals exceed a trifle.
func (p *patch) front() (names, chunks []int32) {
	for i := range p.names {
		n := &p.names[i]
		degree := n.degree
		if !n.read {
			degree = float64(max(1, n.passages))
		}
		if !n.wide && n.passages <= widest && n.residual > trifle*degree {
			names = append(names, int32(i))
		}
	}
	for i := range p.chunks {
		c := &p.chunks[i]
		degree := c.degree
		if !c.read {
			degree = usual
		}
		if c.held && c.residual > trifle*degree {
			chunks = append(chunks, int32(i))
		}
	}
	return names, chunks
}

// step pushes the residuals of nodes, all at once, and reports whether there are any.
func (p *patch) step(names, chunks []int32) bool {
	each := make([]float64, len(names)+len(chunks)) // the flow over an edge of weight 1
	for i, n := range names {
		each[i] = p.names[n].leave(p.tuning.damping)
	}
	for i, c := range chunks {
		each[len(names)+i] = p.chunks[c].leave(p.tuning.damping)
	}
	for i, n := range names {
		for _, l := range p.names[n].links {
			p.chunks[l.chunk].residual += each[i] * p.weight(l)
		}
		for _, other := range p.names[n].related {
			p.names[other].residual += each[i] * p.tuning.relation
		}
	}
	for i, c := range chunks {
		for _, l := range p.chunks[c].links {
			p.names[l.name].residual += each[len(names)+i] * p.weight(l)
		}
	}
	return len(each) > 0
}

// leave keeps the share of the residual that restarts, and returns the mass that moves over an edge of weight 1.
func (p *place) leave(damping float64) float64 {
	r := p.residual
	p.stay(damping)
	if p.degree == 0 {
		return 0
	}
	return damping * r / p.degree
}

// stay settles a residual that is not pushed.
func (p *place) stay(damping float64) {
	p.mass += (1 - damping) * p.residual
	p.residual = 0
}
