package researches_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/read/parse"
)

// report is a report with words that mean something in each format.
func report() ledger.Research {
	return ledger.Research{
		Plan:  []domain.PlannedQuestion{{N: 1, Text: "What fell & why?", Came: domain.CameAnswered}, {N: 2, Text: "Who <b>paid</b>?", Came: domain.CameNothing}},
		Notes: []string{"1 question was not asked: the budget of 1,000 tokens is used up."},
		Answer: ledger.Answer{
			Question: "The bridge <script>", Status: ledger.MessageDone,
			Sentences: []domain.Sentence{{Text: "In short, it fell.", Citations: []int{1}, Paragraph: 0}, {Text: "The bridge fell in 1871.", Citations: []int{1, 2}, Paragraph: 1}},
			Citations: []domain.Citation{{N: 1, Document: "log_1.txt", Page: 3, Text: "fell in *1871*"}, {N: 2, Document: "gone.txt"}},
		},
	}
}

func exported(t *testing.T, format string) string {
	t.Helper()
	made, err := researches.Export(report(), format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := made.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReportsAreEscaped exports words with marks as text.
func TestReportsAreEscaped(t *testing.T) {
	t.Parallel()
	for format, want := range map[string][]string{
		"md":   {`# The bridge \<script\>`, `## Who \<b\>paid\</b\>?`, researches.SaysUnanswered, `The bridge fell in 1871. \[1\]\[2\]`, `- \[1\] log\_1.txt, p. 3: “fell in \*1871\*”`, `(deleted)`},
		"html": {`<h1>The bridge &lt;script&gt;</h1>`, `Who &lt;b&gt;paid&lt;/b&gt;?`, `<a href="#source-2">[2]</a>`, `<li id="source-1" value="1">`, "used up"},
	} {
		got := exported(t, format)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q:\n%s", format, w, got)
			}
		}
		if strings.Contains(got, "<script>") && format == "html" || strings.Contains(got, "://") {
			t.Errorf("%s is not escaped, or not self-contained:\n%s", format, got)
		}
	}
}

// TestDOCXIsReadBack reads an exported report as the library reads documents.
func TestDOCXIsReadBack(t *testing.T) {
	t.Parallel()
	data := []byte(exported(t, "docx"))
	text, err := parse.New(parse.Limits{}).Parse(t.Context(), "report.docx", domain.FormatDOCX, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The bridge <script>", "What fell & why?", "The bridge fell in 1871.^([1][2])", "Sources", "[1] log_1.txt, p. 3: “fell in *1871*”", "(deleted)"} {
		if !strings.Contains(text.Content, want) {
			t.Errorf("the text lacks %q:\n%s", want, text.Content)
		}
	}
	if len(text.Headings) < 3 {
		t.Errorf("headings %v", text.Headings)
	}
}

// TestExportNeedsAReport refuses unknown formats, and reports that are not there yet.
func TestExportNeedsAReport(t *testing.T) {
	t.Parallel()
	if _, err := researches.Export(report(), "pdf"); domain.KindOf(err) != domain.Invalid {
		t.Errorf("pdf: %v", err)
	}
	r := report()
	r.Answer.Status = ledger.MessageAnswering
	if _, err := researches.Export(r, "md"); domain.KindOf(err) != domain.Conflict {
		t.Errorf("before the end: %v", err)
	}
}
