package timeline

import (
	"fmt"
	"io"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// Operations returns the operations on timelines.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{operation.Op[Desk, Wanted, Timeline]{
		Name: "timeline", Short: "List the dates that documents name, in order", Scope: operation.Read, Routes: []string{"GET /timeline"},
		Tool: operation.Tool{Name: "timeline", Title: "Timeline", Fields: "words within since until limit",
			About: "List the dates that documents name in order, each with the sentence that names it and the address of its words."},
		Long: `List the dates that sentences of documents name, the earliest first: days,
months, years, decades, centuries and periods, read by rule in English, German,
French and Spanish. A number is a year only where the words around it say so.
The newest documents are read, up to 4,000 passages; --within chooses others.`,
		Example: `  clew timeline
  clew timeline "Carrow Foundry" --within tag:ironworks
  clew timeline --since 1888 --until 1901-06 --json`,
		Do: Desk.Timeline,
		Text: func(w io.Writer, t Timeline) error {
			for _, e := range t.Events {
				when := e.From
				if e.From != e.Until {
					when += ".." + e.Until
				}
				fmt.Fprintf(w, "%-22s %s\n%-22s %s\n", when, domain.Cut(domain.OneLine(e.Sentence), 160), "", e.Document+domain.Where("", e.Page, e.Place))
			}
			if len(t.Events) == 0 {
				fmt.Fprintln(w, "No sentence names a date that fits.")
			}
			if t.More > 0 {
				fmt.Fprintf(w, "And %d more: see --limit.\n", t.More)
			}
			if t.Unread > 0 {
				fmt.Fprintf(w, "%s not read: see --within.\n", domain.Counted(t.Unread, "older document was", "older documents were"))
			}
			return nil
		},
	}}
}
