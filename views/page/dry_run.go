package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/partial"
)

// DryRun is a draft's reading of a few chunks, and the bill of putting it in
// force.
type DryRun struct {
	schemas.Trial
	Bill   schemas.Bill
	Chunks []DryChunk
	Open   int  // the place of the chunk that is shown
	Model  bool // a model reads
}

// DryChunk is a chunk read with the draft, next to its content in the graph.
type DryChunk struct {
	schemas.Tried
	Before, After *partial.GraphPictureProps // of the graph and of the draft; nil if there is nothing to join
	Lost          []partial.DroppedRow       // dropped by the draft
}

func (d DryRun) title(ctx context.Context) string {
	return lang.F(ctx, "Dry run on %s of %s", lang.Int(ctx, len(d.Chunks)), lang.Count(ctx, d.Of, "passage", "passages"))
}

func (d DryRun) cost(ctx context.Context) []string {
	if !d.Model {
		return []string{lang.T(ctx, "no model, no tokens"), lang.Duration(ctx, d.Took)}
	}
	figures := []string{lang.Count(ctx, d.Cost.Calls, "call", "calls"), lang.Count(ctx, d.Cost.Tokens.Input+d.Cost.Tokens.Output, "token", "tokens")}
	if d.Money != nil {
		figures = append(figures, d.Money.String())
	}
	return append(figures, lang.Duration(ctx, d.Took))
}

// said describes what a dry run leaves behind.
func (d DryRun) said(ctx context.Context) string {
	if d.Model && d.Cost.Calls > 0 {
		return lang.T(ctx, "Nothing is changed. The model’s answers are kept, so reading these passages later does not cost them again.")
	}
	return lang.T(ctx, "Nothing is changed.")
}

// foundIn describes in how many documents lines state a field, and what becomes of the others.
func (d DryRun) foundIn(ctx context.Context, f schemas.TriedField) string {
	said := lang.F(ctx, "in %s", lang.Count(ctx, f.Found, "document", "documents"))
	if d.Model && f.Found < d.Looked {
		said += lang.T(ctx, "; of the others, a model is asked when they are read")
	}
	return said
}

func arrow(ctx context.Context, from, to int) string {
	return lang.Int(ctx, from) + " → " + lang.Int(ctx, to)
}

func (d DryRun) sum(of func(schemas.Side) int) (now, draft int) {
	for _, c := range d.Chunks {
		now += of(c.Now)
		draft += of(c.Draft)
	}
	return now, draft
}

// sums returns the lines of the table of all chunks together.
func (d DryRun) sums(ctx context.Context) [][3]string {
	var out [][3]string
	for _, line := range []struct {
		name string
		of   func(schemas.Side) int
	}{
		{lang.T(ctx, "Entities"), func(s schemas.Side) int { return len(s.Graph.Nodes) }},
		{lang.T(ctx, "Relations"), func(s schemas.Side) int { return len(s.Graph.Relationships) }},
		{lang.T(ctx, "Without a label"), unlabelled},
		{lang.T(ctx, "Dropped"), func(s schemas.Side) int { return len(s.Dropped) }},
	} {
		now, draft := d.sum(line.of)
		out = append(out, [3]string{line.name, lang.Int(ctx, now), lang.Int(ctx, draft)})
	}
	return out
}

func (c DryChunk) title() string { return fmt.Sprintf("%s, %d", c.Name, c.Chunk.Ordinal+1) }

// pieces cuts the chunk at the mentions of the draft's entities: every second piece is one.
func (c DryChunk) pieces() (pieces []string) {
	spans := lists.Flat(c.Draft.Graph.Nodes, func(n domain.GraphNode) []domain.Span { return n.Spans })
	slices.SortFunc(spans, func(a, b domain.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	at := 0
	for _, s := range spans {
		if s = s.Shift(-c.Chunk.Span.Start); s.Start >= at {
			pieces = append(pieces, domain.Span{Start: at, End: s.Start}.Slice(c.Chunk.Text), s.Slice(c.Chunk.Text))
			at = s.End
		}
	}
	return append(pieces, domain.Span{Start: at, End: domain.Runes(c.Chunk.Text)}.Slice(c.Chunk.Text))
}

// asked says why the model was asked, or returns "" if the schema was applied to stored results.
func (c DryChunk) asked(ctx context.Context) string {
	if c.Need.Need == extract.NoNeed || c.Need.Need == extract.NeedNew {
		return ""
	}
	return lang.F(ctx, "The model was asked, because the chunk %s.", because(ctx, c.Need.Need, c.Need.About))
}

// before names the schema that the chunk was read with.
func (c DryChunk) before(ctx context.Context) string {
	if c.Now.Schema > 0 {
		return lang.F(ctx, "version %d", c.Now.Schema)
	}
	return lang.T(ctx, "no schema")
}

// because explains why a chunk has to be read again.
func because(ctx context.Context, n extract.Need, about []string) string {
	const most = 5
	list := strings.Join(about[:min(most, len(about))], ", ")
	if len(about) > most {
		list += lang.T(ctx, " and others")
	}
	switch n {
	case extract.NeedTold:
		return lang.T(ctx, "would be read by other instructions, examples or settings")
	case extract.NeedGone:
		return lang.F(ctx, "holds something that no longer fits: %s", list)
	case extract.NeedWords:
		return lang.F(ctx, "contains a new word: %s", list)
	case extract.NeedMore:
		return lang.F(ctx, "contains an item for which more is required: %s", list)
	}
	return lang.T(ctx, "has not been read by this model yet")
}

func unlabelled(s schemas.Side) (n int) {
	return lists.CountFunc(s.Graph.Nodes, func(node domain.GraphNode) bool { return node.Label == domain.UnknownLabel })
}

// entities lists the entities of a side.
func entities(ctx context.Context, s schemas.Side) string {
	if len(s.Graph.Nodes) == 0 {
		return lang.T(ctx, "Nothing.")
	}
	names := make([]string, len(s.Graph.Nodes))
	for i, n := range s.Graph.Nodes {
		names[i] = n.Name
		if n.Label != domain.UnknownLabel {
			names[i] += " (" + n.Label + ")"
		}
	}
	return strings.Join(names, ", ")
}

// billTitle describes what a bill is for.
func billTitle(ctx context.Context, b schemas.Bill) string {
	if b.Documents == 0 {
		return lang.T(ctx, "Reading again would change nothing")
	}
	if b.Chunks == 0 {
		return lang.F(ctx, "Read again what this changes: the fields of %s", lang.Count(ctx, b.Fields, "document", "documents"))
	}
	return lang.F(ctx, "Read again what this changes: %s of %s", lang.Int(ctx, b.Chunks), lang.Count(ctx, b.Of, "passage", "passages"))
}

// billLines returns the rest of a bill.
func billLines(ctx context.Context, b schemas.Bill) []string {
	if b.Documents == 0 {
		return nil
	}
	var lines []string
	if b.Chunks > 0 {
		lines = append(lines, lang.F(ctx, "In %s.", lang.Count(ctx, b.Documents, "document", "documents")))
	}
	if b.Chunks > 0 && b.Fields > 0 {
		lines = append(lines, lang.F(ctx, "The fields of %s are read anew.", lang.Count(ctx, b.Fields, "document", "documents")))
	}
	if b.Calls > 0 {
		money := ""
		if b.Money != nil {
			money = " " + b.Money.String() + ","
		}
		lines = append(lines, lang.F(ctx, "%s of a model, %s to %s tokens,%s %s to %s.", lang.Count(ctx, b.Calls, "call", "calls"),
			lang.Int(ctx, b.Tokens.From), lang.Int(ctx, b.Tokens.To), money, seconds(ctx, b.Seconds.From), seconds(ctx, b.Seconds.To)))
	}
	if b.Applied > 0 {
		lines = append(lines, lang.F(ctx, "To %s, the schema is applied as it is: what was found is kept, dropped items too, and no model is asked.", lang.Count(ctx, b.Applied, "passage", "passages")))
	}
	if rest := b.Of - b.Chunks; rest == b.Of {
		lines = append(lines, lang.T(ctx, "What was found in the passages is kept."))
	} else if rest > 0 {
		lines = append(lines, lang.F(ctx, "What was found in the other %s is kept.", lang.Count(ctx, rest, "passage", "passages")))
	}
	if b.Busy > 0 {
		lines = append(lines, lang.F(ctx, "%s being read now, by the schema with which that began.", lang.Count(ctx, b.Busy, "document is", "documents are")))
	}
	return lines
}

// billReasons lists the reasons for asking a model.
func billReasons(ctx context.Context, b schemas.Bill) (reasons []string) {
	for _, why := range b.Why {
		if b.Calls > 0 {
			reasons = append(reasons, lang.F(ctx, "%d: it %s", why.Chunks, because(ctx, why.Need, why.About)))
		}
	}
	return reasons
}

func seconds(ctx context.Context, n int) string {
	return lang.Duration(ctx, time.Duration(n)*time.Second)
}

// allowAt returns the position of a chunk's buttons, or "" if it has none.
func allowAt(i int, mayEdit bool) string {
	if !mayEdit {
		return ""
	}
	return fmt.Sprintf("@%d", i)
}
