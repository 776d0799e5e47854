package llm

import "strings"

// How much of a text must be one piece over and over for it to count as repetition, in
// bytes: so many times, and so long together. Long pieces are enough fewer times.
const (
	repeatWindow = 8 << 10 // bytes at the end of a text that are examined
	repeatEvery  = 512     // bytes between two examinations
	repeatTimes  = 8
	repeatLength = 600
	repeatLong   = 1500 // total length, at which
	repeatFew    = 4    // this many repetitions are enough
)

// A Repetition notices that a text which arrives in pieces only repeats its last words.
// Its zero value is ready for use.
type Repetition struct {
	tail   []byte
	since  int // bytes since the last look
	period int // 0 if none was found
}

// Write adds a piece of the text.
func (r *Repetition) Write(piece string) {
	if r.period > 0 {
		return
	}
	r.tail = append(r.tail, piece...)
	if r.since += len(piece); r.since < repeatEvery {
		return
	}
	r.since = 0
	r.tail = append(r.tail[:0], r.tail[max(0, len(r.tail)-repeatWindow):]...)
	r.period = periodOf(r.tail)
}

// Found reports whether the text repeats itself.
func (r *Repetition) Found() bool { return r.period > 0 }

// Once returns a text without the repetitions at its end but the first.
func (r *Repetition) Once(text string) string {
	p := r.period
	if p == 0 || p >= len(text) {
		return text
	}
	end := len(text)
	for end-2*p >= 0 && text[end-p:end] == text[end-2*p:end-p] {
		end -= p
	}
	return strings.ToValidUTF8(text[:end], "")
}

// periodOf returns the length of the piece repeated at the end of a text, or 0 if it is not repeated often enough.
func periodOf(text []byte) int {
	// border[i] is the length of the longest border of the last i bytes, as Knuth,
	// Morris and Pratt compute it, read from the end.
	n := len(text)
	at := func(i int) byte { return text[n-1-i] }
	border := make([]int, n+1)
	for i, k := 1, 0; i < n; i++ {
		for k > 0 && at(i) != at(k) {
			k = border[k]
		}
		if at(i) == at(k) {
			k++
		}
		border[i+1] = k
		length, period := i+1, i+1-k
		if length >= repeatLength && length >= repeatTimes*period || length >= repeatLong && length >= repeatFew*period {
			return period
		}
	}
	return 0
}
