package summaries

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Title returns the title of a summary or a study set, with the current names of its documents.
func Title(s ledger.Summary) string {
	said := map[domain.StudyKind]string{"": "Summary", domain.Glossary: "Glossary", domain.FAQ: "FAQ", domain.Cards: "Cards"}[s.Kind]
	if n := len(s.Documents); !s.Whole && s.Tag == "" && (n == 0 || n > 2) {
		return fmt.Sprintf("%s of %d documents", said, n)
	}
	return said + " of " + Subject(s)
}

// Subject says what a summary or a study set is of.
func Subject(s ledger.Summary) string {
	n := len(s.Documents)
	switch {
	case s.Whole:
		return "the library"
	case s.Tag != "":
		return "what is tagged " + s.Tag
	case n == 1:
		return name(s.Documents[0])
	case n == 2:
		return name(s.Documents[0]) + " and " + name(s.Documents[1])
	}
	return fmt.Sprintf("%d documents", n)
}

func name(d ledger.SummaryDocument) string {
	return cmp.Or(d.Name, "a deleted document")
}

// Outdated returns, for each finished summary that does not match its documents
// any more, a sentence that says why.
func (s *Service) Outdated(ctx context.Context, w domain.WorkspaceID, list ...ledger.Summary) (map[domain.SummaryID]string, error) {
	ids := make([]domain.SummaryID, len(list))
	for i, sum := range list {
		ids[i] = sum.ID
	}
	texts, err := s.Ledger.RewrittenTexts(ctx, w, ids)
	if err != nil {
		return nil, err
	}
	all, byTag := 0, map[string]int(nil)
	if slices.ContainsFunc(list, func(sum ledger.Summary) bool { return sum.Whole || sum.Tag != "" }) {
		if all, byTag, err = s.Ledger.CountReadable(ctx, w); err != nil {
			return nil, err
		}
	}
	why := map[domain.SummaryID]string{}
	for _, sum := range list {
		added := 0
		switch {
		case sum.Status != ledger.SummaryDone:
			continue
		case sum.Whole:
			added = all - len(sum.Documents)
		case sum.Tag != "":
			added = byTag[sum.Tag] - len(sum.Documents)
		}
		if reason := outdated(sum, texts, added); reason != "" {
			why[sum.ID] = reason
		}
	}
	return why, nil
}

// outdated describes why a summary is outdated, given the hashes of rewritten texts and the number of documents added
// since, or "" if it is not.
func outdated(s ledger.Summary, texts map[domain.DocumentID]string, added int) string {
	gone, changed := 0, 0
	for _, doc := range s.Documents {
		hash, rewritten := texts[doc.ID]
		switch {
		case doc.Name == "":
			gone++
		case rewritten && hash != doc.Hash:
			changed++
		}
	}
	switch {
	case gone > 0:
		return fmt.Sprintf("%s deleted since. Sentences that came only from it were removed.", domain.Counted(gone, "document of it was", "documents of it were"))
	case changed > 0:
		return domain.Counted(changed, "document of it has", "documents of it have") + " changed since."
	case added > 0 && s.Tag != "":
		return domain.Counted(added, "document has", "documents have") + " been added to the tag since."
	case added > 0:
		return domain.Counted(added, "document has", "documents have") + " been added to the library since."
	}
	return ""
}
