package parse

import (
	"cmp"
	"context"
	"io"
	"mime/quotedprintable"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// readText reads plain text. Its first line becomes title and heading if it looks like one.
func readText(_ context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	if isCalendar(s) {
		writeCalendar(w, s)
		return nil
	}
	paragraphs := plainParagraphs(s)
	if title := titleOf(paragraphs); title != "" {
		w.name(title)
		w.heading(1, title)
		paragraphs[0].raw = paragraphs[0].raw[1:]
	}
	for _, p := range paragraphs {
		w.lines(p.lines())
	}
	return nil
}

// titleOf returns the title: the first paragraph, or its first line if only a subtitle follows.
func titleOf(paragraphs []plainParagraph) string {
	if len(paragraphs) < 2 || len(paragraphs[0].raw) > 2 {
		return ""
	}
	p := paragraphs[0]
	title, lines := tidyLine(p.raw[0]), p.lines()
	if second := tidyLine(p.raw[len(p.raw)-1]); len(p.raw) == 2 {
		initial, _ := utf8.DecodeRuneInString(second)
		if len(lines) == 1 || unicode.IsLower(initial) || isListItem(second) {
			return ""
		}
	}
	if !likeTitle(title) {
		return ""
	}
	return title
}

// likeTitle reports whether a line is short, begins like a name and does not end like a sentence.
func likeTitle(line string) bool {
	n := utf8.RuneCountInString(line)
	if n == 0 || n > 100 || isListItem(line) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(line)
	return !unicode.IsLower(first) && (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.ContainsRune(".,;:!。！", last)
}

var listMark = regexp.MustCompile(`^([-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)

func isListItem(line string) bool { return listMark.MatchString(line) }

// readCode reads source code verbatim: blank lines separate paragraphs, each with the number of its first line.
func readCode(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	var paragraph []string
	for number, line := range strings.Split(tidyPreformatted(s)+"\n", "\n") {
		if line = strings.TrimRight(line, " "); line != "" {
			paragraph = append(paragraph, line)
		} else if len(paragraph) > 0 {
			w.together(domain.UnitLine, "", "", []string{strings.Join(paragraph, "\n")}, []int{number + 1 - len(paragraph)})
			paragraph = nil
		}
		if number%1024 == 0 && (ctx.Err() != nil || w.full || w.crowded) {
			break
		}
	}
	return ctx.Err()
}

// maxEvents bounds the entries of a calendar.
const maxEvents = 20_000

// isCalendar reports whether a text is a calendar (iCalendar, RFC 5545).
func isCalendar(s string) bool {
	return strings.HasPrefix(strings.ToUpper(strings.TrimSpace(s[:min(len(s), 100)])), "BEGIN:VCALENDAR")
}

// writeCalendar adds the entries of a calendar: each with its title, time and place, participants and description.
func writeCalendar(w *writer, s string) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n ", ""), "\n\t", "") // continued lines
	if strings.Contains(s, "QUOTED-PRINTABLE") {
		s = strings.ReplaceAll(s, "=\n", "")
	}
	var e *event
	inner, n := 0, 0
	for line := range strings.SplitSeq(s, "\n") {
		name, params, value := propertyOf(line)
		switch {
		case name == "BEGIN" && e == nil && (value == "VEVENT" || value == "VTODO" || value == "VJOURNAL"):
			e = &event{}
		case e == nil:
		case name == "BEGIN": // an alarm
			inner++
		case name == "END" && inner > 0:
			inner--
		case name == "END":
			e.write(w)
			e = nil
			if n++; n == maxEvents {
				w.warn("The calendar has more entries than can be read; those at its end were left out.")
				return
			}
		case inner == 0:
			e.set(name, params, value)
		}
	}
	if e != nil {
		e.write(w)
		w.warn("The calendar is cut off; entries may be missing.")
	}
}

// An event is an entry of a calendar.
type event struct {
	title, start, end, rule, place, organizer, about, status string
	people                                                   []string
}

// propertyOf splits a line into its name, its parameters and its value. A quoted parameter may contain a colon.
func propertyOf(line string) (name, params, value string) {
	head, value, ok := cutUnquoted(line, ':')
	if !ok {
		return "", "", ""
	}
	name, params, _ = strings.Cut(head, ";")
	if strings.EqualFold(param(params, "ENCODING"), "QUOTED-PRINTABLE") { // in vCalendar
		plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
		if e := encodingOf(cmp.Or(param(params, "CHARSET"), "utf-8")); e != nil && err == nil {
			value = strings.ReplaceAll(e.decode(plain), "\n", `\n`)
		}
	}
	return strings.ToUpper(name), params, strings.TrimSpace(value)
}

// cutUnquoted cuts a line at the first separator outside of quotes.
func cutUnquoted(s string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// param returns a parameter, or "".
func param(params, name string) string {
	for params != "" {
		var p string
		p, params, _ = cutUnquoted(params, ';')
		if key, value, ok := strings.Cut(p, "="); ok && strings.EqualFold(key, name) {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

func (e *event) set(name, params, value string) {
	switch name {
	case "SUMMARY":
		e.title = plainValue(value)
	case "DTSTART":
		e.start = momentOf(params, value)
	case "DTEND", "DUE":
		e.end = momentOf(params, value)
	case "RRULE":
		e.rule = value
	case "LOCATION":
		e.place = plainValue(value)
	case "DESCRIPTION":
		e.about = plainValue(value)
	case "STATUS":
		e.status = strings.ToLower(value)
	case "ORGANIZER":
		e.organizer = personOf(params, value)
	case "ATTENDEE":
		if len(e.people) < 500 {
			e.people = append(e.people, personOf(params, value))
		}
	}
}

// plainValue returns a text without the marks that protect some characters.
func plainValue(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(s)
}

// personOf returns the name of a person, or the address without one.
func personOf(params, value string) string {
	if name := param(params, "CN"); name != "" {
		return name
	}
	if len(value) > 7 && strings.EqualFold(value[:7], "mailto:") {
		return value[7:]
	}
	return value
}

// momentOf returns a date or a time in words, with its zone if it has one.
func momentOf(params, value string) string {
	zone := ""
	if name := param(params, "TZID"); name != "" {
		zone = " " + name
	}
	if strings.HasSuffix(value, "Z") {
		zone = " UTC"
	}
	for layout, said := range map[string]string{"20060102": "2 January 2006", "20060102T150405": "2 January 2006, 15:04"} {
		if t, err := time.Parse(layout, strings.TrimSuffix(value, "Z")); err == nil {
			return t.Format(said) + zone
		}
	}
	return value
}

func (e *event) write(w *writer) {
	w.heading(2, cmp.Or(e.title, "Event without a title"))
	when := e.start
	if e.end != "" && e.end != e.start {
		when = strings.TrimPrefix(when+" to "+e.end, " to ")
	}
	var lines []string
	for _, l := range [][2]string{{"When", when}, {"Repeats", e.rule}, {"Where", e.place}, {"Organizer", e.organizer}, {"With", strings.Join(e.people, ", ")}, {"Status", e.status}} {
		if value := tidyLine(l[1]); value != "" {
			lines = append(lines, l[0]+": "+value)
		}
	}
	w.lines(lines)
	w.paragraph(e.about)
}

var (
	orgSetting  = regexp.MustCompile(`(?i)^\s*#\+(\w+):?\s*(.*)$`)
	orgHeadline = regexp.MustCompile(`^(\*+)\s+(.+?)(?:\s+:[\w@#%:]+:)?\s*$`) // without its tags
	orgRule     = regexp.MustCompile(`^\s*\|[-+]+\|\s*$`)
	orgLink     = regexp.MustCompile(`\[\[([^\]]+)\](?:\[([^\]]+)\])?\]`)
	orgCode     = regexp.MustCompile(`(^|[\s(])(?:=([^\s=](?:[^=]*[^\s=])?)=|~([^\s~](?:[^~]*[^\s~])?)~)`)
	orgSlanted  = regexp.MustCompile(`(^|[\s(])/([^\s/](?:[^/]*[^\s/])?)/`)
)

// readOrg reads an outline in Org mode by way of Markdown: headlines, lists, tables, links and blocks. Drawers, comments and
// settings are left out.
func readOrg(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	var b strings.Builder
	var facts domain.Facts
	block, drawer := false, false
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		setting := orgSetting.FindStringSubmatch(line)
		switch mark := strings.ToUpper(strings.TrimSpace(line)); {
		case setting != nil:
			switch name := strings.ToUpper(setting[1]); name {
			case "TITLE":
				w.name(setting[2])
			case "AUTHOR":
				facts.Author = setting[2]
			case "DATE":
				facts.Published = strings.Trim(setting[2], "<>[]")
			case "LANGUAGE":
				facts.Language = setting[2]
			case "BEGIN_SRC", "BEGIN_EXAMPLE", "END_SRC", "END_EXAMPLE":
				block = strings.HasPrefix(name, "BEGIN")
				b.WriteString("```\n")
			}
		case block:
			b.WriteString(line + "\n")
		case drawer, mark == ":PROPERTIES:", mark == ":LOGBOOK:":
			drawer = mark != ":END:"
		case mark == "#", strings.HasPrefix(mark, "# "):
		default:
			b.WriteString(orgToMarkdown(line) + "\n")
		}
	}
	w.know(facts)
	return writeMarkdown(ctx, w, b.String())
}

func orgToMarkdown(line string) string {
	if orgRule.MatchString(line) {
		return strings.ReplaceAll(line, "+", "|")
	}
	if m := orgHeadline.FindStringSubmatch(line); m != nil {
		line = "\n" + strings.Repeat("#", min(len(m[1]), 6)) + " " + m[2] + "\n"
	}
	line = orgLink.ReplaceAllStringFunc(line, func(link string) string {
		m := orgLink.FindStringSubmatch(link)
		return cmp.Or(m[2], m[1])
	})
	return orgSlanted.ReplaceAllString(orgCode.ReplaceAllString(line, "$1`$2$3`"), "$1*$2*")
}

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
		w.warn("This file contains no text with times.")
	}
	return ctx.Err()
}

// A cue is a line of a transcript with its start and end in seconds.
type cue struct {
	from, to int
	lines    []string
	text     string
	speaker  string // "" if not stated
}

var (
	cueTimes = regexp.MustCompile(`^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s*-->\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}`)
	cueVoice = regexp.MustCompile(`^<v(?:\.[^ >]*)? ([^>]{1,80})>`)
	cueMarks = regexp.MustCompile(`</?[a-zA-Z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,80}\}`)
)

// cueOf parses a block: a line of times, and the words.
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
	size := lists.Sum(t.cues, func(c cue) int { return utf8.RuneCountInString(c.text) + 1 })
	done := strings.HasSuffix(last.text, ".") || strings.HasSuffix(last.text, "?") || strings.HasSuffix(last.text, "!")
	return len(t.cues) > 0 && (next.from-last.to >= maxSilence || next.from < last.from || next.speaker != "" && next.speaker != last.speaker ||
		done && size > usualCues || size > maxCues)
}

// flush writes the paragraph, and records the time of each cue.
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

// maxRolling is the maximum number of earlier caption lines that a cue may repeat.
const maxRolling = 6

// rolling removes repetition from rolling captions, in which a cue repeats the last lines of the one before, and adds
// one.
type rolling struct {
	lines []string // shown last
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
			rest[0] = more // a line that grows while it is spoken
		}
	}
	r.to = max(c.to, c.from)
	if len(lines) > 0 {
		r.lines = append(slices.Clone(shown), lines[repeated:]...)
		r.lines = r.lines[max(0, len(r.lines)-maxRolling):]
	}
	return rest
}
