package viewstest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares the parts that streams and htmx exchange, on whose form
// the page's scripts rely, with golden files. White space between elements is
// ignored.
func TestGolden(t *testing.T) {
	t.Parallel()
	trace := AnswerTrace(false)
	parts := map[string]templ.Component{
		"graph":        partial.GraphEvent(trace),
		"totals":       partial.Totals(trace),
		"step-rewrite": partial.Step(trace.Steps[3]),
		"step-grades":  partial.Step(trace.Steps[2]),
		"step-methods": partial.Step(trace.Steps[1]),
		"turn-writing": partial.Turn(SecondTurn(true)),
		"answer":       partial.Answer(FirstTurn()),
		"answer-stopped": partial.Answer(partial.TurnProps{Conversation: "k1", Message: "m3", Run: "r3", Question: "Why?",
			Status: partial.TurnStopped, Text: "Because <b>it"}),
		"answer-nothing": partial.Answer(partial.TurnProps{Conversation: "k1", Message: "m4", Run: "r4", Question: "Who?", Status: partial.TurnDone,
			Sentences: []domain.Sentence{{Text: "The library holds nothing on this."}}}),
		"answer-failed":       partial.Answer(partial.TurnProps{Conversation: "k1", Message: "m5", Run: "r5", Question: "Who?", Status: partial.TurnFailed, Problem: "The model does not answer."}),
		"answer-chart":        partial.Answer(ChartTurn(partial.TurnDone)),
		"answer-chart-failed": partial.Answer(FailedChartTurn()),
		"turn-chart-writing":  partial.Turn(ChartTurn(partial.TurnAnswering)),
		"figure-pending":      partial.Figure(figure(Pending())),
		"figure-count":        partial.Figure(figure(Counted())),
		"figure-scatter":      partial.Figure(figure(Scattered())),
		"row-working":         partial.DocumentRow(documents().Rows[0]),
		"row-retry":           partial.DocumentRow(documents().Rows[2]),
		"counts":              partial.Counts(documents().Counts),
		"source":              partial.Source(*withSource().Source),
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, filepath.Join("testdata", name+".golden"), tidy(t, render(t, part)))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test ./views/viewstest -update rewrites it):\n%s", path, diff)
	}
}

// hashed matches the part of a built file's address that changes with its
// content.
var hashed = regexp.MustCompile(`(/static/[a-z]+)\.[0-9a-f]{12}`)

// tidy prints HTML with one element or text a line, indented, attributes in
// their order.
func tidy(t *testing.T, source []byte) string {
	t.Helper()
	source = hashed.ReplaceAll(source, []byte("$1"))
	nodes, err := html.ParseFragment(bytes.NewReader(source), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range nodes {
		print(&b, n, 0)
	}
	return b.String()
}

func print(b *strings.Builder, n *html.Node, depth int) {
	indent := strings.Repeat("  ", depth)
	if n.Type == html.TextNode {
		if text := domain.OneLine(n.Data); text != "" {
			b.WriteString(indent + text + "\n")
		}
		return
	}
	b.WriteString(indent + "<" + n.Data)
	for _, a := range n.Attr {
		b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	b.WriteString(">\n")
	for c := range n.ChildNodes() {
		print(b, c, depth+1)
	}
}

func TestTheSourceMarksExactlyTheCitedCharacters(t *testing.T) {
	t.Parallel()
	root, err := html.Parse(bytes.NewReader(render(t, partial.Source(*withSource().Source))))
	if err != nil {
		t.Fatal(err)
	}
	var marked string
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "mark" {
			marked += rawContent(n)
		}
	}
	if marked != Cited {
		t.Errorf("marked %q, want %q", marked, Cited)
	}
}

func rawContent(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
