package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/partial"
)

// DryRun is a draft's reading of a few chunks, and the bill of putting it in
// force.
type DryRun struct {
	Of     int // chunks that the draft would guide
	Chunks []DryChunk
	Open   int  // the place of the chunk that is shown
	Model  bool // a model reads
	Calls  int
	Tokens int
	Cost   string // "" for none
	Took   time.Duration
	Bill   ReadingBill
}

// DryChunk is a chunk under the draft, beside what the graph has of it.
type DryChunk struct {
	Document domain.DocumentID
	Name     string
	Number   int // from 1
	Passage  []DryPiece
	Now      DrySide
	Draft    DrySide
	Asked    string // why the chunk was asked for; "" if the schema was applied to what is kept
	Problem  string
}

// DryPiece is a piece of a passage, marked if it names an entity of the draft.
type DryPiece struct {
	Text   string
	Marked bool
}

// DrySide is one of two results.
type DrySide struct {
	Version   string
	Entities  int
	Unsorted  int // entities without a label
	Relations []string
	Picture   *partial.GraphPictureProps // nil if there is nothing to join
	Names     []string                   // of the entities
	Dropped   []partial.DroppedRow
}

// ReadingBill says what reading again would cost.
type ReadingBill struct {
	Chunks, Of, Documents  int
	Asked, Applied, Calls  int
	FromTokens, ToTokens   int
	Money                  string // "" for none
	FromSeconds, ToSeconds int
	Why                    []string
	Busy                   int
}

func (d DryRun) title() string {
	return fmt.Sprintf("Dry run on %s of %s", format.Int(len(d.Chunks)), format.Count(d.Of, "passage", "passages"))
}

func (d DryRun) cost() []string {
	if !d.Model {
		return []string{"no model, no tokens", format.Duration(d.Took)}
	}
	figures := []string{format.Count(d.Calls, "call", "calls"), format.Count(d.Tokens, "token", "tokens")}
	if d.Cost != "" {
		figures = append(figures, d.Cost)
	}
	return append(figures, format.Duration(d.Took))
}

// said says what a dry run leaves behind.
func (d DryRun) said() string {
	if d.Model && d.Calls > 0 {
		return "Nothing is changed. The model’s answers are kept, so that reading these passages for good does not cost them again."
	}
	return "Nothing is changed."
}

func arrow(from, to int) string { return format.Int(from) + " → " + format.Int(to) }

func (d DryRun) sum(of func(DrySide) int) (now, draft int) {
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
		of   func(DrySide) int
	}{
		{"Entities", func(s DrySide) int { return s.Entities }},
		{"Relations", func(s DrySide) int { return len(s.Relations) }},
		{"Without a label", func(s DrySide) int { return s.Unsorted }},
		{"Dropped", func(s DrySide) int { return len(s.Dropped) }},
	} {
		now, draft := d.sum(line.of)
		out = append(out, [3]string{line.name, format.Int(now), format.Int(draft)})
	}
	return out
}

func (c DryChunk) title() string { return fmt.Sprintf("%s, %d", c.Name, c.Number) }

func (s DrySide) list() string {
	if len(s.Names) == 0 {
		return "Nothing."
	}
	return strings.Join(s.Names, ", ")
}

// title says what the bill is for.
func (b ReadingBill) title() string {
	if b.Chunks == 0 {
		return "Reading again would change nothing"
	}
	return fmt.Sprintf("Read again what this changes: %s of %s", format.Int(b.Chunks), format.Count(b.Of, "passage", "passages"))
}

// lines returns the rest of the bill.
func (b ReadingBill) lines() []string {
	if b.Chunks == 0 {
		return nil
	}
	lines := []string{"In " + format.Count(b.Documents, "document", "documents") + "."}
	if b.Calls > 0 {
		lines = append(lines, fmt.Sprintf("%s of a model, %s to %s tokens,%s %s to %s.", format.Count(b.Calls, "call", "calls"),
			format.Int(b.FromTokens), format.Int(b.ToTokens), b.money(), seconds(b.FromSeconds), seconds(b.ToSeconds)))
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

func (b ReadingBill) money() string {
	if b.Money == "" {
		return ""
	}
	return " " + b.Money + ","
}

func seconds(n int) string { return format.Duration(time.Duration(n) * time.Second) }

// allowAt says where the buttons of a chunk stand, "" for one that has none.
func allowAt(i int, mayEdit bool) string {
	if !mayEdit {
		return ""
	}
	return fmt.Sprintf("@%d", i)
}
