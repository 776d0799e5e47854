package parse

import (
	"cmp"
	"context"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/domain"
)

// Limits on the properties that a file states.
const (
	MaxProperties    = 100
	MaxPropertyName  = 100 // code points
	MaxPropertyValue = domain.MaxFieldValue
	MaxPropertyItems = domain.MaxFieldItems // values of one property
)

// states records a property that the file states of itself. What it states first under a name counts.
func (w *writer) states(name string, values ...string) {
	name = strings.ToLower(shorten(tidyLine(name), MaxPropertyName))
	if _, known := w.properties[name]; known || name == "" || len(w.properties) >= MaxProperties {
		return
	}
	var items []string
	for _, v := range values {
		if v = shorten(tidyLine(v), MaxPropertyValue); v != "" && len(items) < MaxPropertyItems {
			items = append(items, v)
		}
	}
	if len(items) == 0 {
		return
	}
	if w.properties == nil {
		w.properties = map[string][]string{}
	}
	w.properties[name] = items
}

// officeNames are properties that formats call by other names than people do.
var officeNames = map[string]string{
	"creator": "author", "initial-creator": "author", "contentstatus": "status", "lastmodifiedby": "last modified by", "creation-date": "created", "keyword": "keywords",
}

// statesElements records the elements in one with a document's properties, such as core.xml, each under its name.
// Repeated elements make a list.
func statesElements(w *writer, e *element) {
	if meta := e.find("metadata"); meta.name != "" {
		e = meta
	}
	all := map[string][]string{}
	var order []string
	e.walk(func(e *element) bool {
		if len(e.elements()) > 0 || e.name == "" {
			return true
		}
		name := strings.ToLower(e.name)
		if e.name == "meta" || e.name == "user-defined" { // of an e-book, or of OpenDocument
			name = e.attr("name") + e.attr("property")
		}
		if short := officeNames[name]; short != "" {
			name = short
		}
		if _, known := all[name]; !known {
			order = append(order, name)
		}
		words := cmp.Or(e.words(), e.attr("content"))
		all[name] = append(all[name], words)
		return false
	})
	for _, name := range order {
		w.states(name, all[name]...)
	}
}

// statesOffice records the properties of an Office file, and those that a person has added to it.
func statesOffice(ctx context.Context, w *writer, files *zipPackage) error {
	core, err := files.tree(ctx, "docprops/core.xml")
	if err != nil {
		return err
	}
	statesElements(w, core)
	custom, err := files.tree(ctx, "docprops/custom.xml")
	for _, p := range custom.elements() {
		w.states(p.attr("name"), p.words())
	}
	return err
}

// statesPage records the meta elements of a page that have names.
func statesPage(w *writer, doc *html.Node) {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Meta && n.Type == html.ElementNode && attribute(n, "name") != "viewport" {
			w.states(attribute(n, "name")+attribute(n, "property"), attribute(n, "content"))
		}
	}
}

var tomlSetting = regexp.MustCompile(`(?m)^([\w-]+)\s*=\s*(.+?)\s*$`)

// statesFront records the settings of front matter: scalars and lists of them at its top.
func statesFront(w *writer, matter string) {
	var root yaml.Node
	if yaml.Unmarshal([]byte(matter), &root) != nil || len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		for _, m := range tomlSetting.FindAllStringSubmatch(matter, MaxProperties) {
			items := strings.FieldsFunc(strings.Trim(m[2], "[]"), func(r rune) bool { return r == ',' })
			if !strings.HasPrefix(m[2], "[") {
				items = []string{m[2]}
			}
			for i := range items {
				items[i] = strings.Trim(items[i], ` "'`)
			}
			w.states(m[1], items...)
		}
		return
	}
	for at := 0; at+1 < len(root.Content[0].Content); at += 2 {
		key, value := root.Content[0].Content[at], root.Content[0].Content[at+1]
		nodes := value.Content
		if value.Kind == yaml.ScalarNode {
			nodes = []*yaml.Node{value}
		} else if value.Kind != yaml.SequenceNode {
			continue
		}
		var items []string
		for _, n := range nodes {
			if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
				items = append(items, n.Value)
			}
		}
		w.states(key.Value, items...)
	}
}
