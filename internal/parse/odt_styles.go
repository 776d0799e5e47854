package parse

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// odtStyles are the styles of an OpenDocument text: how words look, by family and
// name, and how lists are numbered, by name. The list of headings has no name.
type odtStyles struct {
	looks map[string]odtLook
	lists map[string]*[odtLevels]odtLevel

	look string // the key of the style that is read
	list *[odtLevels]odtLevel
}

// odtLevels is how deep lists can be.
const odtLevels = 10

type odtLook struct {
	look   script.Look
	font   string
	parent string // key of the style it builds on
}

// An odtLevel is how a level of a list is numbered; its items are not if it has no
// format.
type odtLevel struct {
	format         string
	prefix, suffix string
	shown          int // levels that a number shows
	start          int
}

func newODTStyles() *odtStyles {
	return &odtStyles{looks: map[string]odtLook{}, lists: map[string]*[odtLevels]odtLevel{}}
}

func (s *odtStyles) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		s.start(t)
	case xml.EndElement:
		switch t.Name.Local {
		case "style":
			s.look = ""
		case "list-style", "outline-style":
			s.list = nil
		}
	}
	return nil
}

func (s *odtStyles) start(t xml.StartElement) {
	switch t.Name.Local {
	case "style":
		if len(s.looks) < maxStyles {
			family := attr(t, "family") + " "
			s.look = family + attr(t, "name")
			look := odtLook{}
			if parent := attr(t, "parent-style-name"); parent != "" {
				look.parent = family + parent
			}
			s.looks[s.look] = look
		}
	case "text-properties":
		if s.look != "" {
			look := s.looks[s.look]
			look.read(t)
			s.looks[s.look] = look
		}
	case "list-style", "outline-style":
		if len(s.lists) < maxStyles {
			name := ""
			if t.Name.Local == "list-style" {
				name = attr(t, "name")
			}
			s.list = &[odtLevels]odtLevel{}
			s.lists[name] = s.list
		}
	case "list-level-style-number", "outline-level-style":
		s.level(t)
	}
}

// level reads a level of a list.
func (s *odtStyles) level(t xml.StartElement) {
	number, err := strconv.Atoi(attr(t, "level"))
	if s.list == nil || err != nil || number < 1 || number > odtLevels {
		return
	}
	l := odtLevel{format: attr(t, "num-format"), prefix: shorten(attr(t, "num-prefix"), maxLevelText), suffix: shorten(attr(t, "num-suffix"), maxLevelText), shown: 1, start: 1}
	if shown, err := strconv.Atoi(attr(t, "display-levels")); err == nil {
		l.shown = shown
	}
	if start, err := strconv.Atoi(attr(t, "start-value")); err == nil {
		l.start = start
	}
	s.list[number-1] = l
}

var textPosition = regexp.MustCompile(`^\s*(super|sub|-?\d+(?:\.\d+)?)`)

// read takes over what an element says about words.
func (l *odtLook) read(t xml.StartElement) {
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "text-line-through-style", "text-line-through-type":
			if a.Value != "none" {
				l.look = script.Struck
			}
		case "text-position":
			l.position(a.Value)
		case "font-name", "font-family":
			if script.IsSymbolFont(a.Value) {
				l.font = a.Value
			}
		}
	}
}

func (l *odtLook) position(val string) {
	m := textPosition.FindStringSubmatch(val)
	if m == nil || l.look == script.Struck {
		return
	}
	height, err := strconv.ParseFloat(m[1], 64)
	switch {
	case m[1] == "super", err == nil && height > 0:
		l.look = script.Raised
	case m[1] == "sub", err == nil && height < 0:
		l.look = script.Lowered
	}
}

// of returns the look of a style of a family.
func (s *odtStyles) of(family, name string) odtLook {
	key, found := family+" "+name, odtLook{}
	for range maxStyleChain {
		look, known := s.looks[key]
		if !known {
			break
		}
		found.look = firstLook(found.look, look.look)
		if found.font == "" {
			found.font = look.font
		}
		key = look.parent
	}
	return found
}

// mark returns the number of an item that is the last of the counts of its levels,
// or "- ".
func (s *odtStyles) mark(list string, counts []int) string {
	levels := s.lists[list]
	depth := min(len(counts), odtLevels)
	if levels == nil || depth == 0 || levels[depth-1].format == "" {
		return "- "
	}
	own := levels[depth-1]
	var numbers []string
	for i := max(0, depth-max(own.shown, 1)); i < depth; i++ {
		if levels[i].format != "" {
			numbers = append(numbers, numberingOf(levels[i].format).text(counts[i]))
		}
	}
	return tidyLine(own.prefix+strings.Join(numbers, ".")+own.suffix) + " "
}

// startOf returns the first number of a level of a list.
func (s *odtStyles) startOf(list string, level int) int {
	if levels := s.lists[list]; levels != nil && level < odtLevels && levels[level].format != "" {
		return levels[level].start
	}
	return 1
}
