package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/mine/extract"
)

// Write writes a schema as YAML, which Read reads back.
func Write(g extract.Guide) ([]byte, error) {
	fields, err := json.Marshal(g)
	if err != nil {
		return nil, fmt.Errorf("write a schema as YAML: %w", err)
	}
	n, err := nodeOf(json.NewDecoder(bytes.NewReader(fields)), "")
	if err != nil {
		return nil, fmt.Errorf("write a schema as YAML: %w", err)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(n), e.Close()); err != nil {
		return nil, fmt.Errorf("write a schema as YAML: %w", err)
	}
	return b.Bytes(), nil
}

// nodeOf reads a JSON value as a node of YAML, whose keys are the same. What
// people read as one line is on one line: triples, facts and synonyms.
func nodeOf(d *json.Decoder, key string) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		if v == '{' {
			n.Kind = yaml.MappingNode
		}
		if key == "synonyms" || key == "choices" {
			n.Style = yaml.FlowStyle
		}
		return n, fill(d, n, key)
	case string:
		return textNode(v), nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(token)}, nil
}

// fill reads the content of a list or an object, up to its end.
func fill(d *json.Decoder, n *yaml.Node, key string) error {
	for d.More() {
		if n.Kind == yaml.MappingNode {
			name, err := d.Token()
			if err != nil {
				return err
			}
			key = fmt.Sprint(name)
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key})
		}
		child, err := nodeOf(d, key)
		if err != nil {
			return err
		}
		if n.Kind == yaml.SequenceNode && (key == "triples" || key == "facts") {
			child.Style = yaml.FlowStyle
		}
		n.Content = append(n.Content, child)
	}
	_, err := d.Token()
	return err
}

// textNode writes a text of several lines as such, if YAML gives it back
// unchanged.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	odd := strings.TrimSpace(text) != text || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	switch {
	case odd || strings.Contains(text, "\n "):
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(text, "\n"):
		n.Style = yaml.LiteralStyle
	}
	return n
}

// MaxYAML is the largest file in bytes that Read takes.
const MaxYAML = 1 << 20

// maxMarks is the maximum number of marks of a file in YAML that make a node, or a level of nesting: more than the
// largest schema has.
const maxMarks = 100_000

// marks counts what makes nodes in YAML. Marks in texts count too, which are short.
func marks(data []byte) (n int) {
	return lists.CountFunc(data, func(b byte) bool { return strings.IndexByte(",:-[{*&?\n", b) >= 0 })
}

// Read reads a schema from YAML and checks it. The error is Invalid; it names the
// line and the key of what can't be read.
func Read(data []byte) (extract.Guide, error) {
	if len(data) > MaxYAML {
		return extract.Guide{}, domain.Errorf(domain.TooLarge, "The file is larger than %d KiB, too large for a schema.", MaxYAML>>10)
	}
	if n := marks(data); n > maxMarks {
		return extract.Guide{}, domain.Errorf(domain.TooLarge, "The file has more than %d lines, keys and items, too many for a schema.", maxMarks)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var g extract.Guide
	if err := d.Decode(&g); err != nil && !errors.Is(err, io.EOF) {
		return extract.Guide{}, unreadable(err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return extract.Guide{}, domain.Errorf(domain.Invalid, "The file holds more than one document. Keep one of them.")
	}
	if at, err := Check(g); err != nil {
		if line := lineOf(data, at); line > 0 {
			return g, domain.Because(domain.KindOf(err), err, "Line %d: %s", line, domain.InWords(err))
		}
		return g, err
	}
	return g, nil
}

var (
	unknownKey = regexp.MustCompile(`^line (\d+): field (.+) not found in type `)
	twice      = regexp.MustCompile(`^line (\d+): (?:field|mapping key) "?(.+?)"? already (?:set in type .*|defined at line \d+)$`)
	wrongKind  = regexp.MustCompile("^line (\\d+): cannot unmarshal !!(\\w+)(?: `(.*)`)? into ")
	syntax     = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)
)

// unreadable turns an error of the YAML library into a sentence that names the place to look at.
func unreadable(err error) error {
	var lines []string
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		m := syntax.FindStringSubmatch(err.Error())
		if m == nil || m[1] == "" {
			return domain.Because(domain.Invalid, err, "This is not valid YAML: %v.", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		return domain.Because(domain.Invalid, err, "Line %s: this is not valid YAML: %s.", m[1], m[2])
	}
	lines = lists.Map(wrong.Errors, complaint)
	return domain.Because(domain.Invalid, err, "%s", strings.Join(lines, " "))
}

func complaint(e string) string {
	if m := unknownKey.FindStringSubmatch(e); m != nil {
		return fmt.Sprintf("Line %s: the key %s is unknown here.", m[1], m[2])
	}
	if m := twice.FindStringSubmatch(e); m != nil {
		return fmt.Sprintf("Line %s: the key %s is listed twice.", m[1], m[2])
	}
	if m := wrongKind.FindStringSubmatch(e); m != nil {
		return fmt.Sprintf("Line %s: %s is not allowed here.", m[1], kindOf(m[2], m[3]))
	}
	return strings.ToUpper(e[:1]) + e[1:] + "."
}

// kindOf names a YAML value.
func kindOf(tag, value string) string {
	switch tag {
	case "seq":
		return "a list"
	case "map":
		return "a group of keys"
	}
	return fmt.Sprintf("the value %q", value)
}
