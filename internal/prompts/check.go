package prompts

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// allowed are the functions that templates can call.
var allowed = append(slices.Sorted(maps.Keys(functions)), "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len")

// maxLoops bounds loops within loops: the passages of a question, thrice, are long
// enough for any model.
const maxLoops = 3

// parse checks an untrusted text and prepares it. The error is Invalid and explains what to change.
func (p Prompt) parse(text, version string, fences Fences) (*Text, error) {
	if len(text) > maxText {
		return nil, domain.Errorf(domain.TooLarge, "The prompt has %d bytes; the limit is %d.", len(text), maxText)
	}
	if strings.ContainsAny(text, opens+follows+closes) {
		return nil, domain.Errorf(domain.Invalid, "The prompt contains a character that no text uses (U+FDD0 to U+FDD2): remove it.")
	}
	templates, err := template.New(p.Role).Funcs(functions).Parse(text)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The prompt is not a valid template: %s.", strings.TrimPrefix(err.Error(), "template: "))
	}
	t := &Text{Version: version, prompt: p, templates: templates, fences: fences}
	return t, t.check()
}

func (t *Text) check() error {
	names := lists.Map(t.prompt.Parts, func(p Part) string { return p.Name })
	for _, d := range t.templates.Templates() {
		if d.Name() == t.prompt.Role && !parse.IsEmptyTree(d.Root) {
			return domain.Errorf(domain.Invalid, "The prompt has text outside its parts. Put all of it between {{define \"%s\"}} and {{end}}.", names[0])
		}
		if d.Name() != t.prompt.Role && !slices.Contains(names, d.Name()) {
			return domain.Errorf(domain.Invalid, "The prompt %s has no part %q. Its parts are: %s.", t.prompt.Role, d.Name(), strings.Join(names, ", "))
		}
	}
	for _, p := range t.prompt.Parts {
		d := t.templates.Lookup(p.Name)
		if d == nil {
			return domain.Errorf(domain.Invalid, "The prompt lacks the part %s. Add {{define \"%s\"}} … {{end}}.", p.Name, p.Name)
		}
		if err := checkPart(p, d.Tree); err != nil {
			return err
		}
		if err := t.try(p); err != nil {
			return err
		}
	}
	return nil
}

// try fills in a part with samples, with all conditions true and then false, and checks that the required texts appear.
func (t *Text) try(p Part) error {
	for _, yes := range []bool{true, false} {
		s := sample{yes: yes}
		data := s.of(reflect.TypeOf(p.Data), "", "")
		var b bounded
		if err := t.templates.ExecuteTemplate(&b, p.Name, data.Interface()); err != nil {
			return domain.Because(domain.Invalid, err, "The part %s can't be filled in: %v.", p.Name, err)
		}
		for _, n := range s.needed {
			if !strings.Contains(b.String(), n.shows) {
				return domain.Errorf(domain.Invalid, "The part %s lacks %s: %s. It is required.", p.Name, inBraces(n.path), n.about)
			}
		}
	}
	return nil
}

// inBraces shows how a variable is used.
func inBraces(path string) string {
	if list, item, ok := strings.Cut(path[1:], "."); ok {
		return fmt.Sprintf("{{.%s}} within {{range .%s}}", item, list)
	}
	return "{{" + path + "}}"
}

// sample makes data in which every text names its origin.
type sample struct {
	yes    bool
	number int
	needed []need
}

type need struct{ path, about, shows string }

func (s *sample) of(t reflect.Type, path string, tag reflect.StructTag) reflect.Value {
	v := reflect.New(t).Elem()
	shows := ""
	switch t.Kind() {
	case reflect.String:
		shows = "sample of " + path
		v.SetString(shows)
		if t == outsideType {
			v.SetString(string(Fence("sample", shows)))
		}
	case reflect.Int, reflect.Float64:
		s.number++
		shows = strconv.Itoa(71000 + s.number)
		if t.Kind() == reflect.Int {
			v.SetInt(int64(71000 + s.number))
		}
	case reflect.Bool:
		v.SetBool(s.yes)
	case reflect.Slice:
		for range 2 {
			v = reflect.Append(v, s.of(t.Elem(), path, tag))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			v.Field(i).Set(s.of(f.Type, path+"."+f.Name, f.Tag))
		}
	}
	if tag.Get("need") == "yes" && shows != "" {
		s.needed = append(s.needed, need{path, tag.Get("about"), shows})
	}
	return v
}

// checker walks a template and knows the type of every value. So a template
// reaches the fields that were meant for it and nothing else: no method, no other
// template, no function that isn't listed.
type checker struct {
	part  string
	loops int
}

// scope holds the names visible to a piece of a template. A nil type stands for a text or a
// number that a function made.
type scope struct {
	dot  reflect.Type
	vars map[string]reflect.Type
}

func (s scope) at(dot reflect.Type) scope { return scope{dot, maps.Clone(s.vars)} }

func checkPart(p Part, tree *parse.Tree) error {
	root := reflect.TypeOf(p.Data)
	err := (&checker{part: p.Name}).list(tree.Root, scope{root, map[string]reflect.Type{"$": root}})
	if err != nil {
		return domain.Because(domain.Invalid, err, "The part %s %v.", p.Name, err)
	}
	return nil
}

func (c *checker) list(l *parse.ListNode, s scope) error {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		if err := c.node(n, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) node(n parse.Node, s scope) error {
	switch n := n.(type) {
	case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
		return nil
	case *parse.ActionNode:
		_, err := c.pipe(n.Pipe, s)
		return err
	case *parse.IfNode:
		return c.branch(&n.BranchNode, s, func(t reflect.Type) (reflect.Type, error) { return s.dot, nil })
	case *parse.WithNode:
		return c.branch(&n.BranchNode, s, func(t reflect.Type) (reflect.Type, error) { return t, nil })
	case *parse.RangeNode:
		if c.loops++; c.loops > maxLoops {
			return fmt.Errorf("nests more than %d loops", maxLoops)
		}
		defer func() { c.loops-- }()
		return c.branch(&n.BranchNode, s, func(t reflect.Type) (reflect.Type, error) {
			if t == nil || t.Kind() != reflect.Slice {
				return nil, fmt.Errorf("has {{range %s}}, which is not a list", n.Pipe)
			}
			return t.Elem(), nil
		})
	}
	return fmt.Errorf("contains %s, which prompts can't do", n)
}

// branch checks a condition or a loop, within which the dot is what of returns.
func (c *checker) branch(b *parse.BranchNode, s scope, of func(reflect.Type) (reflect.Type, error)) error {
	inner := s.at(s.dot)
	t, err := c.pipe(b.Pipe, inner)
	if err != nil {
		return err
	}
	if inner.dot, err = of(t); err != nil {
		return err
	}
	if b.NodeType == parse.NodeRange {
		for i, v := range b.Pipe.Decl { // {{range $i, $item := …}} or {{range $item := …}}
			inner.vars[v.Ident[0]] = inner.dot
			if i == 0 && len(b.Pipe.Decl) == 2 {
				inner.vars[v.Ident[0]] = nil
			}
		}
	}
	return errors.Join(c.list(b.List, inner.at(inner.dot)), c.list(b.ElseList, s.at(s.dot)))
}

// pipe returns the type of a pipeline and declares its variables.
func (c *checker) pipe(p *parse.PipeNode, s scope) (reflect.Type, error) {
	var t reflect.Type
	for _, cmd := range p.Cmds {
		var err error
		if t, err = c.command(cmd, s); err != nil {
			return nil, err
		}
	}
	for _, v := range p.Decl {
		s.vars[v.Ident[0]] = t
	}
	return t, nil
}

func (c *checker) command(cmd *parse.CommandNode, s scope) (reflect.Type, error) {
	var first reflect.Type
	for i, a := range cmd.Args {
		t, err := c.operand(a, s, i == 0)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = t
		}
	}
	return first, nil
}

func (c *checker) operand(n parse.Node, s scope, first bool) (reflect.Type, error) {
	switch n := n.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
		return nil, nil
	case *parse.DotNode:
		return s.dot, nil
	case *parse.FieldNode:
		return field(s.dot, n.Ident)
	case *parse.VariableNode:
		return field(s.vars[n.Ident[0]], n.Ident[1:])
	case *parse.PipeNode:
		return c.pipe(n, s)
	case *parse.IdentifierNode:
		if first && slices.Contains(allowed, n.Ident) {
			return nil, nil
		}
		return nil, fmt.Errorf("calls %s, but prompts can call only %s", n.Ident, strings.Join(allowed, ", "))
	}
	return nil, fmt.Errorf("contains %s, which prompts can't do", n)
}

// field returns the type of a field of a field of t.
func field(t reflect.Type, names []string) (reflect.Type, error) {
	for _, name := range names {
		if t == nil || t.Kind() != reflect.Struct {
			return nil, fmt.Errorf("uses .%s on a value that is a text, a number or a list", name)
		}
		f, ok := t.FieldByName(name)
		if !ok {
			return nil, fmt.Errorf("uses {{.%s}}, which does not exist there. Available: %s", name, strings.Join(fieldsOf(t), ", "))
		}
		t = f.Type
	}
	return t, nil
}

func fieldsOf(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		names = append(names, "."+f.Name)
	}
	return names
}
