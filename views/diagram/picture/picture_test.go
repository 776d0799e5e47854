package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/views/diagram"
)

// looped is a drawing with everything: a loop, a branch, a node that failed and
// one whose name would be markup.
func looped() diagram.Drawing {
	t := diagram.Topology{
		Nodes: []diagram.Node{{Name: "s", Kind: diagram.Start}, {Name: "search", Kind: diagram.Task}, {Name: "decide", Kind: diagram.Branch}, {Name: "again", Kind: diagram.Ordinary}, {Name: "<b>", Kind: diagram.Ordinary}, {Name: "e", Kind: diagram.End}},
		Edges: []diagram.Edge{{From: "s", To: "search"}, {From: "search", To: "decide"}, {From: "decide", To: "again", Label: "none & nothing", Conditional: true}, {From: "again", To: "search"}, {From: "decide", To: "<b>", Conditional: true}, {From: "<b>", To: "e"}},
	}
	return diagram.Draw(t, []diagram.Visit{{Node: "search", State: diagram.Seen, Times: 2, Took: time.Second}, {Node: "again", State: diagram.Now}, {Node: "<b>", State: diagram.Failed}},
		[]diagram.Walk{{From: "s", To: "search", Times: 1}, {From: "decide", To: "again", Label: "none & nothing", Times: 1}})
}

// TestSVGStandsAlone reads the picture as XML: it has every name, its own
// colours, and nothing of a name is markup.
func TestSVGStandsAlone(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := SVG(&b, looped(), "Graph <1>"); err != nil {
		t.Fatal(err)
	}
	var words []string
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			words = append(words, strings.TrimSpace(string(token)))
		case xml.StartElement:
			for _, a := range token.Attr {
				if token.Name.Local == "b" || a.Name.Local == "class" || strings.Contains(a.Value, "var(") {
					t.Errorf("%s has %s=%s", token.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
	for _, want := range []string{"Graph <1>", "search", "<b>", "none & nothing", "2 times"} {
		if !strings.Contains(strings.Join(words, "|"), want) {
			t.Errorf("there is no %q in %q", want, words)
		}
	}
}

// TestPNGShowsWhatIsLit compares the colours at a lit node, at one that is at
// work, and beside everything.
func TestPNGShowsWhatIsLit(t *testing.T) {
	t.Parallel()
	d := looped()
	var b bytes.Buffer
	if err := PNG(&b, d); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil || img.Bounds().Dx() != side(d.Width) {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	at := func(x, y float64) string {
		r, g, b, _ := img.At(int((x+margin)*scale), int((y+margin)*scale)).RGBA()
		best, name := math.Inf(1), ""
		for _, n := range []string{paper, ink, strong, thread, care, soft} {
			c := colour(n)
			if far := math.Abs(float64(r>>8)-float64(c.R)) + math.Abs(float64(g>>8)-float64(c.G)) + math.Abs(float64(b>>8)-float64(c.B)); far < best {
				best, name = far, n
			}
		}
		return name
	}
	for _, s := range d.Stops {
		switch s.Node {
		case "search":
			if got := at(s.X+s.R, s.Y); got != thread {
				t.Errorf("the rim of a visited node is %s", got)
			}
			if got := at(s.X, s.Y); got != paper {
				t.Errorf("its middle is %s", got)
			}
		case "again":
			if got := at(s.X, s.Y); got != thread {
				t.Errorf("a node at work is %s", got)
			}
		case "<b>":
			if got := at(s.X-5, s.Y); got != soft {
				t.Errorf("a failed node is %s", got)
			}
		}
	}
	if got := at(-margin/2, -margin/2); got != paper {
		t.Errorf("the margin is %s", got)
	}
	inked := 0
	for _, s := range d.Stops {
		for x := 0.0; x < 30; x++ {
			if n := at(s.Name.X+x, s.Name.Y-3); n == ink || n == strong {
				inked++
			}
		}
	}
	if inked < 10 {
		t.Errorf("the names have %d dark pixels", inked)
	}
}

// TestFlatten follows each command that drawings use.
func TestFlatten(t *testing.T) {
	t.Parallel()
	for d, want := range map[string]point{
		"M1 2H5V9":                             xy(5, 9),
		"M1.5-2l3 4-1":                         xy(4.5, 2),
		"M10 10a12 12 0 0 1 12-12":             xy(22, -2),
		"M10 10a12 12 0 0 1-12-12":             xy(-2, -2),
		"M0 0C0 5 10 5 10 10":                  xy(10, 10),
		"M3 4l-8-4v8z":                         xy(3, 4),
		"M0 0a7 7 0 0 1 0 14a7 7 0 0 1 0 -14z": xy(0, 0),
	} {
		lines := diagram.Flatten(d)
		line := lines[len(lines)-1]
		if end := line[len(line)-1]; math.Hypot(end.X-want.X, end.Y-want.Y) > 1e-9 {
			t.Errorf("%s ends at %v, want %v", d, end, want)
		}
	}
	long := 0.0
	for _, dash := range dashed([]point{xy(0, 0), xy(50, 0), xy(50, 50)}) {
		for i := 1; i < len(dash); i++ {
			long += math.Hypot(dash[i].X-dash[i-1].X, dash[i].Y-dash[i-1].Y)
		}
	}
	if math.Abs(long-40) > 1e-9 {
		t.Errorf("of 100 units %v are drawn, want 40", long)
	}
}
