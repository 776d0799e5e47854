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
			err := eachPart("all.txt", int64(len(tt.content)), bytes.NewReader(tt.content), "", most, func(name, _ string, r io.Reader) error {
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

// TestPartsAgreeOnTheirEncoding cuts texts in old encodings, of which a part alone would tell too little.
func TestPartsAgreeOnTheirEncoding(t *testing.T) {
	t.Parallel()
	cyrillic := strings.Repeat("\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! \xdd\xf2\xee \xf2\xe5\xea\xf1\xf2.\n\n", 80) + strings.Repeat("Plain words.\n\n", 300) + "\xe4\xe0\n"
	var wide []byte
	long := strings.Repeat("Grüße aus Köln.\n\n", 300)
	for _, u := range utf16.Encode([]rune(long)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for _, tt := range []struct{ name, content, chosen, want, text string }{
		{"Windows-1251", cyrillic, "", "windows-1251", cyrillic},
		{"as chosen", cyrillic, "koi8-r", "koi8-r", cyrillic},
		{"UTF-16 without a mark", string(wide), "", "", long},
		{"UTF-16 as chosen", string(wide), "utf-16le", "", long},
		{"UTF-8", long, "", "", long},
	} {
		var all strings.Builder
		err := eachPart("all.txt", int64(len(tt.content)), strings.NewReader(tt.content), tt.chosen, 2000, func(name, encoding string, r io.Reader) error {
			if encoding != tt.want {
				t.Errorf("%s: %s is to be read as %q, want %q", tt.name, name, encoding, tt.want)
			}
			_, err := io.Copy(&all, r)
			return err
		})
		if err != nil || all.String() != tt.text {
			t.Errorf("%s: together the parts are not the text, error %v", tt.name, err)
		}
	}
}
