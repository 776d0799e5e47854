package documents

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestPartsOfAText cuts texts into parts, which end where a text has a natural end:
// together they are the text.
func TestPartsOfAText(t *testing.T) {
	t.Parallel()
	const most = 2000
	long := func(paragraph string) []byte {
		var b bytes.Buffer
		for n := range 40 {
			fmt.Fprintf(&b, paragraph, n)
		}
		return b.Bytes()
	}
	words := strings.Repeat("A rather long sentence about copper. ", 8)
	paragraphs := long("Part %d. " + words + "\n\n")
	wide := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(string(paragraphs))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for _, tt := range []struct {
		name, begins, ends, text string
		content                  []byte
	}{
		{"paragraphs", "Part ", "\n\n", "", paragraphs},
		{"paragraphs in UTF-16", "Part ", "\n\n", string(paragraphs), wide},
		{"headings", "# Title ", "\n\n", "", long("# Title %d\n\n" + words + "\n\n")},
		{"lines", "Line ", "\n", "", long("Line %d. " + words + "\n")},
		{"one line", "", " ", "", long("%d " + words)},
		{"one word", "", "", "", long("%d" + strings.Repeat("ü", 300))},
		{"bytes of no encoding", "", "", "", bytes.Repeat([]byte{0x80}, 5000)},
		{"an exact fit", "", "", "", bytes.Repeat([]byte("x"), most)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var parts [][]byte
			err := eachPart("all.txt", int64(len(tt.content)), bytes.NewReader(tt.content), most, func(name string, r io.Reader) error {
				part, err := io.ReadAll(r)
				parts = append(parts, part)
				if want := fmt.Sprintf("all, part %02d.txt", len(parts)); len(tt.content) > 10_000 && name != want {
					t.Errorf("a part is called %q, want %q", name, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, part := range parts {
				last := i == len(parts)-1
				if len(part) > most || !last && len(part) < most/2 || !bytes.HasPrefix(part, []byte(tt.begins)) || !last && !bytes.HasSuffix(part, []byte(tt.ends)) {
					t.Errorf("part %d has %d bytes and is %q", i+1, len(part), part)
				}
				if bytes.ContainsRune(tt.content, 'ü') && strings.ToValidUTF8(string(part), "") != string(part) {
					t.Errorf("part %d cuts a character", i+1)
				}
			}
			if want := cmp.Or(tt.text, string(tt.content)); string(bytes.Join(parts, nil)) != want {
				t.Error("together the parts are not the text")
			}
		})
	}
}
