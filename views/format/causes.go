package format

import (
	"regexp"
	"slices"
	"strings"
)

// A Cause is the text of one or several notes about a document.
type Cause struct {
	Text   string
	Places string // where, if there are several
}

// Causes folds notes that say the same of different chunks, or that differ only in a number or in a quoted name, in the
// order of the first of each.
func Causes(notes []string) []Cause {
	type group struct {
		key   string
		notes []string
	}
	var groups []group
	for _, note := range notes {
		key := particular.ReplaceAllString(chunk.ReplaceAllString(note, "Chunk$3: "), "…")
		i := slices.IndexFunc(groups, func(g group) bool { return g.key == key })
		if i < 0 {
			i, groups = len(groups), append(groups, group{key: key})
		}
		groups[i].notes = append(groups[i].notes, note)
	}
	causes := make([]Cause, len(groups))
	for i, g := range groups {
		causes[i] = causeOf(g.notes)
	}
	return causes
}

// chunk is where a note of a chunk begins, and particular what is its own in it.
var (
	chunk      = regexp.MustCompile(`^Chunk (\d+) of (\d+)( was left out)?: `)
	particular = regexp.MustCompile(`"[^"]*"|\d[\d,.]*`)
)

// causeOf sums up notes that have one cause.
func causeOf(notes []string) Cause {
	if len(notes) == 1 {
		return Cause{Text: chunk.ReplaceAllString(notes[0], "Passage $1 of $2$3: ")}
	}
	text := chunk.ReplaceAllString(notes[0], "")
	alike := !slices.ContainsFunc(notes, func(n string) bool { return chunk.ReplaceAllString(n, "") != text })
	var places []string
	for _, n := range notes {
		var place []string
		if at := chunk.FindStringSubmatch(n); at != nil {
			place = append(place, at[1])
		}
		if !alike {
			place = append(place, particular.FindAllString(chunk.ReplaceAllString(n, ""), -1)...)
		}
		places = append(places, strings.Join(place, " "))
	}
	if !alike {
		text = particular.ReplaceAllString(text, "…")
	}
	at := chunk.FindStringSubmatch(notes[0])
	c := Cause{Text: Int(len(notes)) + " notes: " + text, Places: strings.Join(places, ", ") + "."}
	if at != nil {
		c.Places = "Passages " + c.Places
	}
	if at != nil && at[3] != "" {
		c.Text = Int(len(notes)) + " of " + at[2] + " passages were left out: " + text
	}
	if strings.Trim(c.Places, ",. ") == "" {
		c.Places = ""
	}
	return c
}
