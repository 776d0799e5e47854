package parse

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/read/parse/script"
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
				style.outline = outlineLevel(t)
			case "numId":
				style.numbers = attr(t, "val")
			case "ilvl":
				style.depth = levelOf(t, "val")
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
func outlineLevel(t xml.StartElement) int {
	if n := intAttr(t, "val", 9); n >= 0 && n <= 8 {
		return n + 1
	}
	return 0
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

// docxLevels is how deep lists of Word can be.
const docxLevels = 9

// A docxLevel is how a level of a list is numbered.
type docxLevel struct {
	format  numbering
	text    string // such as "%1.%2)"
	start   int
	legal   bool   // the numbers of all levels are decimal
	keeps   bool   // it goes on after an outer level
	style   string // paragraphs of this style are of the level
	defined bool
}

// A docxList is a definition of a list.
type docxList struct {
	levels [docxLevels]docxLevel
	link   string // the style whose list is meant
}

// A docxNum is a list, which may begin anew what its definition counts.
type docxNum struct {
	list   string
	starts map[int]int // by level
	levels map[int]docxLevel
	used   bool
}

// docxNumbers counts the items of the lists of a document. Lists of the same
// definition go on counting, unless they say where they begin.
type docxNumbers struct {
	lists  map[string]*docxList
	nums   map[string]*docxNum
	counts map[string]*[docxLevels]int // by definition; 0 before the first item

	list  *docxList // being read
	num   *docxNum
	level int
}

// maxLists bounds the lists of a document, and what its numbers look like.
const (
	maxLists     = 20_000
	maxLevelText = 200
)

// readNumbers reads the part with the lists, if there is one.
func readNumbers(ctx context.Context, files *zipPackage, part string) (*docxNumbers, error) {
	n := &docxNumbers{lists: map[string]*docxList{}, nums: map[string]*docxNum{}, counts: map[string]*[docxLevels]int{}}
	err := files.each(ctx, part, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			n.start(t)
		case xml.EndElement:
			n.end(t.Name.Local)
		}
		return nil
	})
	return n, err
}

func (n *docxNumbers) start(t xml.StartElement) {
	switch t.Name.Local {
	case "abstractNum":
		if len(n.lists) < maxLists {
			n.list = &docxList{}
			n.lists[attr(t, "abstractNumId")] = n.list
		}
	case "num":
		if len(n.nums) < maxLists {
			n.num = &docxNum{starts: map[int]int{}, levels: map[int]docxLevel{}}
			n.nums[attr(t, "numId")] = n.num
		}
	case "abstractNumId":
		if n.num != nil {
			n.num.list = attr(t, "val")
		}
	case "numStyleLink":
		if n.list != nil {
			n.list.link = attr(t, "val")
		}
	case "lvlOverride", "lvl":
		n.level = levelOf(t, "ilvl")
		n.change(func(l *docxLevel) { l.defined, l.start = t.Name.Local == "lvl", 1 })
	case "startOverride":
		if start, err := strconv.Atoi(attr(t, "val")); err == nil && n.num != nil {
			n.num.starts[n.level] = start
		}
	default:
		n.describe(t)
	}
}

// describe handles an element within a level.
func (n *docxNumbers) describe(t xml.StartElement) {
	val := attr(t, "val")
	switch t.Name.Local {
	case "start":
		n.change(func(l *docxLevel) { l.start = intAttr(t, "val", l.start) })
	case "numFmt":
		n.change(func(l *docxLevel) { l.format = numberingOf(val) })
	case "lvlText":
		n.change(func(l *docxLevel) { l.text = shorten(val, maxLevelText) })
	case "isLgl":
		n.change(func(l *docxLevel) { l.legal = isOn(t) })
	case "lvlRestart":
		n.change(func(l *docxLevel) { l.keeps = val == "0" })
	case "pStyle":
		n.change(func(l *docxLevel) { l.style = val })
	}
}

// change changes the level that is read.
func (n *docxNumbers) change(f func(*docxLevel)) {
	switch {
	case n.list != nil:
		f(&n.list.levels[n.level])
	case n.num != nil:
		l := n.num.levels[n.level]
		f(&l)
		n.num.levels[n.level] = l
	}
}

func (n *docxNumbers) end(name string) {
	switch name {
	case "abstractNum":
		n.list = nil
	case "num":
		n.num = nil
	}
}

// levelOf returns the level of a list that an attribute names.
func levelOf(t xml.StartElement, name string) int {
	return min(max(intAttr(t, name, 0), 0), docxLevels-1)
}

// isOn reports whether an element that is on or off is on.
func isOn(t xml.StartElement) bool {
	switch attr(t, "val") {
	case "0", "false", "off":
		return false
	}
	return true
}

// next counts an item of a list and returns its number with a space: "3. ", "a) ".
// It returns "- " for a bullet and for a list that is not defined.
func (n *docxNumbers) next(num string, level int, styles docxStyles) string {
	of := n.nums[num]
	if of == nil {
		return "- "
	}
	list := n.listOf(of, styles)
	if list == nil {
		return "- "
	}
	count := n.counts[of.list]
	if count == nil {
		count = new([docxLevels]int)
		n.counts[of.list] = count
	}
	levels := list.levels
	for l, own := range of.levels {
		if own.defined {
			levels[l] = own
		}
	}
	if !of.used {
		of.used = true
		for l, start := range of.starts {
			levels[l].start = start
			count[l] = 0
		}
	}
	for l, start := range of.starts {
		levels[l].start = start
	}
	n.count(count, levels, level)
	return markOf(count, levels, level)
}

// count counts an item. A count is one more than its number, as lists may begin
// with 0.
func (n *docxNumbers) count(count *[docxLevels]int, levels [docxLevels]docxLevel, level int) {
	for l := range level {
		if count[l] == 0 {
			count[l] = levels[l].start + 1
		}
	}
	if count[level] == 0 {
		count[level] = levels[level].start
	}
	count[level]++
	for l := level + 1; l < docxLevels; l++ {
		if !levels[l].keeps {
			count[l] = 0
		}
	}
}

func markOf(count *[docxLevels]int, levels [docxLevels]docxLevel, level int) string {
	own := levels[level]
	if own.format == bullet {
		return "- "
	}
	var parts []string
	for l := range docxLevels {
		format := levels[l].format
		if own.legal {
			format = decimal
		}
		parts = append(parts, "%"+strconv.Itoa(l+1), format.text(count[l]-1))
	}
	mark := tidyLine(strings.NewReplacer(parts...).Replace(own.text))
	if mark == "" {
		return "- "
	}
	return mark + " "
}

// listOf returns the definition of a list, which may be that of a style.
func (n *docxNumbers) listOf(of *docxNum, styles docxStyles) *docxList {
	list := n.lists[of.list]
	for range maxStyleChain {
		if list == nil || list.link == "" {
			break
		}
		linked := n.nums[styles[list.link].numbers]
		if linked == nil {
			break
		}
		list = n.lists[linked.list]
	}
	return list
}

// levelOfStyle returns the level of a list that a style's paragraphs have.
func (n *docxNumbers) levelOfStyle(num, style string, styles docxStyles) int {
	if of := n.nums[num]; of != nil {
		if list := n.listOf(of, styles); list != nil {
			for l, level := range list.levels {
				if level.style == style && style != "" {
					return l
				}
			}
		}
	}
	return styles[style].depth
}
