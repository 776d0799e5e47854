package partial

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// AddedProps sum up the documents that an upload has added.
type AddedProps struct {
	Again     string // address of the part
	Kinds     []AddedKind
	Sum       AddedKind
	Left      int    // documents that are not counted
	Reading   string // progress of the library's reading; "" once these are read
	Held      int    // documents in the library that are held
	HeldSaid  string // cost of reading them
	Warning   string // the cap that this would reach; "" if none
	Questions []TryProps
}

// AddedKind counts documents of one format.
type AddedKind struct {
	Format    domain.Format
	Documents int
	Bytes     int64
	Passages  int // in documents already split
	Read      int // or failed, or stopped
	Failed    int
	Held      int
}

// goesOn reports whether some of the documents wait or are being read.
func (p AddedProps) goesOn() bool { return p.Sum.Read+p.Sum.Held < p.Sum.Documents }

func (p AddedProps) title(ctx context.Context) string {
	switch {
	case p.goesOn():
		return lang.F(ctx, "Being read: %s", lang.Count(ctx, p.Sum.Documents, "document", "documents"))
	case p.Sum.Held > 0:
		return lang.F(ctx, "Before reading: %s", lang.Count(ctx, p.Sum.Documents, "document", "documents"))
	}
	return lang.F(ctx, "Read: %s", lang.Count(ctx, p.Sum.Documents, "document", "documents"))
}

func (p AddedProps) bill(ctx context.Context) string {
	return lang.F(ctx, "Reading %s would take %s.", map[bool]string{true: "it", false: "them"}[p.Held == 1], p.HeldSaid)
}

func (k AddedKind) passages(ctx context.Context) string {
	if k.Passages == 0 && k.Read < k.Documents {
		return "–"
	}
	return lang.Int(ctx, k.Passages)
}

func (k AddedKind) read(ctx context.Context) string {
	said := lang.F(ctx, "%s of %s", lang.Int(ctx, k.Read-k.Failed), lang.Int(ctx, k.Documents))
	if k.Failed > 0 {
		said += lang.F(ctx, ", %s failed", lang.Int(ctx, k.Failed))
	}
	return said
}
