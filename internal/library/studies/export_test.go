package studies_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/studies"
)

func written(t *testing.T, set ledger.Summary, format string) string {
	t.Helper()
	made, err := studies.Export(set, format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := made.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestExport(t *testing.T) {
	t.Parallel()
	set := ledger.Summary{
		Kind: domain.Cards, Tag: "dry run", Status: ledger.SummaryDone,
		Items: []domain.StudyItem{
			{N: 1, Front: `#1, a "kiln"`, Back: "=an oven\nfor Töpfer", Source: 1}, {N: 2, Front: "wrong", Back: "wrong", Source: 1, Removed: true}, {N: 3, Front: "slip", Back: "<b>thin</b> *clay*", Source: 2},
		},
		Citations: []domain.Citation{{N: 1, Document: "a.pdf", Page: 3, Text: "A kiln is\nan oven."}, {N: 2, Document: "b.txt", Text: "Slip is thin clay."}},
	}
	want := "#separator:Comma\n#html:false\n#columns:Front,Back,Source,Tags\n#tags column:4\n" +
		"\"#1, a \"\"kiln\"\"\",\"=an oven\nfor Töpfer\",\"a.pdf, p. 3: A kiln is an oven.\",\"clew::cards dry_run\"\n" +
		"\"slip\",\"<b>thin</b> *clay*\",\"b.txt: Slip is thin clay.\",\"clew::cards dry_run\"\n"
	got := written(t, set, "anki")
	if got != want {
		t.Errorf("for Anki:\n%s\nwant\n%s", got, want)
	}
	r := csv.NewReader(strings.NewReader(got))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != `#1, a "kiln"` || rows[0][1] != "=an oven\nfor Töpfer" {
		t.Errorf("read back: %q, %v", rows, err)
	}
	if got := written(t, set, "csv"); !strings.HasPrefix(got, "Front,Back,Source,Tags\r\n") || !strings.Contains(got, "'=an oven") || strings.Contains(got, "wrong") {
		t.Errorf("as CSV: %s", got)
	}
	if got := written(t, set, "md"); !strings.Contains(got, "# Cards of what is tagged dry run") || !strings.Contains(got, "> Slip is thin clay.") || strings.Contains(got, "<b>") || strings.Contains(got, "wrong") {
		t.Errorf("as Markdown: %s", got)
	}
	if _, err := studies.Export(set, "../etc"); domain.KindOf(err) != domain.Invalid {
		t.Errorf("another format: %v", err)
	}
	set.Status = ledger.SummaryWorking
	if _, err := studies.Export(set, "md"); domain.KindOf(err) != domain.Conflict {
		t.Errorf("before it is made: %v", err)
	}
}
