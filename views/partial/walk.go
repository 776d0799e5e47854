package partial

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

func walkDrawing(p outline.Walk) diagram.DrawnWalk {
	return diagram.DrawWalk(lists.Map(p, func(x outline.WalkPath) diagram.WalkPath { return x.WalkPath }))
}

// walkLabel describes the picture of a search.
func walkLabel(ctx context.Context, p outline.Walk) string {
	only := lists.CountFunc(p, func(x outline.WalkPath) bool { return x.Only })
	said := lang.F(ctx, "How the search went from the question to %d passages.", len(p))
	if len(p) == 1 {
		said = lang.T(ctx, "How the search went from the question to a passage.")
	}
	if only > 0 {
		said += lang.F(ctx, " %d by the graph alone.", only)
	}
	return lang.F(ctx, "%s The list below has the same in words.", said)
}

// walkURL returns the page of a node on a search's path, or "" if it has none.
func walkURL(n diagram.WalkNode) string {
	switch {
	case n.Chunk != "":
		return link.Chunk(n.Chunk)
	case n.Entity != "":
		return link.Entity(n.Entity)
	}
	return ""
}

func onlyClass(class string, only bool) string {
	if only {
		return class + " only"
	}
	return class
}

func stopAt(s diagram.WalkStop) string {
	return fmt.Sprintf("translate(%.0f %.0f)", s.X, s.Y)
}
