// Package picture writes a drawn state graph to a file: as SVG that needs no style sheet, or as PNG.
package picture

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/diagram"
)

// The colours of the pages in light.
const (
	paper  = "#faf7f1"
	ink    = "#1d1b17"
	ink2   = "#48443b"
	ink3   = "#665f53"
	strong = "#877f70"
	thread = "#a62a1c"
	care   = "#7a4f00"
	soft   = "#f6e9c9"
)

// margin is the space around a drawing.
const margin = 16.0

// letters is the size of all lettering.
const letters = 12.0

// look is how a shape is drawn.
type look struct {
	fill, stroke string // "" for none
	width        float64
	dashed       bool
}

// A shape is a path with its look.
type shape struct {
	look
	d string
}

// A text is a word with its font.
type text struct {
	diagram.Word
	colour       string
	size         float64
	bold, italic bool
}

// shapes returns the shapes to draw, the lowest first.
func shapes(d diagram.Drawing) []shape {
	var list []shape
	for _, lit := range []bool{false, true} {
		for _, l := range d.Lines {
			if l.Lit == lit {
				list = append(list, shape{edge(lit), l.D})
			}
		}
	}
	for _, t := range d.Tips {
		fill := strong
		if t.Lit {
			fill = thread
		}
		list = append(list, shape{look{fill: fill}, fmt.Sprintf("M%.1f %.1fl-8-4v8z", t.X, t.Y)})
	}
	for _, s := range d.Stops {
		list = append(list, shape{node(s.State), outline(s)})
		if s.State == diagram.Failed {
			list = append(list, shape{look{stroke: care, width: 1.5}, fmt.Sprintf("M%v %vl6 6m0-6l-6 6", s.X-3, s.Y-3)})
		}
	}
	return list
}

func edge(lit bool) look {
	if lit {
		return look{stroke: thread, width: 1.75}
	}
	return look{stroke: strong, width: 1, dashed: true}
}

func node(state diagram.State) look {
	switch state {
	case diagram.Now:
		return look{fill: thread, stroke: thread, width: 1.25}
	case diagram.Failed:
		return look{fill: soft, stroke: care, width: 1.75}
	case diagram.Seen, diagram.Stopped:
		return look{fill: paper, stroke: thread, width: 1.75}
	}
	return look{fill: paper, stroke: strong, width: 1.25}
}

// outline returns the path around a stop.
func outline(s diagram.Stop) string {
	if s.Diamond() || s.State == diagram.Failed {
		return fmt.Sprintf("M%v %vl9 9l-9 9l-9-9z", s.X, s.Y-9)
	}
	return fmt.Sprintf("M%[1]v %[2]va%[3]v %[3]v 0 0 1 0 %[4]va%[3]v %[3]v 0 0 1 0 %[5]vz", s.X, s.Y-s.R, s.R, 2*s.R, -2*s.R)
}

func texts(d diagram.Drawing) []text {
	list := lists.Map(d.Words, func(w diagram.Word) text { return text{Word: w, colour: ink3, size: letters, italic: true} })
	for _, s := range d.Stops {
		name := text{Word: s.Name, colour: ink, size: letters, bold: s.State == diagram.Now}
		if s.State.Or() == diagram.Waiting {
			name.colour = ink3
		}
		list = append(list, name)
		if s.Figure.Text != "" {
			list = append(list, text{Word: s.Figure, colour: ink2, size: letters})
		}
	}
	return list
}

// SVG writes a drawing as SVG with its title for screen readers.
func SVG(to io.Writer, d diagram.Drawing, title string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%v %v %.0f %.0f" width="%.0f" height="%.0f" role="img" font-family="Helvetica, Arial, sans-serif">`,
		-margin, -margin, d.Width+2*margin, d.Height+2*margin, d.Width+2*margin, d.Height+2*margin)
	fmt.Fprintf(&b, "\n<title>%s</title>\n"+`<rect x="%v" y="%v" width="100%%" height="100%%" fill="%s"/>`+"\n", html.EscapeString(title), -margin, -margin, paper)
	for _, s := range shapes(d) {
		fmt.Fprintf(&b, `<path d="%s" fill="%s" stroke="%s" stroke-width="%v" stroke-linejoin="round"%s/>`+"\n", html.EscapeString(s.d), or(s.fill), or(s.stroke), s.width, dashes(s.dashed))
	}
	for _, t := range texts(d) {
		fmt.Fprintf(&b, `<text x="%v" y="%v" fill="%s" font-size="%v"%s>%s</text>`+"\n", t.X, t.Y, t.colour, t.size, attributes(t), html.EscapeString(t.Text))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(to, b.String())
	return err
}

func or(colour string) string {
	return cmp.Or(colour, "none")
}

func dashes(dashed bool) string {
	if dashed {
		return ` stroke-dasharray="2 3"`
	}
	return ""
}

func attributes(t text) string {
	said := ""
	if t.End {
		said += ` text-anchor="end"`
	}
	if t.bold {
		said += ` font-weight="600"`
	}
	if t.italic {
		said += fmt.Sprintf(` font-style="italic" paint-order="stroke" stroke="%s" stroke-width="4" stroke-linejoin="round"`, paper)
	}
	return said
}
