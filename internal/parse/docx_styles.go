package parse

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// A docxStyle holds what a paragraph style says about structure.
type docxStyle struct {
	name    string // lower case; English in Word's own styles, whatever their id
	based   string // id of the style it builds on
	outline int    // level, 1 the outermost; 0 when it names none
	numbers string // id of the list of its paragraphs; "0" for none, "" when it names none
	depth   int    // of that list
	look    script.Look
	looks   bool // it says how its runs look
}

// docxStyles are the paragraph styles by id.
type docxStyles map[string]docxStyle

// maxStyles bounds the styles of a document; Word allows fewer.
const maxStyles = 10_000

// readStyles reads the styles part, if there is one.
func readStyles(files *zipPackage, part string) (docxStyles, error) {
	styles := make(docxStyles)
	id, style := "", docxStyle{}
	err := files.each(context.Background(), part, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "style":
				id, style = attr(t, "styleId"), docxStyle{}
			case "name":
				style.name = strings.ToLower(attr(t, "val"))
			case "basedOn":
				style.based = attr(t, "val")
			case "outlineLvl":
				style.outline = outlineLevel(attr(t, "val"))
			case "numId":
				style.numbers = attr(t, "val")
			case "ilvl":
				style.depth = levelOf(attr(t, "val"))
			default:
				if look, ok := docxLook(t); ok && !style.looks {
					style.look, style.looks = look, true
				}
			}
		case xml.EndElement:
			if t.Name.Local == "style" && id != "" && len(styles) < maxStyles {
				styles[id] = style
				id = ""
			}
		}
		return nil
	})
	return styles, err
}

// outlineLevel returns the heading level of an outline level as stored: from 0 to 8, or 9 for body
// text.
func outlineLevel(val string) int {
	n, err := strconv.Atoi(val)
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return n + 1
}

// maxStyleChain bounds chains of styles, which damaged files tie into a ring.
const maxStyleChain = 20

// level returns the heading level of a style, or 0.
func (s docxStyles) level(id string) int {
	for range maxStyleChain {
		style, known := s[id]
		switch {
		case !known && id != "":
			return namedLevel(strings.ToLower(id))
		case !known:
			return 0
		case style.outline > 0:
			return style.outline
		}
		if level := namedLevel(style.name); level > 0 {
			return level
		}
		id = style.based
	}
	return 0
}

// namedLevel returns the heading level that a style's lower-case name implies, or 0.
func namedLevel(name string) int {
	if name == "title" {
		return 1
	}
	number, ok := strings.CutPrefix(name, "heading")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if !ok || err != nil || n < 1 || n > 9 {
		return 0
	}
	return n
}

// list returns the id of the list that the paragraphs of a style are items of, or "".
func (s docxStyles) list(id string) string { return s[s.styleOfList(id)].numbers }

// styleOfList returns the style that names the list of a style's paragraphs.
func (s docxStyles) styleOfList(id string) string {
	for range maxStyleChain {
		style, known := s[id]
		if !known || style.numbers != "" {
			return id
		}
		id = style.based
	}
	return ""
}

// look returns the look of the runs of a style.
func (s docxStyles) look(id string) script.Look {
	for range maxStyleChain {
		style, known := s[id]
		if !known || style.looks {
			return style.look
		}
		id = style.based
	}
	return script.Plain
}

// isContents reports whether a style belongs to a table of contents.
func (s docxStyles) isContents(id string) bool {
	name := s[id].name
	if name == "" {
		name = strings.ToLower(id)
	}
	number, ok := strings.CutPrefix(name, "toc")
	_, err := strconv.Atoi(strings.TrimSpace(number))
	return ok && (err == nil || number == " heading")
}
