package viewstest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// eachPage calls check with every example's elements.
func eachPage(t *testing.T, check func(t *testing.T, elements []*html.Node)) {
	t.Helper()
	for _, e := range Examples() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			root, err := html.Parse(bytes.NewReader(render(t, e.Page)))
			if err != nil {
				t.Fatal(err)
			}
			var elements []*html.Node
			for n := range root.Descendants() {
				if n.Type == html.ElementNode {
					elements = append(elements, n)
				}
			}
			check(t, elements)
		})
	}
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// TestNothingIsInline checks what the content security policy demands: no
// inline code or styles, nothing for htmx to evaluate.
func TestNothingIsInline(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, elements []*html.Node) {
		for _, n := range elements {
			if n.Data == "style" || n.Data == "script" && content(n) != "" {
				t.Errorf("<%s> holds %q", n.Data, content(n))
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") ||
					strings.HasPrefix(strings.TrimSpace(strings.ToLower(a.Val)), "javascript:") || strings.HasPrefix(a.Val, "js:") {
					t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
				}
				if a.Key == "hx-vals" || a.Key == "hx-trigger" && strings.Contains(a.Val, "[") {
					t.Errorf("<%s> has %s=%q, which is evaluated", n.Data, a.Key, a.Val)
				}
			}
		}
	})
}

// TestNothingComesFromElsewhere checks that pages load from the program alone. A
// link to where a document comes from is followed by a person, and says nothing of
// the page it is on.
func TestNothingComesFromElsewhere(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, elements []*html.Node) {
		for _, n := range elements {
			for _, key := range []string{"src", "href", "action", "hx-get", "hx-post", "data-live"} {
				if rel, _ := attr(n, "rel"); n.Data == "a" && rel == "noopener noreferrer nofollow" {
					continue
				}
				if v, ok := attr(n, key); ok && v != "" && !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "#") {
					t.Errorf("<%s> has %s=%q", n.Data, key, v)
				}
			}
		}
	})
}

func TestPagesCanBeReadAloud(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, elements []*html.Node) {
		ids := map[string]bool{}
		mains := 0
		for _, n := range elements {
			if id, ok := attr(n, "id"); ok {
				if ids[id] || id == "" {
					t.Errorf("<%s> has the id %q, which is empty or taken", n.Data, id)
				}
				ids[id] = true
			}
			if n.Data == "main" {
				mains++
			}
			if !hasName(n) {
				t.Errorf("<%s %v> has no name", n.Data, n.Attr)
			}
		}
		if mains != 1 {
			t.Errorf("%d main elements, want one", mains)
		}
	})
}

// hasName reports whether an element has a name if it needs one: controls,
// links, and drawings that are not decoration.
func hasName(n *html.Node) bool {
	if label, ok := attr(n, "aria-label"); ok && label != "" {
		return true
	}
	role, _ := attr(n, "role")
	kind, _ := attr(n, "type")
	switch {
	case n.Data == "svg":
		hidden, _ := attr(n, "aria-hidden")
		return hidden == "true" && role != "img"
	case n.Data == "input" && kind == "hidden":
		return true
	case n.Data == "input" || n.Data == "textarea":
		for p := n.Parent; p != nil; p = p.Parent {
			if p.Data == "label" {
				return content(p) != ""
			}
		}
		return false
	case n.Data == "button", n.Data == "a", n.Data == "summary":
		return content(n) != ""
	case n.Data == "nav", n.Data == "aside":
		return false
	}
	return true
}

// TestFormsWorkWithoutScripts checks that every form has an address and a
// button.
func TestFormsWorkWithoutScripts(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, elements []*html.Node) {
		for _, n := range elements {
			if n.Data != "form" {
				continue
			}
			action, _ := attr(n, "action")
			method, _ := attr(n, "method")
			if method == "dialog" {
				continue // it closes a dialog, which a script opened
			}
			if action == "" || !slices.Contains([]string{"get", "post"}, method) {
				t.Errorf("a form has action %q and method %q", action, method)
			}
			if !submits(n) {
				t.Errorf("the form of %s has nothing to send it with", action)
			}
		}
	})
}

func submits(form *html.Node) bool {
	if _, hidden := attr(form, "hidden"); hidden {
		return true // its button is elsewhere and names it
	}
	for n := range form.Descendants() {
		kind, _ := attr(n, "type")
		if n.Data == "button" && kind != "button" || n.Data == "input" && kind == "search" {
			return true
		}
	}
	return false
}
