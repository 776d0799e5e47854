package partial

import (
	"fmt"

	"github.com/clewhq/clew/views/diagram"
)

// WalkProps show how a search went from the question to passages.
type WalkProps struct {
	Paths []WalkPath // in the order of their passages
}

// WalkPath is the way to one passage.
type WalkPath struct {
	diagram.WalkPath
	How []string // how each node was reached, as a person says it
}

func (p WalkProps) drawing() diagram.DrawnWalk {
	paths := make([]diagram.WalkPath, len(p.Paths))
	for i, x := range p.Paths {
		paths[i] = x.WalkPath
	}
	return diagram.DrawWalk(paths)
}

// label says what the picture shows.
func (p WalkProps) label() string {
	only := 0
	for _, x := range p.Paths {
		if x.Only {
			only++
		}
	}
	said := fmt.Sprintf("How the search went from the question to %d passages.", len(p.Paths))
	if len(p.Paths) == 1 {
		said = "How the search went from the question to a passage."
	}
	if only > 0 {
		said += fmt.Sprintf(" %d by the graph alone.", only)
	}
	return said + " The list below has the same in words."
}

func onlyClass(class string, only bool) string {
	if only {
		return class + " only"
	}
	return class
}

func stopAt(s diagram.WalkStop) string { return fmt.Sprintf("translate(%.0f %.0f)", s.X, s.Y) }
