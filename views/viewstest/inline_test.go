package viewstest

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/a-h/templ"
)

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var _ = regexp.MustCompile
