package chunk

import "slices"

// packer gathers pieces into chunks. rest is a stack with the next piece on
// top, because a piece may be put back or replaced by its parts.
type packer struct {
	measure
	rest   []piece
	open   []piece // the chunk being gathered
	size   int     // sum of its pieces' tokens
	chunks []piece
}

// pack returns the chunks, in order.
func (p *packer) pack() []piece {
	for len(p.rest) > 0 {
		next := p.rest[len(p.rest)-1]
		switch {
		case len(p.open) == 0 || !p.breakBefore(next):
			p.take(next)
		case !p.onlyHeadings() || !p.refine(next):
			p.flush()
		}
		if len(p.rest) == 0 {
			p.flush()
		}
	}
	return p.chunks
}

func (p *packer) take(next piece) {
	p.rest = p.rest[:len(p.rest)-1]
	p.open = append(p.open, next)
	p.size += next.tokens + gap
}

// anyLevel is deeper than any heading level.
const anyLevel = 99

// gap is the most tokens that white space between two pieces can add.
const gap = 1

// breakBefore reports whether next must start a new chunk.
func (p *packer) breakBefore(next piece) bool {
	room := p.limit - p.size
	if next.level == 0 || p.onlyHeadings() {
		return next.tokens > room
	}
	if p.lead() > room {
		return true
	}
	sizeable := p.limit / 4
	if p.size < sizeable {
		return false
	}
	return next.level <= 2 && p.ahead(next.level) >= sizeable || p.ahead(anyLevel) > room
}

// lead returns the size of the upcoming headings plus the first piece of body
// text below them, so that a heading is not separated from its text.
func (p *packer) lead() int {
	sum := 0
	for _, next := range slices.Backward(p.rest) {
		sum += next.tokens + gap
		if next.level == 0 || sum > p.limit {
			break
		}
	}
	return sum
}

// ahead returns the size of the section under the next heading, up to the next
// heading of that level or above. It stops counting beyond the limit.
func (p *packer) ahead(level int) int {
	sum := 0
	for i, next := range slices.Backward(p.rest) {
		if i < len(p.rest)-1 && next.level > 0 && next.level <= level || sum > p.limit {
			break
		}
		sum += next.tokens + gap
	}
	return sum
}

// onlyHeadings reports whether the open chunk has no body text yet.
func (p *packer) onlyHeadings() bool {
	return !slices.ContainsFunc(p.open, func(q piece) bool { return q.level == 0 })
}

// refine replaces next, which does not fit below its heading, with its parts.
// It reports false if it has no parts or the first one does not fit either.
func (p *packer) refine(next piece) bool {
	for g := range byWord { // byLine, then bySentence
		parts := p.cut(nil, next.start, next.end, g)
		if len(parts) > 1 && parts[0].tokens <= p.limit-p.size {
			slices.Reverse(parts)
			p.rest = append(p.rest[:len(p.rest)-1], parts...)
			return true
		}
	}
	return false
}

// flush closes the open chunk. It recounts the whole, because token counts do
// not add up exactly, and puts excess pieces back.
func (p *packer) flush() {
	n := len(p.open)
	whole := p.open[0]
	for ; n > 1; n-- {
		whole.end = p.open[n-1].end
		whole.tokens = p.tokens(whole.start, whole.end)
		if whole.tokens <= p.limit {
			break
		}
	}
	if n == 1 {
		whole = p.open[0]
	}
	for _, q := range slices.Backward(p.open[n:]) {
		p.rest = append(p.rest, q)
	}
	p.chunks = append(p.chunks, whole)
	p.open, p.size = p.open[:0], 0
}
