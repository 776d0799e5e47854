package parse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestReadText(t *testing.T) {
	t.Parallel()
	wrapped := "This sentence was broken by a mail program after about\nsixty characters, so the break means nothing at all\nand goes."
	manual := "LS(1)\n\nNAME\n       ls - list the contents of a directory\n\n       -h, --human\n              with this option, sizes  are written so that people can read\n" +
		"              them, as in 1K; others aren't\n\n       -l     use a long listing format of one line for each file,  with\n              its owner and the group of the owner\n"
	tests := []struct{ name, in, want string }{
		{"paragraphs", "One.\r\n\r\n\r\n  Two.\rThree.\r\n", "One.\n\nTwo.\nThree."},
		{"spaces", "a\u00A0b\tc  d \u2003e", "a b c d e"},
		{"what cannot be seen", "so\u00ADft\u200B \uFEFFx\u202Ey\x1b[0m\x0f", "soft xy[0m"},
		{"normal form", "Cafe\u0301", "Caf\u00E9"},
		{"emoji stay whole", "a 👩\u200d👧 b", "a 👩\u200d👧 b"},
		{"byte order mark", "\uFEFFText.", "Text."},
		{"wrapped prose", wrapped, strings.ReplaceAll(wrapped, "\n", " ")},
		{"broken words", "This sentence was written by a program that hyphen-\nates, and the text of each line is as long as lon\u2010\nger lines allow.", "This sentence was written by a program that hyphenates, and the text of each line is as long as longer lines allow."},
		{"broken words in short lines", "to the har\u2010\nbour of\nthe oil\u00AD\n  skins", "to the harbour\nof\nthe oilskins"},
		{"a manual", manual, "LS(1)\n\nNAME\nls - list the contents of a directory\n\n-h, --human\nwith this option, sizes are written so that people can read them, as in 1K; others aren't\n\n-l use a long listing format of one line for each file, with its owner and the group of the owner"},
		{"aligned columns", "Services:\n  alpha      12   running\n  beta        7   stopped\n  ------  -----   -------\n  gamma     130   running\n                  slowly\n", "Services:\nalpha | 12 | running\nbeta | 7 | stopped\ngamma | 130 | running slowly"},
		{"columns of names", "Item    Price\nRye     2.50\nSpelt   3.10", "Item | Price\nRye | 2.50\nSpelt | 3.10"},
		{"columns by tabs", "Item\tPrice\nRye\t2.50\nSpelt bread\t3.10", "Item | Price\nRye | 2.50\nSpelt bread | 3.10"},
		{"columns of tab stops", "one\t\tfirst\nseventeen\tsecond\nten\t\tthird", "one | first\nseventeen | second\nten | third"},
		{"labels", "Name:     Ada\nStreet:   Quay\nTown:     Lim", "Name: Ada\nStreet: Quay\nTown: Lim"},
		{"numbered items", "1.   Open it\n2.   Clean it\n3.   Close it", "1. Open it\n2. Clean it\n3. Close it"},
		{"justified words", "All  of these\nwords  must be\nset  so  that\nthey are even", "All of these\nwords must be\nset so that\nthey are even"},
		{"spaces after full stops", "It is so.  Yes.\nIt is no.  Not.\nIt is it.  Yet.", "It is so. Yes.\nIt is no. Not.\nIt is it. Yet."},
		{"a poem", "Roses are red,\nviolets are blue", "Roses are red,\nviolets are blue"},
		{"a list", "- " + wrapped + "\n- " + wrapped, "- " + wrapped + "\n- " + wrapped},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, domain.FormatText, tt.in).Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTextTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, title string }{
		{"short first line", "The Harbour of Brae\n\nIt was built in 1820.", "The Harbour of Brae"},
		{"a sentence", "It was built in 1820.\n\nThen it fell.", ""},
		{"the only line", "The Harbour of Brae", ""},
		{"two lines", "The Harbour\nof Brae\n\nText.", ""},
		{"with a subtitle", "THE FERRIES OF THE VELM\nNotes made from the account books\n\nText.", "THE FERRIES OF THE VELM"},
		{"an address", "Ada Brae\n12 Quay Street\nLim\n\nText.", ""},
		{"prose", "The Harbour of Brae was built of stone by Ada Brae, who owned\nAnother quarry.\n\nText.", ""},
		{"a list", "1. Harbour\n\nText.", ""},
		{"a long line", strings.Repeat("Word ", 30) + "\n\nText.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := read(t, domain.FormatText, tt.in)
			if text.Title != tt.title {
				t.Errorf("title = %q, want %q", text.Title, tt.title)
			}
			if (len(text.Headings) == 1) != (tt.title != "") {
				t.Errorf("headings = %v", text.Headings)
			}
		})
	}
}

func TestReadTextEncodings(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, warning string }{
		{"UTF-8", "Zürich", "Zürich", ""},
		{"UTF-16 little-endian", "\xFF\xFEZ\x00\xFC\x00", "Zü", "UTF-16"},
		{"UTF-16 big-endian", "\xFE\xFF\x00Z\x00\xFC", "Zü", "UTF-16"},
		{"Windows-1252", "Z\xFCrich \x96 \x80 5", "Zürich – € 5", "Windows-1252"},
		{"damaged UTF-8", strings.Repeat("ü", 9) + "\xFF", strings.Repeat("ü", 9) + "\uFFFD", "not quite UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := read(t, domain.FormatText, tt.in)
			if text.Content != tt.want {
				t.Errorf("content = %q, want %q", text.Content, tt.want)
			}
			if !strings.Contains(strings.Join(text.Warnings, " "), tt.warning) || (tt.warning == "") != (len(text.Warnings) == 0) {
				t.Errorf("warnings = %q, want %q", text.Warnings, tt.warning)
			}
		})
	}
}

func TestReadTextRefusesBinary(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"NUL":            "text\x00text",
		"controls":       strings.Repeat("\x01\x02ab", 20),
		"NULs as UTF-16": "\xFF\xFE\x00\x00a\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := refuse(t, parse.Limits{}, domain.FormatText, in, domain.Invalid); !strings.Contains(got, "binary") {
				t.Errorf("refused with %q", got)
			}
		})
	}
}

func TestReadTextBlank(t *testing.T) {
	t.Parallel()
	text := read(t, domain.FormatText, " \n\n\t\u200B\n")
	if diff := cmp.Diff(domain.Text{Warnings: []string{"This file contains no text."}}, text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
