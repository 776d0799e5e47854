package chunk

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// packer gathers pieces into chunks. rest is a stack of the pieces to come,
// the next one last, because a piece may be put back or be replaced by its
// parts.
type packer struct {
	measure
	rest   []piece
	open   []piece // the chunk being gathered
	size   int     // its tokens, as the sum of its pieces
	chunks []domain.Span
}

// pack is the spans of the chunks, in order.
func (p *packer) pack() []domain.Span {
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

// take moves the next piece into the open chunk.
func (p *packer) take(next piece) {
	p.rest = p.rest[:len(p.rest)-1]
	p.open = append(p.open, next)
	p.size += next.tokens + gap
}

// anyLevel is below every level of a heading.
const anyLevel = 99

// gap is what the white space between two pieces may cost in tokens.
const gap = 1

// breakBefore reports whether a new chunk is to begin with next.
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

// lead is the size of the headings that come next together with the first
// piece of body text below them: a heading at the end of a chunk would be
// parted from what it announces.
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

// ahead is the size of the section that the next piece heads, up to the next
// heading of that level or above; a sum beyond the limit is not carried on.
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

// onlyHeadings reports whether the open chunk holds no body text yet.
func (p *packer) onlyHeadings() bool {
	return !slices.ContainsFunc(p.open, func(q piece) bool { return q.level == 0 })
}

// refine replaces next, which does not fit below its heading, by its parts. It
// reports false when it has none or the first of them does not fit either.
func (p *packer) refine(next piece) bool {
	for g := range byWord { // from lines on
		parts := p.cut(nil, next.start, next.end, g)
		if len(parts) > 1 && parts[0].tokens <= p.limit-p.size {
			slices.Reverse(parts)
			p.rest = append(p.rest[:len(p.rest)-1], parts...)
			return true
		}
	}
	return false
}

// flush closes the open chunk. Tokens need not add up, so the whole is counted
// once more, and pieces too many are put back.
func (p *packer) flush() {
	n := len(p.open)
	for n > 1 && p.tokens(p.open[0].start, p.open[n-1].end) > p.limit {
		n--
	}
	for _, q := range slices.Backward(p.open[n:]) {
		p.rest = append(p.rest, q)
	}
	p.chunks = append(p.chunks, domain.Span{Start: p.open[0].start, End: p.open[n-1].end})
	p.open, p.size = p.open[:0], 0
}
