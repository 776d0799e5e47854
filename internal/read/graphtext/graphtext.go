// Package graphtext writes a graph as lines of text and reads them back, so that a file of a graph is
// stored, searched, cited and deleted like any other document: each line is the evidence for its
// entity or relation.
//
//	Ada Lovelace (Person) | entity | also called Ada King | born: 1815
//	Ada Lovelace (Person) | WORKED_WITH | Charles Babbage (Person) | since: 1833
//
// In names, a backslash precedes a character that would be taken for a mark.
package graphtext

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// unknown is the label of an entity without one.
const unknown = "Entity"

// The marks of a line.
const (
	parted = " | "
	entity = "entity" // in place of a type
	also   = "also called "
	stated = ": "
)

// maxLine is the maximum length of a line in bytes, so that lines fit into chunks. Longer rows take several lines.
const maxLine = 320

// A Row is an entity, or a relation from it if Type is not "". The aliases and
// properties of a relation's ends stand in rows of their own.
type Row struct {
	Entity
	Type   string
	Target Entity
	Stated []Property // of the relation
}

// An Entity is an entity as a row describes it.
type Entity struct {
	Name       string
	Label      string // "" if it has none
	Aliases    []string
	Properties []Property
	Start, End int // of the name in its line, in code points
}

// A Property is a named value of an entity.
type Property struct{ Key, Value string }

// Lines returns the lines of a row, whose texts hold no line breaks.
func (r Row) Lines() []string {
	if r.Type != "" {
		kind := escaped(r.Type, `\|`)
		if kind == entity {
			kind = strings.ToUpper(kind)
		}
		return filled(r.head()+parted+kind+parted+r.Target.head(), pairs(r.Stated))
	}
	var cells []string
	for _, a := range r.Aliases {
		cells = append(cells, also+escaped(a, `\|`))
	}
	return filled(r.head()+parted+entity, append(cells, pairs(r.Properties)...))
}

// filled returns lines with the same beginning that hold the cells.
func filled(begin string, cells []string) []string {
	lines := []string{begin}
	for _, cell := range cells {
		last := &lines[len(lines)-1]
		if *last != begin && len(*last)+len(cell) > maxLine {
			lines = append(lines, begin)
			last = &lines[len(lines)-1]
		}
		*last += parted + cell
	}
	return lines
}

// pairs returns the cells of properties.
func pairs(list []Property) []string {
	var cells []string
	for _, p := range list {
		key := escaped(p.Key, `\|:`)
		if strings.HasPrefix(key, also) {
			key = `\` + key
		}
		cells = append(cells, key+stated+escaped(p.Value, `\|`))
	}
	return cells
}

// head names an entity: its name with its label.
func (e Entity) head() string {
	label := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`()|\`, r) {
			return -1
		}
		return r
	}, e.Label)
	label = cmp.Or(label, unknown)
	return escaped(e.Name, `\|`) + " (" + label + ")"
}

// Read reads a line, and reports whether it is a row.
func Read(line string) (Row, bool) {
	cells := strings.Split(line, parted)
	if len(cells) < 2 {
		return Row{}, false
	}
	source, ok := readHead(cells[0])
	r := Row{Entity: source}
	if !ok {
		return Row{}, false
	}
	if cells[1] != entity {
		if len(cells) < 3 || cells[1] == "" {
			return Row{}, false
		}
		r.Type = plain(cells[1])
		r.Target, ok = readHead(cells[2])
		before := utf8.RuneCountInString(cells[0] + parted + cells[1] + parted)
		r.Target.Start, r.Target.End = r.Target.Start+before, r.Target.End+before
		for _, cell := range cells[3:] {
			key, value, is := cutKey(cell)
			ok = ok && is
			r.Stated = append(r.Stated, Property{Key: plain(key), Value: plain(value)})
		}
		return r, ok
	}
	for _, cell := range cells[2:] {
		if alias, is := strings.CutPrefix(cell, also); is {
			r.Aliases = append(r.Aliases, plain(alias))
		} else if key, value, is := cutKey(cell); is {
			r.Properties = append(r.Properties, Property{Key: plain(key), Value: plain(value)})
		} else {
			return Row{}, false
		}
	}
	return r, true
}

// cutKey cuts a cell at the first mark without a backslash.
func cutKey(cell string) (key, value string, ok bool) {
	marked := false
	for i, r := range cell {
		if !marked && strings.HasPrefix(cell[i:], stated) {
			return cell[:i], cell[i+len(stated):], true
		}
		marked = !marked && r == '\\'
	}
	return "", "", false
}

func readHead(cell string) (Entity, bool) {
	at := strings.LastIndex(cell, " (")
	if at <= 0 || !strings.HasSuffix(cell, ")") {
		return Entity{}, false
	}
	label := cell[at+2 : len(cell)-1]
	return Entity{Name: plain(cell[:at]), Label: label, End: utf8.RuneCountInString(cell[:at])}, label != ""
}

// escaped returns text with a backslash before the given marks.
func escaped(text, marks string) string {
	if !strings.ContainsAny(text, marks) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(marks, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plain removes the backslashes.
func plain(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	marked := false
	for _, r := range text {
		if marked = !marked && r == '\\'; !marked {
			b.WriteRune(r)
		}
	}
	return b.String()
}
