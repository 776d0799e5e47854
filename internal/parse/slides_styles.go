package parse

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// A slideLevel is how the paragraphs of a level look. What it does not say is empty.
type slideLevel struct {
	bullet           string // "none", "char", or how the paragraphs are numbered
	start            int
	strike, baseline string
}

// or returns the level with what it does not say taken from another.
func (l slideLevel) or(outer slideLevel) slideLevel {
	if l.bullet == "" {
		l.bullet, l.start = outer.bullet, outer.start
	}
	if l.strike == "" {
		l.strike = outer.strike
	}
	if l.baseline == "" {
		l.baseline = outer.baseline
	}
	return l
}

// run takes over what the properties of a run say.
func (l *slideLevel) run(t xml.StartElement) {
	*l = slideLevel{strike: attr(t, "strike"), baseline: attr(t, "baseline")}.or(*l)
}

func (l slideLevel) look() script.Look {
	height, _ := strconv.Atoi(strings.TrimSuffix(l.baseline, "%"))
	switch {
	case l.strike != "" && l.strike != "noStrike":
		return script.Struck
	case height > 0:
		return script.Raised
	case height < 0:
		return script.Lowered
	}
	return script.Plain
}

// bullets takes over an element about the mark of a paragraph.
func (l *slideLevel) bullets(t xml.StartElement) {
	switch t.Name.Local {
	case "buNone":
		l.bullet = "none"
	case "buChar", "buBlip":
		l.bullet = "char"
	case "buAutoNum":
		l.bullet = attr(t, "type")
		l.start, _ = strconv.Atoi(attr(t, "startAt"))
	}
}

// slideLevels are the levels of a list style.
type slideLevels [docxLevels]slideLevel

// A slideStyles reads the list styles of a layout or a master: those of its placeholders, and
// of its texts in general.
type slideStyles struct {
	levels map[string]*slideLevels // by "idx 1", "type body", or "titleStyle"
	keys   []string                // of what is read
	level  int                     // that is read; -1 for none
}

func (s *slideStyles) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch name := t.Name.Local; name {
		case "sp":
			s.keys = nil
		case "ph":
			s.keys = placeholderKeys(t)
		case "titleStyle", "bodyStyle", "otherStyle":
			s.keys = []string{name}
		default:
			s.within(t)
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "sp", "titleStyle", "bodyStyle", "otherStyle":
			s.keys = nil
		default:
			if levelOfList(t.Name.Local) >= 0 {
				s.level = -1
			}
		}
	}
	return nil
}

// within handles an element of a list style.
func (s *slideStyles) within(t xml.StartElement) {
	if l := levelOfList(t.Name.Local); l >= 0 {
		s.level = l
	}
	if s.level < 0 {
		return
	}
	for _, key := range s.keys {
		if s.levels[key] == nil && len(s.levels) < maxStyles {
			s.levels[key] = new(slideLevels)
		}
		if of := s.levels[key]; of != nil {
			if t.Name.Local == "defRPr" {
				of[s.level].run(t)
			}
			of[s.level].bullets(t)
		}
	}
}

// levelOfList returns the level of a list style that an element is, or -1.
func levelOfList(name string) int {
	if len(name) == len("lvl1pPr") && strings.HasPrefix(name, "lvl") && strings.HasSuffix(name, "pPr") && name[3] >= '1' && name[3] <= '9' {
		return int(name[3] - '1')
	}
	return -1
}

// placeholderKeys returns the names under which the style of a placeholder is looked up.
func placeholderKeys(ph xml.StartElement) []string {
	kind := attr(ph, "type")
	switch kind {
	case "":
		kind = "body"
	case "ctrTitle":
		kind = "title"
	case "subTitle":
		kind = "body"
	}
	keys := []string{"type " + kind}
	if index := attr(ph, "idx"); index != "" {
		keys = append([]string{"idx " + index}, keys...)
	}
	return keys
}

// A slideMasters reads the styles of layouts and masters, each once.
type slideMasters struct {
	files *zipPackage
	read  map[string]*slideStyles // by part
}

// of returns the styles of a slide, its layout first.
func (m *slideMasters) of(ctx context.Context, slide string) (styles []*slideStyles, err error) {
	part := slide
	for _, kind := range []string{"slideLayout", "slideMaster"} {
		related, err := m.files.related(ctx, part)
		if err != nil {
			return nil, err
		}
		part = ""
		for _, r := range related {
			if r.kind == kind && m.files.has(r.part) {
				part = r.part
			}
		}
		if part == "" {
			break
		}
		if m.read[part] == nil {
			s := &slideStyles{levels: map[string]*slideLevels{}, level: -1}
			if err := m.files.each(ctx, part, s.token); err != nil {
				return nil, err
			}
			m.read[part] = s
		}
		styles = append(styles, m.read[part])
	}
	return styles, nil
}

// inherited returns the levels that a placeholder takes over from layout and master.
func inherited(styles []*slideStyles, keys []string) slideLevels {
	var levels slideLevels
	take := func(of *slideLevels) {
		for i := range of {
			levels[i] = levels[i].or(of[i])
		}
	}
	for i, s := range styles {
		key := keys[len(keys)-1]
		if i == 0 { // that of the layout, in which several may be of a kind
			key = keys[0]
		}
		if of := s.levels[key]; of != nil {
			take(of)
		}
	}
	if n := len(styles); n > 0 {
		general := map[string]string{"type title": "titleStyle", "type body": "bodyStyle"}[keys[len(keys)-1]]
		if of := styles[n-1].levels[general]; of != nil {
			take(of)
		}
	}
	return levels
}
