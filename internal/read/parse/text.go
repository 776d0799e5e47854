package parse

import (
	"cmp"
	"context"
	"io"
	"mime/quotedprintable"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
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
	s = strings.Trim(tidy(s), "\n")
	if title, rest := titleLine(s); title != "" {
		w.name(title)
		w.heading(1, title)
		s = rest
	}
	for p := range strings.SplitSeq(s, "\n\n") {
		w.lines(unwrap(strings.Split(strings.Trim(p, "\n"), "\n")))
	}
	return nil
}

// titleLine splits off the title: the first paragraph, or its first line if only a subtitle
// follows.
func titleLine(s string) (title, rest string) {
	start, rest, more := strings.Cut(s, "\n\n")
	if !more {
		return "", s
	}
	first, second, _ := strings.Cut(start, "\n")
	initial, _ := utf8.DecodeRuneInString(second)
	switch {
	case !likeTitle(first), strings.Contains(second, "\n"), unicode.IsLower(initial), isListItem(second):
		return "", s
	case second == "":
		return first, rest
	case len(unwrap([]string{first, second})) == 1:
		return "", s
	}
	return first, second + "\n\n" + rest
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

// minWrap is the least width, in characters, of prose that was wrapped automatically.
const minWrap = 50

// unwrap joins the lines of a paragraph that was wrapped to a width: after each line, the next word
// would not have fitted. Poems, lists and addresses keep their lines.
func unwrap(lines []string) []string {
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	if width < minWrap {
		return lines
	}
	for i := 1; i < len(lines); i++ {
		word, _, _ := strings.Cut(lines[i], " ")
		room := width - utf8.RuneCountInString(lines[i-1])
		if isListItem(lines[i]) || strings.Contains(lines[i], " | ") || utf8.RuneCountInString(word) < room {
			return lines
		}
	}
	return []string{strings.Join(lines, " ")}
}

var listMark = regexp.MustCompile(`^([-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)

func isListItem(line string) bool { return listMark.MatchString(line) }

// readCode reads source code as it stands: blank lines separate paragraphs,
// and each knows the number of its first line.
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

// writeCalendar adds the entries of a calendar: of each its title, when and where it is, who
// takes part, and what is said about it.
func writeCalendar(w *writer, s string) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n ", ""), "\n\t", "") // lines that go on
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

// propertyOf splits a line into its name, its parameters and its value. A colon may stand in a
// parameter within quotes.
func propertyOf(line string) (name, params, value string) {
	head, value, ok := cutUnquoted(line, ':')
	if !ok {
		return "", "", ""
	}
	name, params, _ = strings.Cut(head, ";")
	if strings.EqualFold(param(params, "ENCODING"), "QUOTED-PRINTABLE") { // of vCalendar
		plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
		if e := encodingOf(cmp.Or(param(params, "CHARSET"), "utf-8")); e != nil && err == nil {
			value = strings.ReplaceAll(e.decode(plain), "\n", `\n`)
		}
	}
	return strings.ToUpper(name), params, strings.TrimSpace(value)
}

// cutUnquoted cuts a line at the first separator that does not stand within quotes.
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
