package main

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/heap"
	"github.com/clewhq/clew/internal/testkit/race"
)

const hostileSize = 8 << 20

// repeated returns a text of hostileSize that begins with head and repeats a piece.
func repeated(head, piece string) string {
	return head + strings.Repeat(piece, (hostileSize-len(head))/len(piece))
}

// hostileTexts are files that take far more memory than they have bytes where nothing
// counts while they are read.
func hostileTexts() map[string]string {
	return map[string]string{
		"items":            repeated("a: [", "a,"),
		"empty items":      repeated("", ","),
		"lines":            repeated("", "- a\n"),
		"nested":           repeated("", "["),
		"nested lines":     repeated("a:\n", "- - - - "),
		"keys":             repeated("", "a: b\n"),
		"anchors":          repeated("a: &a [x]\nb: [", "*a,"),
		"a number":         repeated("a: ", "9"),
		"a line":           repeated("question\n", "x"),
		"a quoted line":    repeated("question\n\"", "x\n"),
		"quotes":           repeated("question\n", `""`),
		"columns":          repeated("question", ",a"),
		"cells":            repeated("question\n", "a,"),
		"semicolons":       repeated("question,sources\nWhy?,", "a;"),
		"quoted semicolon": repeated("question,sources\nWhy?,\"", "a;\n"),
		"nothing":          repeated("", "\x00"),
		"braces":           repeated("", "{{"),
	}
}

// bounded fails if do takes more memory than a multiple of hostileSize.
func bounded(t *testing.T, what string, do func()) {
	t.Helper()
	if most := heap.Peak(do); most > 6*hostileSize {
		t.Errorf("%s takes %d MB of memory for %d MB", what, most>>20, hostileSize>>20)
	}
}

// TestHostileInputOfCommands gives commands files that they refuse, and looks at the
// memory which that takes.
func TestHostileInputOfCommands(t *testing.T) { //nolint:paralleltest // what runs beside it would be measured too
	race.Skip(t)
	sh := newShell(t, "GOGC=20") // the setting of heap.Peak, so that garbage is not measured
	dir := t.TempDir()
	for name, text := range hostileTexts() {
		path := file(t, dir, "hostile.txt", text)
		yaml := file(t, dir, "hostile.yaml", text)
		for _, args := range [][]string{
			{"schema", "set", path}, {"schema", "try", path}, {"ingest", "--schema", yaml, path}, {"eval", "questions", "import", path}, {"prompts", "set", "grade", path}, {"restore", path},
			{"model", "connect", "ollama", "--key-file", path, "--address", "http://127.0.0.1:1/v1"},
		} {
			bounded(t, fmt.Sprint(name, ": ", args[:2]), func() {
				if out, err := sh.run(t, args...); err == nil || domain.KindOf(err) == domain.Internal {
					t.Errorf("%s: %v: %.200s, error %.200v", name, args[:2], out, err)
				}
			})
		}
	}
}

// TestHostileForms sends forms that the pages refuse, and looks at the memory which
// that takes.
func TestHostileForms(t *testing.T) { //nolint:paralleltest // what runs beside it would be measured too
	race.Skip(t)
	v := newShell(t).serve(t)
	send := func(what, path, kind, body string) {
		bounded(t, what+" to "+path, func() {
			response, err := http.Post(v.url+path, kind, strings.NewReader(body))
			if err != nil {
				return // the server closed the connection
			}
			defer response.Body.Close()
			refused := path != "/documents/bill" && len(body) > 1<<20 // a bill of many files is one of the first
			if refused && response.StatusCode < 400 || response.StatusCode >= 500 {
				t.Errorf("%s to %s: status %d", what, path, response.StatusCode)
			}
		})
	}
	parts := func(header, content string) (kind, body string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for b.Len() < hostileSize {
			part, err := w.CreatePart(map[string][]string{"Content-Disposition": {header}})
			if err != nil {
				t.Fatal(err)
			}
			part.Write([]byte(content))
		}
		w.Close()
		return w.FormDataContentType(), b.String()
	}
	fields, files := `form-data; name="schema"`, `form-data; name="files"; filename="a"`
	for _, path := range []string{"/documents", "/documents/bill", "/documents/text", "/schema/yaml", "/evaluation/import", "/evaluation/questions", "/settings/model", "/prices", "/documents/chosen"} {
		for name, body := range map[string]string{
			"equal fields": repeated("", "a&"), "fields": manyFields(), "a field": repeated("text=", "%25"), "semicolons": repeated("text=", "a;"),
		} {
			if path == "/documents/text" && (name == "a field" || name == "semicolons") {
				continue // which is what it takes
			}
			send(name, path, "application/x-www-form-urlencoded", body)
			send("a small form of "+name, path, "application/x-www-form-urlencoded", body[:1<<20-1000]) // which the form has room for
		}
		for name, part := range map[string][2]string{"parts": {fields, "x"}, "empty files": {files, ""}, "long headers": {fields + "; x=" + strings.Repeat("y", 1<<20), ""}} {
			kind, body := parts(part[0], part[1])
			send(name, path, kind, body)
		}
	}
	for name, text := range hostileTexts() {
		for path, most := range map[string]int{"/schema/yaml": 1<<20 - 1000, "/evaluation/import": hostileSize - 1000} { // which the form has room for
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			part, _ := w.CreateFormFile("file", "a")
			part.Write([]byte(text[:most]))
			w.Close()
			send(name, path, w.FormDataContentType(), b.String())
		}
	}
	bounded(t, "pasted text", func() { v.post(t, "/documents/text", url.Values{"text": {strings.Repeat("a%", hostileSize/8)}}) })
}

func manyFields() string {
	var b strings.Builder
	for i := 0; b.Len() < hostileSize; i++ {
		fmt.Fprintf(&b, "a%d=1&", i)
	}
	return b.String()
}
