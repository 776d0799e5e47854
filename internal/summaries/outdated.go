package summaries

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Title is what a summary is called. It names documents as they are called
// now.
func Title(s ledger.Summary) string {
	n := len(s.Documents)
	switch {
	case s.Whole:
		return "Summary of the library"
	case s.Tag != "":
		return "Summary of what is tagged " + s.Tag
	case n == 1:
		return "Summary of " + name(s.Documents[0])
	case n == 2:
		return "Summary of " + name(s.Documents[0]) + " and " + name(s.Documents[1])
	}
	return fmt.Sprintf("Summary of %d documents", n)
}

func name(d ledger.SummaryDocument) string {
	if d.Name == "" {
		return "a deleted document"
	}
	return d.Name
}

// Outdated says in a sentence why a finished summary is not that of its
// documents as they are now, "" when it is.
func (d *Service) Outdated(ctx context.Context, s ledger.Summary) (string, error) {
	if s.Status != ledger.SummaryDone {
		return "", nil
	}
	gone, changed := 0, 0
	for _, doc := range s.Documents {
		if doc.Name == "" {
			gone++
			continue
		}
		differs, err := d.differs(ctx, s, doc)
		if err != nil {
			return "", err
		}
		if differs {
			changed++
		}
	}
	switch {
	case gone > 0:
		return fmt.Sprintf("%s deleted since; what came from it alone was taken out.", domain.Counted(gone, "document of it was", "documents of it were")), nil
	case changed > 0:
		return domain.Counted(changed, "document of it has", "documents of it have") + " changed since.", nil
	case s.Whole || s.Tag != "":
		return d.added(ctx, s)
	}
	return "", nil
}

// differs reports whether a document's text is another one than that which was
// summarised.
func (d *Service) differs(ctx context.Context, s ledger.Summary, of ledger.SummaryDocument) (bool, error) {
	doc, err := d.Ledger.Document(ctx, s.Workspace, of.ID)
	if err != nil || !doc.UpdatedAt.After(s.CreatedAt) {
		return false, err
	}
	text, err := d.Ledger.Text(ctx, s.Workspace, of.ID)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	return domain.Hash([]byte(text.Content)) != of.Hash, err
}

// added says how many documents the library, or the tag, has got since.
func (d *Service) added(ctx context.Context, s ledger.Summary) (string, error) {
	now, err := d.Count(ctx, s.Workspace, s.Tag)
	if err != nil || now <= len(s.Documents) {
		return "", err
	}
	place := "library"
	if s.Tag != "" {
		place = "tag"
	}
	return domain.Counted(now-len(s.Documents), "document has", "documents have") + " been added to the " + place + " since.", nil
}
