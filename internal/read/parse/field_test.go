package parse_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// field returns a file of the cases that people met elsewhere.
func field(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.FromSlash("../../../../shared/data/field")
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
		{"mixed.jsonl", domain.FormatRecords, []string{"Row one names Ada Moen.", "Row three names Bo Lund."}, "not json", "Line 3 is not JSON"},
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

// TestFieldOfLooks reads files in which the look of characters and cells means
// something.
func TestFieldOfLooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		format domain.Format
		want   []string
		not    []string
	}{
		{"del.html", domain.FormatHTML, []string{"The rent of the mill is 650 crowns.", "The boat costs 700 crowns.", "H2SO4 is stored on floor [^3] two.", "1 234 567 crowns"}, []string{"400", "900"}},
		{"del.md", domain.FormatMarkdown, []string{"The rent of the mill is 650 crowns. The boat costs 700 crowns."}, []string{"400", "900"}},
		{"sup.html", domain.FormatHTML, []string{"5 × 10⁶ litres", "In 1931 it cost 1200 [^3] crowns", "H2O", "40 m²."}, []string{"106", "12003"}},
		{"sup.md", domain.FormatMarkdown, []string{"5 × 10⁶ litres", "fee is 120 [^1] crowns. Energy is $E = mc^2$.", "[^1] Without the tax of 1930."}, nil},
		{"htmltable.html", domain.FormatHTML, []string{"Income\nRegion | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2\nNorth | 10 | 20 | 30 | 40\nNorth | 11 | 21 | 31 | 41\nSouth | 12 | 22 | 32 | 42", "3. Third rule: pay in May."}, nil},
		{"lists.docx", domain.FormatDOCX, []string{"1. Members pay in May.\n2. Members vote once.\n  a) by hand\n  b) by letter\n3. The warden counts.", "Region | Income 1930 Spring | Income 1930 Autumn\nNorth | 120 | 140\nNorth | 130 | 155", "Outer A | Inner key, Inner value; Keel, Oak"}, nil},
		{"tracked.docx", domain.FormatDOCX, []string{"The rent is 650 crowns a year.\n\nThe tenant repairs the roof.\n\nThe lease ends in March 1931.\n\nItem | Owner\nSluice | Tove Lind"}, []string{"400", "Boat"}},
		{"textbox.docx", domain.FormatDOCX, []string{"The ferry leaves at seven.", "Timetable of Orsen before the box and after it.", "Tickets cost two crowns."}, nil},
		{"x1904.xlsx", domain.FormatSheets, []string{"2021-03-04"}, nil},
		{"xdates.xlsx", domain.FormatSheets, []string{"iso | 2021-03-04\ngerman | 04.03.2021\nlong | 4. März 2021\ntime | 18:00\nduration | 36:00\npercent | 12.5%\nmoney | 1,234.50 kr\nneg | (42)\nleading | 00123\nsci | 1.23E+05\nfrac | 0 1/2\nday1 | 1900-01-01\nday60 | 1900-02-29\nday61 | 1900-03-01\ngeneral | 0.3\nbig | 1.23456789E+16\nthousands | 1,235k\nquarter | Q3\ndt | 2021-03-04 12:00\nliteral | Year 2021\naccounting | 77.50\ntext | 5"}, nil},
		{"ol.md", domain.FormatMarkdown, []string{"1. Install the pump.\n2. Set the valve.", "3. Open the sluice.\n4. Check the gauge."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			content := read(t, tt.format, field(t, tt.name)).Content
			for _, want := range tt.want {
				if !strings.Contains(content, want) {
					t.Errorf("%q was lost in\n%s", want, content)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(content, not) {
					t.Errorf("%q stands in\n%s", not, content)
				}
			}
		})
	}
}
