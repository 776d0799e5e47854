package parse

import (
	"slices"
	"strings"
)

// maxRolling is the most lines of captions before a cue with which it may begin.
const maxRolling = 6

// rolling leaves out of cues what captions say again that roll: a cue repeats the last lines of
// the one before, and adds one.
type rolling struct {
	lines []string // that were shown last
	to    int
}

// fresh returns the lines of a cue that were not shown already. A cue that follows after a
// silence has only new ones.
func (r *rolling) fresh(c cue) []string {
	var lines []string
	for _, line := range c.lines {
		if line = tidyLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	shown := r.lines
	if c.from > r.to+1 || c.from < r.to-60 {
		shown = nil
	}
	repeated := 0
	for n := min(len(shown), len(lines)); n > 0 && repeated == 0; n-- {
		if slices.Equal(shown[len(shown)-n:], lines[:n]) {
			repeated = n
		}
	}
	rest := slices.Clone(lines[repeated:])
	if repeated == 0 && len(rest) > 0 && len(shown) > 0 {
		last := shown[len(shown)-1]
		if more, grows := strings.CutPrefix(rest[0], last+" "); grows && len(strings.Fields(last)) > 1 {
			rest[0] = more // a line that is written while it is spoken
		}
	}
	r.to = max(c.to, c.from)
	if len(lines) > 0 {
		r.lines = append(slices.Clone(shown), lines[repeated:]...)
		r.lines = r.lines[max(0, len(r.lines)-maxRolling):]
	}
	return rest
}
