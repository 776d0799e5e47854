package viewstest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestShowcase writes every example as a file for the browser if CLEW_SHOWCASE
// names a folder; its style sheets belong beside it in static.
func TestShowcase(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CLEW_SHOWCASE")
	if dir == "" {
		t.Skip("CLEW_SHOWCASE names no folder to write the pages to.")
	}
	for _, e := range Examples() {
		html := bytes.ReplaceAll(render(t, e.Page), []byte(`"/static/`), []byte(`"static/`))
		if err := os.WriteFile(filepath.Join(dir, e.Name+".html"), html, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
