//go:build e2e

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// TestTablesAnswerInTheBrowser asks for the most in a column, a cell and a count, and finds the table on a page of its document.
func TestTablesAnswerInTheBrowser(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	wells := filepath.Join(t.TempDir(), "wells.csv")
	noError(t, os.WriteFile(wells, []byte("Well,Parish,Depth (m),Dug\nDrover's Well,Osterby,18.5,1712\nMoon Well,Withen,41,1804\nNew Well,Osterby,33,1911\n"), 0o600))
	sh.must(t, "ingest", wells)
	if csv := sh.must(t, "documents", "tables", "wells.csv", "--table", "1"); !strings.Contains(csv, "Moon Well,Withen,41,1804") {
		t.Errorf("the table as CSV is %q", csv)
	}
	base := startOn(t, sh.data)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		for i, asked := range [][]string{
			{"Which well is the deepest?", "The most in “Depth (m)”, of 3 rows", "Moon Well"},
			{"How deep is the New Well?", "33", "Depth (m)"},
			{"How many wells are in Osterby?", "2 of 3 rows", "New Well"},
		} {
			b.open(link.Ask)
			b.ask(asked[0])
			b.until(`!!document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
			said := b.text(sel("answer"))
			for _, want := range asked[1:] {
				if !strings.Contains(said, want) {
					t.Errorf("%s: %s lacks %q", asked[0], said, want)
				}
			}
			b.fits(width)
			b.shoot(fmt.Sprint("tables-answer-", i, "-", width))
		}
		b.open(link.Documents)
		b.click(sel("document") + " h3 a")
		b.until(`!!document.querySelector('[data-testid="tables-of"]')`)
		b.click(sel("tables-of"))
		b.until(`document.querySelectorAll('[data-testid="table"] tbody tr').length === 3`)
		b.fits(width)
		b.shoot(fmt.Sprint("tables-", width))
		b.click(`[data-testid="table"] tbody td:nth-child(3) a`)
		b.until(`document.querySelector('[data-testid="hit"], mark.on')?.textContent.includes("18.5")`)
		b.quiet()
	}
}
