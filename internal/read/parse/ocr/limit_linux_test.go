package ocr_test

import (
	"strings"
	"testing"
)

// TestTesseractMakesWay has tesseract read its own priority.
func TestTesseractMakesWay(t *testing.T) {
	fake(t, strings.NewReplacer("cat ", "/bin/cat ", "Built", `'"$(/usr/bin/nice)"'`).Replace(table))
	text, err := readBy(t.Context(), reader(t, 9), scanned(40, 60, strings.Repeat("\xff", 2400)))
	if err != nil || !strings.Contains(text.Content, "The harbour.\n\n10") {
		t.Errorf("read %q, error %v", text.Content, err)
	}
}
