package chunk

import "slices"

// packer gathers pieces into chunks. It looks only as far ahead as a chunk
// reaches, as a text may have millions of pieces.
type packer struct {
	measure
	pull   func() (piece, bool) // returns the piece after rest
	rest   []piece              // the next pieces; one may be put back or replaced by its parts
	open   []piece              // the chunk being gathered
	size   int                  // sum of its pieces' tokens
	chunks []piece
}

// pack returns the chunks, in order.
func (p *packer) pack() []piece {
	for next, more := p.ahead(0); more; next, more = p.ahead(0) {
		switch {
		case len(p.open) == 0 || !p.breakBefore(next):
			p.take(next)
		case next.apart || !p.onlyHeadings() || !p.refine(next):
			p.flush()
		}
		if _, more := p.ahead(0); !more {
			p.flush()
		}
	}
	return p.chunks
}

// ahead returns the nth of the next pieces, if there are so many.
func (p *packer) ahead(n int) (piece, bool) {
	for len(p.rest) <= n {
		next, ok := p.pull()
		if !ok {
			return piece{}, false
		}
		p.rest = append(p.rest, next)
	}
	return p.rest[n], true
}

func (p *packer) take(next piece) {
	p.rest = p.rest[1:]
	p.open = append(p.open, next)
	p.size += next.tokens + gap
}

// anyLevel is deeper than any heading level.
const anyLevel = 99

// gap is the most tokens that white space between two pieces can add.
const gap = 1

// breakBefore reports whether next must start a new chunk.
func (p *packer) breakBefore(next piece) bool {
	if next.apart {
		return true
	}
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
	return next.level <= 2 && p.section(next.level) >= sizeable || p.section(anyLevel) > room
}

// lead returns the size of the upcoming headings plus the first piece of body
// text below them, so that a heading is not separated from its text.
func (p *packer) lead() int {
	sum := 0
	for i := 0; ; i++ {
		next, ok := p.ahead(i)
		if !ok {
			break
		}
		sum += next.tokens + gap
		if next.level == 0 || sum > p.limit {
			break
		}
	}
	return sum
}

// section returns the size of the section under the next heading, up to the next
// heading of that level or above. It stops counting beyond the limit.
func (p *packer) section(level int) int {
	sum := 0
	for i := 0; sum <= p.limit; i++ {
		next, ok := p.ahead(i)
		if !ok || i > 0 && next.level > 0 && next.level <= level {
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
		var parts []piece
		p.cut(func(q piece) bool {
			q.level = 0
			parts = append(parts, q)
			return true
		}, next, g)
		if len(parts) > 1 && parts[0].tokens <= p.limit-p.size {
			p.rest = slices.Replace(p.rest, 0, 1, parts...)
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
	p.rest = slices.Insert(p.rest, 0, p.open[n:]...)
	p.chunks = append(p.chunks, whole)
	p.open, p.size = p.open[:0], 0
}
