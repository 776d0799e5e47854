package partial

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// VersionsProps are the versions of a document.
type VersionsProps struct {
	Document domain.Document
	Earlier  []VersionItem // newest first
}

// A VersionItem is an earlier version of a document.
type VersionItem struct {
	Number int // from 0
	Name   string
	Size   int64
	Chunks int
	Since  time.Time
}

func versionName(ctx context.Context, number int) string { return lang.F(ctx, "Version %d", number+1) }

// facts describes the version besides its number. It names the file if that was different.
func (v VersionItem) facts(ctx context.Context, name string) string {
	facts := lang.Bytes(ctx, v.Size) + ", " + lang.Count(ctx, v.Chunks, "passage", "passages")
	if v.Name != name {
		return v.Name + ", " + facts
	}
	return facts
}
