package partial

import (
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/component"
)

// GraphPictureProps are a small picture of a part of the graph.
type GraphPictureProps struct {
	URL           string // the same part in the explorer; may be ""
	Label         string // describes the picture
	Width, Height int
	Dots          []GraphDot
	Lines         [][4]int // x and y of both ends
	Lit           [][4]int // those of Lines on a search's path
}

// GraphDot is an entity in a small picture.
type GraphDot struct {
	ID     domain.EntityID
	Name   string // "" if it does not fit
	Label  string
	X, Y   int
	Centre bool
	Lit    bool // on a search's path
	Tight  bool // its name does not fit on a phone
}

func (p GraphPictureProps) viewBox() string { return fmt.Sprintf("0 0 %d %d", p.Width, p.Height) }

func (d GraphDot) at() string { return fmt.Sprintf("translate(%d %d)", d.X, d.Y) }

func (d GraphDot) class() []string {
	classes := []string{component.ShapeOf(d.Label).Class}
	if d.Centre {
		classes = append(classes, "centre")
	}
	if d.Lit {
		classes = append(classes, "lit")
	}
	if d.Tight {
		classes = append(classes, "tight")
	}
	return classes
}

func lineOf(l [4]int) string {
	return fmt.Sprintf("M%d %dL%d %d", l[0], l[1], l[2], l[3])
}
