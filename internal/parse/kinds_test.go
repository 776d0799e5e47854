package parse

import (
	"slices"
	"strings"
	"testing"
)

// TestKindsNameEveryFormat compares what the page names with what can be read.
func TestKindsNameEveryFormat(t *testing.T) {
	t.Parallel()
	for format := range extensions {
		named := 0
		for _, k := range kinds {
			if slices.Contains(k.formats, format) {
				named++
			}
		}
		if named != 1 {
			t.Errorf("%s is named %d times", format, named)
		}
	}
	if said := Kinds(); !strings.HasPrefix(said, "PDF, Word, ") || !strings.HasSuffix(said, " and ZIP archives of these") {
		t.Errorf("the page says %q", said)
	}
}
