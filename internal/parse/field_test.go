package parse_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
)

// field returns a file of the cases that people met elsewhere.
func field(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.FromSlash("../../../shared/data/field")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("left out: no ../shared beside the project")
	}
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestFieldTexts reads files that other programs garbled, or of which they lost something.
func TestFieldTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		format  domain.Format
		want    []string // in order
		never   string
		warning string
	}{
		{"gbk.csv", domain.FormatTable, []string{"姓名 | 城市 | 职位", "张伟 | 北京"}, "Ð", "GB18030"},
		{"utf16.csv", domain.FormatTable, []string{"Name | City", "Åsa | Malmö", "Zoë | Århus"}, "", "UTF-16"},
		{"wrongcharset.html", domain.FormatHTML, []string{"Der Müller Jürgen Größ wohnt in Köln."}, "Ã", ""},
		{"nobody.html", domain.FormatHTML, []string{"Ferry stops in May", "The Lark sails in June", "Price two crowns", "A | B", "1 | 2"}, "", ""},
		{"smartart.pptx", domain.FormatSlides, []string{"Who reports to whom"}, "", ""},
		{"altchunk.docx", domain.FormatDOCX, []string{"Before the imported part.", "choir", "After it."}, "", ""},
		{"auto.vtt", domain.FormatTranscript, []string{"the harbour master is Ada Moen and she lives in Vik"}, "master the harbour", ""},
		{"sub.srt", domain.FormatTranscript, []string{"The bridge was built by Henrik Moe in 1901.", "He died in Vik."}, "", ""},
		{"sub.vtt", domain.FormatTranscript, []string{"Ada: The tide rises", "the tide rises at six."}, "NOTE", ""},
		{"mixed.jsonl", domain.FormatRecords, []string{"Row one names Ada Moen.", "Row three names Bo Lund."}, "not json", "Line 3 is no JSON"},
		{"nan.json", domain.FormatRecords, []string{"The mill burned in 1910."}, "NaN", ""},
		{"deck.pptx", domain.FormatSlides, []string{""}, "", ""},
		{"winmail.eml", domain.FormatMail, []string{"See the contract."}, "", "winmail.dat"},
		{"readme_gh.md", domain.FormatMarkdown, []string{"Tide", "Tide was written by Ada Moen in 2019.", "Install"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := read(t, c.format, field(t, c.name))
			rest := text.Content
			for _, want := range c.want {
				at := strings.Index(rest, want)
				if at < 0 {
					t.Fatalf("no %q in %q", want, text.Content)
				}
				rest = rest[at+len(want):]
			}
			if c.never != "" && strings.Contains(text.Content, c.never) {
				t.Errorf("%q in %q", c.never, text.Content)
			}
			if said := strings.Join(text.Warnings, "\n"); !strings.Contains(said, c.warning) || c.warning == "" && said != "" {
				t.Errorf("warnings %q, want %q", said, c.warning)
			}
			t.Log(text.Content, text.Warnings)
		})
	}
}

// TestFieldNames unpacks an archive whose names are in the encoding of DOS.
func TestFieldNames(t *testing.T) {
	t.Parallel()
	if got := namesIn(t, field(t, "names437.zip"), ""); !slices.Contains(got, "Müller.txt") {
		t.Errorf("names %q", got)
	}
}

// namesIn returns the names of the files in an archive.
func namesIn(t *testing.T, data, encoding string) (names []string) {
	t.Helper()
	_, err := parse.New(parse.Limits{}).In(encoding).Unpack(t.Context(), domain.FormatArchive, []byte(data), func(f parse.File) error {
		names = append(names, f.Name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
