package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
)

// TestHostileRequestsAreRefused sends every route of the API what no client should send. Each is refused with a problem that
// has a sentence, and changes nothing.
func TestHostileRequestsAreRefused(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	s := sh.serve(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "hostile", "--preset", "everything"), "\n")
	before := sh.must(t, "changes", "list", "--json") + sh.must(t, "documents", "list", "--json") + sh.must(t, "settings", "--json")
	send := func(method, path, kind, body string) (int, string, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+api.Root+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", kind)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, answer.Header.Get("Content-Type"), string(text)
	}
	refused := func(what, method, path, kind, body string) {
		t.Helper()
		status, media, text := send(method, path, kind, body)
		var p api.Problem
		if status < 400 || status >= 500 || media != "application/problem+json" || json.Unmarshal([]byte(text), &p) != nil || p.Detail == "" {
			t.Errorf("%s %s, %s: status %d, %s %.300s", method, path, what, status, media, text)
		}
	}
	value, asked := regexp.MustCompile(`{[^}]*}`), 0
	for _, o := range offers() {
		for _, row := range o.rows {
			for _, text := range row.Routes {
				r := operation.ParseRoute(text)
				asked++
				if len(r.Names) > 0 {
					for what, name := range map[string]string{"a NUL": "a%00b", "bad UTF-8": "%ff%fe", "another file": "..%2f..%2fetc%2fpasswd", "a long name": strings.Repeat("x", 3000)} {
						refused(what+" in the path", r.Method, value.ReplaceAllString(r.Path, name), "application/json", "")
					}
				}
				path := value.ReplaceAllString(r.Path, "nothing")
				if !r.HasBody() {
					refused("an unknown parameter", r.Method, path+"?nonsense=1", "", "")
					continue
				}
				field := "nonsense"
				for _, f := range operation.Fields(row.In) {
					if f.Type.Kind().String() == "string" && !strings.Contains(r.Path, "{"+f.Name+"}") {
						field = f.Name
					}
				}
				for what, body := range map[string]string{
					"no JSON": `{"`, "an array": `[1]`, "a word": `"x"`, "null": `null`, "bad UTF-8": "{\"" + field + "\": \"\xff\xfe\"}", "a NUL": `{"` + field + `": "a\u0000b"}`,
					"a huge number": `{"` + field + `": 1e999}`, "deep nesting": `{"` + field + `":` + strings.Repeat("[", 20_000), "deep, closed": `{"` + field + `":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}",
					"an object in place of a text": `{"` + field + `": {"a": 1}}`, "an unknown field": `{"no_such_field": 1}`, "two values": `{} {}`,
				} {
					refused(what, r.Method, path, "application/json", body)
				}
				refused("a form without an end", r.Method, path, "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nMaud")
				refused("another type", r.Method, path, "application/xml", "<a/>")
			}
		}
	}
	refused("10 MB", "POST", "/search", "application/json", fmt.Sprintf(`{"question": %q}`, strings.Repeat("x", 10<<20)))
	if after := sh.must(t, "changes", "list", "--json") + sh.must(t, "documents", "list", "--json") + sh.must(t, "settings", "--json"); after != before {
		t.Errorf("the library has changed:\n%s\nwas\n%s", after, before)
	}
	if asked < 100 {
		t.Errorf("only %d routes were asked", asked)
	}
}
