package partial

import (
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
)

// VersionsProps are the versions of a document.
type VersionsProps struct {
	Document domain.Document
	Earlier  []VersionItem // newest first
}

// A VersionItem is an earlier version of a document.
type VersionItem struct {
	Number       int // from 0
	Name         string
	Size         int64
	Chunks       int
	Since, Until time.Time
}

func versionName(number int) string { return fmt.Sprintf("Version %d", number+1) }

func (v VersionItem) facts() string {
	return fmt.Sprintf("%s, %s, %s; in force from %s to %s", v.Name, format.Bytes(v.Size), format.Count(v.Chunks, "passage", "passages"), format.Moment(v.Since), format.Moment(v.Until))
}
