package parse

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readTranscript reads SubRip and WebVTT: cues that follow one another closely
// make a paragraph, and each has its time.
func readTranscript(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	var t transcript
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	var last cue
	var rolls rolling
	for block := range strings.SplitSeq(s, "\n\n") {
		c, ok := cueOf(block)
		if !ok {
			continue
		}
		if c.text = strings.Join(rolls.fresh(c), " "); c.text == "" {
			last.to = max(last.to, c.to)
			continue
		}
		if t.ends(c, last) {
			t.flush(w)
		}
		t.cues = append(t.cues, c)
		last = c
		if ctx.Err() != nil || w.full || w.crowded || len(t.cues) > MaxUnits {
			break
		}
	}
	t.flush(w)
	if w.runes == 0 {
		w.warn("This file holds no text with times.")
	}
	return ctx.Err()
}

// A cue is a line of a transcript with its start and end in seconds.
type cue struct {
	from, to int
	lines    []string
	text     string
	speaker  string // "" if it is not said
}

var (
	cueTimes = regexp.MustCompile(`^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s*-->\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}`)
	cueVoice = regexp.MustCompile(`^<v(?:\.[^ >]*)? ([^>]{1,80})>`)
	cueMarks = regexp.MustCompile(`</?[a-zA-Z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,80}\}`)
)

// cueOf reads a block: a line of times, and what is said.
func cueOf(block string) (c cue, ok bool) {
	lines := strings.Split(strings.Trim(block, "\n"), "\n")
	for i, line := range lines {
		m := cueTimes.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		c.from, c.to = seconds(m[1:4]), seconds(m[4:7])
		said := strings.Join(lines[i+1:], " ")
		if v := cueVoice.FindStringSubmatch(said); v != nil {
			c.speaker = tidyLine(v[1])
		}
		c.lines = strings.Split(cueMarks.ReplaceAllString(strings.Join(lines[i+1:], "\n"), ""), "\n")
		return c, true
	}
	return c, false
}

// seconds returns the seconds of hours, minutes and seconds.
func seconds(parts []string) int {
	n := 0
	for _, p := range parts {
		v, _ := strconv.Atoi(p)
		n = 60*n + v
	}
	return n
}

// transcript is the paragraph that is gathered.
type transcript struct{ cues []cue }

// The least silence, in seconds, that ends a paragraph, and its usual and most
// length in code points.
const (
	maxSilence = 4
	usualCues  = 500
	maxCues    = 1500
)

// ends reports whether a paragraph ends before a cue.
func (t transcript) ends(next, last cue) bool {
	size := 0
	for _, c := range t.cues {
		size += utf8.RuneCountInString(c.text) + 1
	}
	done := strings.HasSuffix(last.text, ".") || strings.HasSuffix(last.text, "?") || strings.HasSuffix(last.text, "!")
	return len(t.cues) > 0 && (next.from-last.to >= maxSilence || next.from < last.from || next.speaker != "" && next.speaker != last.speaker ||
		done && size > usualCues || size > maxCues)
}

// flush writes the paragraph, and notes the time of each cue.
func (t *transcript) flush(w *writer) {
	if len(t.cues) == 0 {
		return
	}
	texts, times := make([]string, len(t.cues)), make([]int, len(t.cues))
	for i, c := range t.cues {
		texts[i], times[i] = c.text, c.from
	}
	if speaker := t.cues[0].speaker; speaker != "" {
		texts[0] = speaker + ": " + texts[0]
	}
	w.together(domain.UnitTime, "", " ", texts, times)
	t.cues = nil
}

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
