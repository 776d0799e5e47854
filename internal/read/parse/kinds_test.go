package parse

import (
	"slices"
	"strings"
	"testing"
)

// TestTheTableOfFormats checks the rows for what the rest of the program relies on.
func TestTheTableOfFormats(t *testing.T) {
	t.Parallel()
	var ids, endings []string
	for _, f := range Formats() {
		ids, endings = append(ids, string(f.ID)), append(endings, f.endings()...)
		if f.Label == "" || f.Name == "" || f.Kind == "" || len(f.endings()) == 0 || f.read == nil && f.unpack == nil {
			t.Errorf("the row of %q lacks something", f.ID)
		}
		if f.marks == nil && f.looks == nil && f.like == nil && f.unpack == nil {
			t.Errorf("no file looks like %q", f.ID)
		}
		if got := Of(f.ID); got.Label != f.Label {
			t.Errorf("%q is %q", f.ID, got.Label)
		}
	}
	for _, all := range [][]string{ids, endings} {
		slices.Sort(all)
		if n := len(all); len(slices.Compact(all)) != n {
			t.Errorf("one stands twice in %q", all)
		}
	}
	if kinds := Kinds(); !strings.HasPrefix(kinds, "PDF, Word, PowerPoint, ") || !strings.HasSuffix(kinds, " and ZIP archives of these") {
		t.Errorf("the page names %q", kinds)
	}
	if said := Readable(); !strings.Contains(said, "Word (.docx, .odt, .rtf), ") || !strings.Contains(said, "calendars (.ics)") {
		t.Errorf("messages say %q", said)
	}
	if got := Of("xyz"); got.Label != "XYZ" || got.Cut() != "" {
		t.Errorf("an unknown format is %+v", got)
	}
}
