package parse

import (
	"cmp"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"
)

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
