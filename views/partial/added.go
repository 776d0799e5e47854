package partial

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
)

// AddedProps sum up the documents that an upload has added.
type AddedProps struct {
	Again     string // address of the part
	Kinds     []AddedKind
	Sum       AddedKind
	Left      int    // documents that are not counted
	Reading   string // how far the library's reading has come; "" once these are read
	Held      int    // documents of the library that wait for a yes
	HeldSaid  string // what reading them would take
	Warning   string // which cap that would meet, or "" if there is none
	Questions []TryProps
}

// AddedKind counts documents of one format.
type AddedKind struct {
	Format    domain.Format
	Documents int
	Bytes     int64
	Passages  int // of those that are cut
	Read      int // or failed, or stopped
	Failed    int
	Held      int
}

// goesOn reports whether some of the documents wait or are being read.
func (p AddedProps) goesOn() bool { return p.Sum.Read+p.Sum.Held < p.Sum.Documents }

func (p AddedProps) title() string {
	switch {
	case p.goesOn():
		return "Being read: " + format.Count(p.Sum.Documents, "document", "documents")
	case p.Sum.Held > 0:
		return "Before reading: " + format.Count(p.Sum.Documents, "document", "documents")
	}
	return "Read: " + format.Count(p.Sum.Documents, "document", "documents")
}

func (p AddedProps) bill() string {
	return "Reading " + map[bool]string{true: "it", false: "them"}[p.Held == 1] + " would take " + p.HeldSaid + "."
}

func (k AddedKind) passages() string {
	if k.Passages == 0 && k.Read < k.Documents {
		return "–"
	}
	return format.Int(k.Passages)
}

func (k AddedKind) read() string {
	said := format.Int(k.Read-k.Failed) + " of " + format.Int(k.Documents)
	if k.Failed > 0 {
		said += ", " + format.Int(k.Failed) + " failed"
	}
	return said
}
