package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/views/format"
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
	Before, After *partial.GraphPictureProps // of what the graph has and of the draft, or nil if there is nothing to join
	Lost          []partial.DroppedRow       // what the draft drops
}

func (d DryRun) title() string {
	return fmt.Sprintf("Dry run on %s of %s", format.Int(len(d.Chunks)), format.Count(d.Of, "passage", "passages"))
}

func (d DryRun) cost() []string {
	if !d.Model {
		return []string{"no model, no tokens", format.Duration(d.Took)}
	}
	figures := []string{format.Count(d.Cost.Calls, "call", "calls"), format.Count(d.Cost.Tokens.Input+d.Cost.Tokens.Output, "token", "tokens")}
	if d.Money != nil {
		figures = append(figures, d.Money.String())
	}
	return append(figures, format.Duration(d.Took))
}

// said describes what a dry run leaves behind.
func (d DryRun) said() string {
	if d.Model && d.Cost.Calls > 0 {
		return "Nothing is changed. The model’s answers are kept, so reading these passages later does not cost them again."
	}
	return "Nothing is changed."
}

func arrow(from, to int) string { return format.Int(from) + " → " + format.Int(to) }

func (d DryRun) sum(of func(schemas.Side) int) (now, draft int) {
	for _, c := range d.Chunks {
		now += of(c.Now)
		draft += of(c.Draft)
	}
	return now, draft
}

// sums returns the lines of the table of all chunks together.
func (d DryRun) sums() [][3]string {
	var out [][3]string
	for _, line := range []struct {
		name string
		of   func(schemas.Side) int
	}{
		{"Entities", func(s schemas.Side) int { return len(s.Graph.Nodes) }},
		{"Relations", func(s schemas.Side) int { return len(s.Graph.Relationships) }},
		{"Without a label", unlabelled},
		{"Dropped", func(s schemas.Side) int { return len(s.Dropped) }},
	} {
		now, draft := d.sum(line.of)
		out = append(out, [3]string{line.name, format.Int(now), format.Int(draft)})
	}
	return out
}

func (c DryChunk) title() string { return fmt.Sprintf("%s, %d", c.Name, c.Chunk.Ordinal+1) }

// pieces cuts the chunk at the mentions of the draft's entities: every second piece is one.
func (c DryChunk) pieces() (pieces []string) {
	var spans []domain.Span
	for _, n := range c.Draft.Graph.Nodes {
		spans = append(spans, n.Spans...)
	}
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
func (c DryChunk) asked() string {
	if c.Need.Need == extract.NoNeed || c.Need.Need == extract.NeedNew {
		return ""
	}
	return "The model was asked, because the chunk " + because(c.Need.Need, c.Need.About) + "."
}

// before names the schema that the chunk was read with.
func (c DryChunk) before() string {
	if c.Now.Schema > 0 {
		return fmt.Sprintf("version %d", c.Now.Schema)
	}
	return "no schema"
}

// because explains why a chunk has to be read again.
func because(n extract.Need, about []string) string {
	const most = 5
	list := strings.Join(about[:min(most, len(about))], ", ")
	if len(about) > most {
		list += " and others"
	}
	switch n {
	case extract.NeedTold:
		return "would be read by other instructions, examples or settings"
	case extract.NeedGone:
		return "holds something that no longer fits: " + list
	case extract.NeedWords:
		return "contains a new word: " + list
	case extract.NeedMore:
		return "contains an item for which more is required: " + list
	}
	return "has not been read by this model yet"
}

func unlabelled(s schemas.Side) (n int) {
	for _, node := range s.Graph.Nodes {
		if node.Label == domain.UnknownLabel {
			n++
		}
	}
	return n
}

// entities lists the entities of a side.
func entities(s schemas.Side) string {
	if len(s.Graph.Nodes) == 0 {
		return "Nothing."
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
func billTitle(b schemas.Bill) string {
	if b.Chunks == 0 {
		return "Reading again would change nothing"
	}
	return fmt.Sprintf("Read again what this changes: %s of %s", format.Int(b.Chunks), format.Count(b.Of, "passage", "passages"))
}

// billLines returns the rest of a bill.
func billLines(b schemas.Bill) []string {
	if b.Chunks == 0 {
		return nil
	}
	lines := []string{"In " + format.Count(b.Documents, "document", "documents") + "."}
	if b.Calls > 0 {
		money := ""
		if b.Money != nil {
			money = " " + b.Money.String() + ","
		}
		lines = append(lines, fmt.Sprintf("%s of a model, %s to %s tokens,%s %s to %s.", format.Count(b.Calls, "call", "calls"),
			format.Int(b.Tokens.From), format.Int(b.Tokens.To), money, seconds(b.Seconds.From), seconds(b.Seconds.To)))
	}
	if b.Applied > 0 {
		lines = append(lines, "To "+format.Count(b.Applied, "passage", "passages")+", the schema is applied as it is: what was found is kept, dropped items too, and no model is asked.")
	}
	if rest := b.Of - b.Chunks; rest > 0 {
		lines = append(lines, "The other "+format.Int(rest)+" keep what they have.")
	}
	if b.Busy > 0 {
		lines = append(lines, format.Count(b.Busy, "document is", "documents are")+" being read now, by the schema with which that began.")
	}
	return lines
}

// billReasons lists the reasons for asking a model.
func billReasons(b schemas.Bill) (reasons []string) {
	for _, why := range b.Why {
		if b.Calls > 0 {
			reasons = append(reasons, fmt.Sprintf("%d: it %s", why.Chunks, because(why.Need, why.About)))
		}
	}
	return reasons
}

func seconds(n int) string { return format.Duration(time.Duration(n) * time.Second) }

// allowAt returns the position of a chunk's buttons, or "" if it has none.
func allowAt(i int, mayEdit bool) string {
	if !mayEdit {
		return ""
	}
	return fmt.Sprintf("@%d", i)
}
