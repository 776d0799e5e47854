package curation

import (
	"strings"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/views/page"
)

// differences says how the names of a pattern differ, after "pairs with".
var differences = map[string]string{
	resolve.SameName:       "the same name",
	resolve.Spelling:       "other spaces or signs",
	resolve.Reordered:      "the words in another order",
	resolve.Title:          "a title or without",
	resolve.LegalForm:      "a legal form or without",
	resolve.Alias:          "a name in common",
	resolve.Initials:       "initials",
	resolve.Acronym:        "an acronym",
	resolve.ShortName:      "a shorter name",
	resolve.Typo:           "another letter",
	resolve.Transliterated: "another spelling of the same sounds",
	resolve.SameMeaning:    "other words of the same meaning",
}

func differ(pattern string) string {
	if words := differences[pattern]; words != "" {
		return words
	}
	return "the pattern " + pattern
}

// reasons returns what speaks for a merge, then what speaks against it.
func reasons(p ledger.Proposal) []page.Reason {
	var list []page.Reason
	for _, against := range []bool{false, true} {
		for _, e := range p.Evidence {
			if e.Against != against {
				continue
			}
			r := page.Reason{Name: strings.ToUpper(e.Kind[:min(1, len(e.Kind))]) + e.Kind[min(1, len(e.Kind)):], Words: e.Words, Against: against}
			if against {
				r.Name = "Speaks against"
			}
			list = append(list, r)
		}
	}
	return list
}

// decided says why a proposal doesn't wait.
func decided(p ledger.Proposal) string {
	by := ""
	if p.Who != "" && p.Who != ledger.Rule {
		by = " by " + p.Who
	}
	switch p.Status {
	case ledger.ProposalMerged:
		return "The two are merged" + by + ". Undo that on the page of changes to decide again."
	case ledger.ProposalAuto:
		return "The two are merged by rule. Undo that on the page of changes to keep them apart."
	case ledger.ProposalApart, ledger.ProposalNever:
		return "The two are kept apart" + by + ". Undo that on the page of changes to decide again."
	}
	return "One of the two is not in the graph any more, or has become part of another."
}
