package partial

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/lang"
)

// VersionsProps are the versions of a document.
type VersionsProps struct {
	Document domain.Document
	Earlier  []ledger.Version // newest first
}

func versionName(ctx context.Context, number int) string { return lang.F(ctx, "Version %d", number+1) }

// versionFacts describes the version besides its number. It names the file if that was different.
func versionFacts(ctx context.Context, v ledger.Version, name string) string {
	facts := lang.Bytes(ctx, v.Size) + ", " + lang.Count(ctx, v.Chunks, "passage", "passages")
	if v.Name != name {
		return v.Name + ", " + facts
	}
	return facts
}
