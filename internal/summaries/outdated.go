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
func (s *Service) Outdated(ctx context.Context, sum ledger.Summary) (string, error) {
	if sum.Status != ledger.SummaryDone {
		return "", nil
	}
	gone, changed := 0, 0
	for _, doc := range sum.Documents {
		if doc.Name == "" {
			gone++
			continue
		}
		differs, err := s.differs(ctx, sum, doc)
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
	case sum.Whole || sum.Tag != "":
		return s.added(ctx, sum)
	}
	return "", nil
}

// differs reports whether a document's text is another one than that which was
// summarised.
func (s *Service) differs(ctx context.Context, sum ledger.Summary, of ledger.SummaryDocument) (bool, error) {
	doc, err := s.Ledger.Document(ctx, sum.Workspace, of.ID)
	if err != nil || !doc.UpdatedAt.After(sum.CreatedAt) {
		return false, err
	}
	text, err := s.Ledger.Text(ctx, sum.Workspace, of.ID)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	return domain.Hash([]byte(text.Content)) != of.Hash, err
}

// added says how many documents the library, or the tag, has got since.
func (s *Service) added(ctx context.Context, sum ledger.Summary) (string, error) {
	now, err := s.Count(ctx, sum.Workspace, sum.Tag)
	if err != nil || now <= len(sum.Documents) {
		return "", err
	}
	place := "library"
	if sum.Tag != "" {
		place = "tag"
	}
	return domain.Counted(now-len(sum.Documents), "document has", "documents have") + " been added to the " + place + " since.", nil
}
