package parse

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// A styleSheet holds the rules of a page's styles that carry meaning: struck out, raised, lowered, or how a list is
// numbered.
type styleSheet struct {
	rules map[string][]*styleRule // by the key of the last compound of their selector
	tags  map[string]bool         // in selectors
	count int
	steps int // of comparisons so far
}

// A styleRule gives declarations to the elements that its selector selects.
type styleRule struct {
	selector []compound // from the element outwards
	weight   int        // of the selector, then of its place in the sheet
	set      htmlStyle
}

// A compound is a part of a selector that one element fulfils.
type compound struct {
	key   string // an id, a class or a name that the element must have; "" for any
	tests []func(*html.Node) bool
	child bool // the next compound outwards is the parent's
}

// An htmlStyle holds the values of declarations, or "" for those missing.
type htmlStyle struct{ line, height, list string }

// The bounds of a page's styles: rules, parts of a selector, bytes of a sheet, and comparisons.
const (
	maxStyleRules = 1000
	maxCompounds  = 8
	maxStyleSheet = 2 << 20
	maxStyleSteps = 20_000_000
)

func newStyleSheet() *styleSheet {
	return &styleSheet{rules: map[string][]*styleRule{}, tags: map[string]bool{}}
}

var (
	styleComment = regexp.MustCompile(`(?s)/\*.*?\*/|<!--|-->`)
	styleMedium  = regexp.MustCompile(`(?i)\b(?:screen|all)\b`)
	onPaper      = regexp.MustCompile(`(?i)\b(?:print|speech)\b`)
)

// read adds the rules of a sheet, those for printing aside.
func (s *styleSheet) read(sheet string) {
	sheet = styleComment.ReplaceAllString(sheet[:min(len(sheet), maxStyleSheet)], " ")
	for depth := 0; sheet != ""; {
		at := strings.IndexAny(sheet, "{};")
		if at < 0 {
			return
		}
		head, sign := strings.TrimSpace(sheet[:at]), sheet[at]
		sheet = sheet[at+1:]
		switch {
		case sign == '}':
			depth = max(0, depth-1)
		case sign == ';': // of @import and the like
		case strings.HasPrefix(head, "@") && holdsRules(head) && depth < maxCompounds:
			depth++
		default:
			var body string
			body, sheet = styleBlock(sheet)
			if !strings.HasPrefix(head, "@") {
				s.add(head, body)
			}
		}
	}
}

// holdsRules reports whether an at-rule contains rules that apply on a screen.
func holdsRules(head string) bool {
	name, condition, _ := strings.Cut(strings.ToLower(head), " ")
	switch name {
	case "@media":
		return !onPaper.MatchString(condition) || styleMedium.MatchString(condition)
	case "@supports", "@layer", "@container", "@scope":
		return true
	}
	return false
}

// styleBlock splits off a block, which may hold others.
func styleBlock(sheet string) (body, rest string) {
	depth := 1
	for i := range len(sheet) {
		switch sheet[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return sheet[:i], sheet[i+1:]
			}
		}
	}
	return sheet, ""
}

// add adds the rules of a list of selectors.
func (s *styleSheet) add(selectors, body string) {
	set := styleOf(body)
	if set == (htmlStyle{}) || len(selectors) > maxAttribute {
		return
	}
	for selector := range strings.SplitSeq(selectors, ",") {
		rule, ok := s.selectorOf(selector)
		if !ok || s.count == maxStyleRules {
			continue
		}
		s.count++
		rule.set = set
		rule.weight = rule.weight*maxStyleRules + s.count
		key := rule.selector[0].key
		s.rules[key] = append(s.rules[key], &rule)
	}
}

var (
	combinators = regexp.MustCompile(`\s*>\s*|\s+`)
	styleParts  = regexp.MustCompile(`^(?:\*|[a-zA-Z][-\w]*|#[-\w]+|\.[-\w]+|\[\s*([-\w]+)\s*(?:=\s*["']?([^"'\]]*)["']?\s*)?\]|:not\(([^()]+)\)|:{1,2}(?:link|root|where\(\)))`)
)

// selectorOf reads a selector of names, ids, classes, attributes and :not, of elements within
// others. It reports false for any other.
func (s *styleSheet) selectorOf(selector string) (rule styleRule, ok bool) {
	selector = strings.TrimSpace(selector)
	for len(rule.selector) < maxCompounds {
		at := combinators.FindAllStringIndex(selector, -1)
		part, child := selector, false
		if n := len(at); n > 0 {
			part, child = selector[at[n-1][1]:], strings.Contains(selector[at[n-1][0]:at[n-1][1]], ">")
			selector = selector[:at[n-1][0]]
		} else {
			selector = ""
		}
		c, weight, ok := s.compoundOf(part)
		if !ok {
			return rule, false
		}
		c.child = child
		rule.selector, rule.weight = append(rule.selector, c), rule.weight+weight
		if selector == "" {
			return rule, true
		}
	}
	return rule, false
}

func (s *styleSheet) compoundOf(part string) (c compound, weight int, ok bool) {
	ok = part != ""
	test := func(worth int, f func(*html.Node) bool) { c.tests, weight = append(c.tests, f), weight+worth }
	for part != "" {
		m := styleParts.FindStringSubmatch(part)
		if m == nil || len(c.tests) > maxCompounds {
			return c, 0, false
		}
		part = part[len(m[0]):]
		name := m[0][1:]
		switch m[0][0] {
		case '*':
		case '#':
			c.key = m[0]
			test(10_000, func(n *html.Node) bool { return attribute(n, "id") == name })
		case '.':
			if !strings.HasPrefix(c.key, "#") {
				c.key = m[0]
			}
			test(100, func(n *html.Node) bool { return slices.Contains(strings.Fields(attribute(n, "class")), name) })
		case '[':
			key := strings.ToLower(m[1])
			test(100, func(n *html.Node) bool {
				return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key && (m[2] == "" || a.Val == m[2]) })
			})
		case ':':
			if m[3] != "" {
				not, worth, ok := s.compoundOf(strings.TrimSpace(m[3]))
				if !ok {
					return c, 0, false
				}
				test(worth, func(n *html.Node) bool { return !not.fits(n) })
			}
		default:
			c.key = strings.ToLower(m[0])
			s.tags[c.key] = true
			test(1, func(n *html.Node) bool { return strings.EqualFold(nameOf(n), m[0]) })
		}
	}
	return c, weight, ok
}

// of returns the style of an element from the sheet and its own attribute.
func (s *styleSheet) of(n *html.Node) htmlStyle {
	var found htmlStyle
	var weights [3]int
	consider := func(rules []*styleRule) {
		for _, rule := range rules {
			if s.steps < maxStyleSteps && s.selects(rule.selector, n) {
				found.take(rule.set, rule.weight, &weights)
			}
		}
	}
	if s.count > 0 {
		consider(s.rules[""])
		consider(s.rules[nameOf(n)])
		for class := range strings.FieldsSeq(attribute(n, "class")) {
			consider(s.rules["."+class])
		}
		if id := attribute(n, "id"); id != "" {
			consider(s.rules["#"+id])
		}
	}
	if own := attribute(n, "style"); own != "" {
		found.take(styleOf(own), 1<<40, &weights)
	}
	return found
}

// take applies declarations that weigh more than earlier ones.
func (h *htmlStyle) take(set htmlStyle, weight int, weights *[3]int) {
	for i, pair := range [...]struct {
		to   *string
		from string
	}{{&h.line, set.line}, {&h.height, set.height}, {&h.list, set.list}} {
		if pair.from != "" && weight >= weights[i] {
			*pair.to, weights[i] = pair.from, weight
		}
	}
}

// selects reports whether a selector selects an element.
func (s *styleSheet) selects(selector []compound, n *html.Node) bool {
	if s.steps++; !selector[0].fits(n) {
		return false
	}
	if len(selector) == 1 {
		return true
	}
	for outer := n.Parent; outer != nil && outer.Type == html.ElementNode && s.steps < maxStyleSteps; outer = outer.Parent {
		if s.selects(selector[1:], outer) {
			return true
		}
		if selector[0].child {
			return false
		}
	}
	return false
}

// fits reports whether an element fulfils a compound.
func (c compound) fits(n *html.Node) bool {
	return !slices.ContainsFunc(c.tests, func(test func(*html.Node) bool) bool { return !test(n) })
}

// wasCalled is the attribute with the name of an element that the filter renamed.
const wasCalled = "data-was-called"

// nameOf returns the name of an element in the page.
func nameOf(n *html.Node) string {
	if n.Data == "span" || n.Data == "del" {
		if name := attribute(n, wasCalled); name != "" {
			return name
		}
	}
	return n.Data
}

var (
	lineStyle   = regexp.MustCompile(`(?i)(?:^|[;{\s])text-decoration(?:-line)?\s*:\s*([^;}]*)`)
	heightStyle = regexp.MustCompile(`(?i)(?:^|[;{\s])(?:vertical-align|font-variant-position)\s*:\s*([a-z-]+)`)
	listStyle   = regexp.MustCompile(`(?i)(?:^|[;{\s])list-style(?:-type)?\s*:\s*([^;}]*)`)
)

// styleOf parses declarations.
func styleOf(declarations string) (h htmlStyle) {
	last := func(find *regexp.Regexp) string {
		all := find.FindAllStringSubmatch(declarations, -1)
		if len(all) == 0 {
			return ""
		}
		return strings.ToLower(strings.TrimSpace(all[len(all)-1][1]))
	}
	h.line, h.height = last(lineStyle), last(heightStyle)
	for word := range strings.FieldsSeq(last(listStyle)) {
		if _, ok := listTypes[word]; ok {
			h.list = word
		}
	}
	return h
}

// look returns the look that a style gives.
func (h htmlStyle) look() script.Look {
	switch {
	case strings.Contains(h.line, "line-through"):
		return script.Struck
	case strings.HasPrefix(h.height, "super"), h.height == "text-top":
		return script.Raised
	case h.height == "sub":
		return script.Lowered
	}
	return script.Plain
}

// listTypes are the types of lists, as attributes of lists state them.
var listTypes = map[string]string{
	"decimal": "1", "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A", "lower-roman": "i", "upper-roman": "I", "none": "none", "disc": "none", "circle": "none", "square": "none",
}

// number sets the list's type from a style.
func (h htmlStyle) number(list *html.Node) {
	if h.list == "" {
		return
	}
	list.Attr = slices.DeleteFunc(slices.Clone(list.Attr), func(a html.Attribute) bool { return a.Key == "type" })
	list.Attr = append(list.Attr, html.Attribute{Key: "type", Val: listTypes[h.list]})
}
