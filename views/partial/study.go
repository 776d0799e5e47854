package partial

import (
	"context"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// StudyProps show a study set. Of SummaryProps, the sentences and the draft are not used.
type StudyProps struct {
	SummaryProps
	Kind    domain.StudyKind
	Items   []domain.StudyItem
	Formats []string // export formats
}

// kept returns the items that nobody has removed, or those that were.
func (p StudyProps) kept(removed bool) (items []domain.StudyItem) {
	return lists.Filter(p.Items, func(i domain.StudyItem) bool { return i.Removed == removed })
}

// source returns the citation of an item. Its Document is "" once the source is deleted.
func (p StudyProps) source(i domain.StudyItem) domain.Citation {
	return lists.First(p.Citations, func(c domain.Citation) bool { return c.N == i.Source })
}

// mayChange reports whether whoever reads the page may take items out.
func (p StudyProps) mayChange(ctx context.Context) bool {
	return link.MayPost(ctx, link.StudyAgain(p.ID))
}

func (p StudyProps) mark(i domain.StudyItem) string {
	if i.Removed {
		return link.RestoreItem(p.ID, strconv.Itoa(i.N))
	}
	return link.RemoveItem(p.ID, strconv.Itoa(i.N))
}

// formatName names a format for people.
func formatName(ctx context.Context, format string) string {
	switch format {
	case "anki":
		return lang.T(ctx, "For Anki")
	case "md":
		return "Markdown"
	}
	return "CSV"
}

// nothing says what to do when a set has no item.
func (p StudyProps) nothing(ctx context.Context) string {
	switch p.Kind {
	case domain.Glossary:
		return lang.T(ctx, "No sentence here defines a term in so many words. A model also finds what several sentences explain.")
	case domain.FAQ:
		return lang.T(ctx, "No sentence here answers a question that a rule could ask. A model finds more.")
	}
	return lang.T(ctx, "No sentence here defines a term, answers a question or names a date. A model finds more.")
}
