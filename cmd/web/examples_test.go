package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
)

// examplesFile holds what the reference page shows.
const examplesFile = "../../internal/web/api/examples.json"

// examiner carries out the requests of testdata/examples.txt.
type examiner struct {
	t           *testing.T
	url, secret string
	kept        map[string]string
	document    described
	steady      *strings.Replacer
	ids         map[string]string
	before      []api.Example
}

// described is what the test reads of the API's description.
type described struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct{ Schema json.RawMessage }
		}
	}
	Components struct{ Schemas map[string]json.RawMessage }
}

// TestExamplesOfTheReferenceAreReal carries out a request at every route of the API, checks that its answer is as described,
// and compares both with what the reference page shows.
func TestExamplesOfTheReferenceAreReal(t *testing.T) {
	t.Parallel()
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(away.Close)
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "example", "--preset", "everything"), "\n")
	s, _, _ := sh.env()
	s.random = &drawn{from: rand.NewChaCha8([32]byte{})}
	cfg, err := s.load("")
	noError(t, err)
	built(t)
	v := launched(t, cfg, s)
	_, text := v.get(t, api.Root+"/openapi.json")
	tr := &examiner{
		t: t, before: api.Examples(), url: v.url, secret: secret, ids: map[string]string{}, kept: map[string]string{"hook": away.URL + "/hook", "models": "http://127.0.0.1:9"},
		steady: strings.NewReplacer(v.url, "https://clew.example.org", away.URL, "https://app.example.org", sh.data, "/var/lib/clew"),
	}
	noError(t, json.Unmarshal([]byte(text), &tr.document))
	var got []api.Example
	lines, err := os.ReadFile("testdata/examples.txt")
	noError(t, err)
	for line := range strings.Lines(string(lines)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			got = append(got, tr.do(line))
		}
	}
	for _, o := range offers() {
		for _, row := range o.rows {
			for _, route := range row.Routes {
				if !slices.ContainsFunc(got, func(e api.Example) bool { return e.Route == route }) {
					t.Errorf("%s has no example", route)
				}
			}
		}
	}
	programsAreTrailed(t, sh, secret[:len("clew_")+4], got)
	slices.SortStableFunc(got, func(a, b api.Example) int { return cmp.Compare(a.Route, b.Route) })
	got = slices.CompactFunc(got, func(a, b api.Example) bool { return a.Route == b.Route })
	if *update && !t.Failed() {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		noError(t, e.Encode(got))
		noError(t, os.WriteFile(examplesFile, b.Bytes(), 0o600))
		return
	}
	if diff := gocmp.Diff(tr.before, got); diff != "" {
		t.Errorf("examples have changed (-want +got); go test ./cmd/web -run TestExamples -update accepts it:\n%s", diff)
	}
}

var aName = regexp.MustCompile(`\$([a-z]+)`)

// do carries out a line.
func (tr *examiner) do(line string) api.Example {
	tr.t.Helper()
	parts := append(strings.Split(line, "|"), "", "", "", "")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	r := operation.ParseRoute(parts[0])
	sent := aName.ReplaceAllStringFunc(parts[1], func(name string) string {
		inString, err := json.Marshal(tr.kept[name[1:]])
		noError(tr.t, err)
		return strings.Trim(string(inString), `"`)
	})
	ask, body, path := tr.request(r, sent)
	answer, err := http.DefaultClient.Do(ask)
	noError(tr.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	noError(tr.t, err)
	if want := parts[3]; want == "" && answer.StatusCode > 299 || want != "" && want != strconv.Itoa(answer.StatusCode) {
		tr.t.Errorf("%s answers %s: %s", line, answer.Status, text)
	}
	tr.fits(parts[0], r, answer, text)
	for keep := range strings.FieldsSeq(parts[2]) {
		name, at, _ := strings.Cut(keep, "=")
		if tr.kept[name] = valueAt(text, at); tr.kept[name] == "" {
			tr.t.Errorf("%s: there is no %s in %s", line, at, text)
		}
	}
	numbered := maps.Clone(tr.ids)
	shown := tr.shown(answer, text)
	if parts[4] == "varies" {
		tr.ids = numbered // in another run, its ids may first appear later
		if i := slices.IndexFunc(tr.before, func(e api.Example) bool { return e.Route == parts[0] }); i >= 0 && !*update {
			shown = tr.before[i].Answer
		}
	}
	if answer.StatusCode == http.StatusAccepted {
		tr.await(answer.Header.Get("Location"))
	}
	return api.Example{Route: parts[0], Path: tr.plain(path), Body: tr.plain(body), Status: answer.StatusCode, Answer: shown}
}

// await looks at a path until what is there is not at work any more.
func (tr *examiner) await(path string) {
	tr.t.Helper()
	for range 300 {
		ask, err := http.NewRequestWithContext(tr.t.Context(), http.MethodGet, tr.url+path, nil)
		noError(tr.t, err)
		ask.Header.Set("Authorization", "Bearer "+tr.secret)
		answer, err := http.DefaultClient.Do(ask)
		noError(tr.t, err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusAccepted {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	tr.t.Errorf("%s is still at work", path)
}

// valueAt returns the value at a path such as items.0.id of a JSON text.
func valueAt(text []byte, path string) string {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return ""
	}
	for part := range strings.SplitSeq(path, ".") {
		switch of := v.(type) {
		case map[string]any:
			v = of[part]
		case []any:
			if n, err := strconv.Atoi(part); err == nil && n < len(of) {
				v = of[n]
			} else {
				return ""
			}
		}
	}
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprint(int64(v))
	}
	return ""
}

// request returns a request, with its body and its path as they are shown.
func (tr *examiner) request(r operation.Route, sent string) (ask *http.Request, body, path string) {
	tr.t.Helper()
	path, query, kind := r.Path, url.Values{}, ""
	params := map[string]string{}
	var b bytes.Buffer
	switch {
	case strings.HasPrefix(sent, "{"):
		fields := map[string]any{}
		noError(tr.t, json.Unmarshal([]byte(sent), &fields))
		for name, v := range fields {
			if strings.HasPrefix(name, "{") {
				params[strings.Trim(name, "{}")] = fmt.Sprint(v)
				delete(fields, name)
			}
		}
		text, err := json.Marshal(fields)
		noError(tr.t, err)
		body, kind = string(text), "application/json"
		b.Write(text)
	case sent != "":
		given, err := url.ParseQuery(sent)
		noError(tr.t, err)
		query = given
	}
	for _, name := range r.Names {
		value := cmp.Or(params[name], query.Get(name), tr.kept[name])
		query.Del(name)
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	if r.HasBody() && len(query) > 0 {
		kind, body = tr.form(&b, query)
	} else if len(query) > 0 {
		path += "?" + query.Encode()
	}
	ask, err := http.NewRequestWithContext(tr.t.Context(), r.Method, tr.url+api.Root+path, &b)
	noError(tr.t, err)
	ask.Header.Set("Authorization", "Bearer "+tr.secret)
	if kind != "" {
		ask.Header.Set("Content-Type", kind)
	}
	return ask, body, path
}

// exampleFiles are the files that examples send.
var exampleFiles = map[string]string{
	"foundry.txt":   "Maud Ferring founded the Carrow Foundry in 1871. The Carrow Foundry cast the bell Great Margery in 1872.",
	"bridge.txt":    "Aldous Penn built the Osterby Bridge in 1880.",
	"questions.csv": "question,sources,answers\nWho built the Osterby Bridge?,,Aldous Penn\n",
}

// form writes a form, and returns its media type and how curl sends it.
func (tr *examiner) form(to io.Writer, fields url.Values) (kind, shown string) {
	w := multipart.NewWriter(to)
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range fields[name] {
			text, isFile := exampleFiles[v]
			if !isFile {
				noError(tr.t, w.WriteField(name, v))
				shown += " -F " + name + "=" + v
				continue
			}
			part, err := w.CreateFormFile(name, v)
			noError(tr.t, err)
			_, err = io.WriteString(part, text)
			noError(tr.t, err)
			shown += " -F " + name + "=@" + v
		}
	}
	noError(tr.t, w.Close())
	return w.FormDataContentType(), strings.TrimSpace(shown)
}

// nameInPath matches the name of a parameter.
var nameInPath = regexp.MustCompile(`\{[^}]*`)

// fits checks an answer against the description.
func (tr *examiner) fits(route string, r operation.Route, answer *http.Response, text []byte) {
	tr.t.Helper()
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	path := r.Path
	for other := range tr.document.Paths { // which may call its parameters otherwise
		if nameInPath.ReplaceAllString(other, "") == nameInPath.ReplaceAllString(path, "") {
			path = other
		}
	}
	responses := tr.document.Paths[path][strings.ToLower(r.Method)].Responses
	response, ok := responses[strconv.Itoa(answer.StatusCode)]
	if !ok {
		response, ok = responses["default"]
		ok = ok && answer.StatusCode >= 400
	}
	if !ok {
		tr.t.Errorf("%s: the status %d is not described", route, answer.StatusCode)
		return
	}
	if !strings.HasSuffix(kind, "json") || len(response.Content[kind].Schema) == 0 {
		if len(text) > 0 && response.Content["application/octet-stream"].Schema == nil {
			tr.t.Errorf("%s: an answer of %q is not described", route, kind)
		}
		return
	}
	whole, err := json.Marshal(map[string]any{"allOf": []any{response.Content[kind].Schema}, "$defs": tr.document.Components.Schemas})
	noError(tr.t, err)
	var schema jsonschema.Schema
	noError(tr.t, json.Unmarshal(bytes.ReplaceAll(whole, []byte("#/components/schemas/"), []byte("#/$defs/")), &schema))
	resolved, err := schema.Resolve(nil)
	noError(tr.t, err)
	var v any
	noError(tr.t, json.Unmarshal(text, &v))
	if err := resolved.Validate(v); err != nil {
		tr.t.Errorf("%s: the answer is not as described: %v\n%s", route, err, text)
	}
}

var (
	aSecret = regexp.MustCompile(`(clew_|whsec_)[A-Za-z0-9+/=]{4,}|\b()[0-9A-Za-z]{43}\b`)
	aHash   = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	aShort  = regexp.MustCompile(`\b([itw]|src)[0-9a-f]{12}\b`)
	aCall   = regexp.MustCompile(`\b(msg_)?[0-9a-f]{24}\b`)
	aPlace  = regexp.MustCompile(`\bcnVu[\w-]{20,}`) // in a list of runs: an id by base64
	aFile   = regexp.MustCompile(`-\d{4}\.tar`)
)

// plain returns a text without what differs each time.
func (tr *examiner) plain(text string) string {
	text = tr.steady.Replace(text)
	text = anID.ReplaceAllStringFunc(text, func(id string) string {
		if tr.ids[id] == "" {
			tr.ids[id] = fmt.Sprintf("%s%d", anID.FindStringSubmatch(id)[1], len(tr.ids)+1)
		}
		return tr.ids[id]
	})
	text = aPlace.ReplaceAllString(text, "cnVuMQ")
	text = aCall.ReplaceAllString(text, "${1}1")
	text = aFile.ReplaceAllString(aShort.ReplaceAllString(text, "${1}1"), ".tar")
	text = aTime.ReplaceAllStringFunc(text, func(at string) string {
		if strings.Contains(at, "T") {
			return "2026-11-27T15:00:00Z"
		}
		return "2026-11-27"
	})
	return aHash.ReplaceAllString(aSecret.ReplaceAllString(text, "${1}…"), "9f86d08…")
}

// measured are the fields whose values depend on the machine.
var measured = regexp.MustCompile(`(^|_)(ms|seconds|took|p50|p95|score|nearness|rate|bytes|size|free|used|total_bytes|version|processors|memory)$`)

// shown returns an answer as it is shown: at most two items of a list, at most so many characters of a text.
func (tr *examiner) shown(answer *http.Response, text []byte) string {
	tr.t.Helper()
	if kind := answer.Header.Get("Content-Type"); !strings.Contains(kind, "json") {
		return tr.plain(answer.Header.Get("Content-Disposition"))
	}
	var v any
	noError(tr.t, json.Unmarshal(text, &v))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	noError(tr.t, e.Encode(tr.short("", v)))
	return strings.TrimSpace(b.String())
}

const (
	shownItems   = 2
	shownLetters = 240
)

func (tr *examiner) short(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		of := map[string]any{}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names) // ids are numbered in this order
		for _, name := range names {
			of[tr.plain(name)] = tr.short(name, v[name])
		}
		return of
	case []any:
		for i := range min(len(v), shownItems) {
			v[i] = tr.short(name, v[i])
		}
		return v[:min(len(v), shownItems)]
	case string:
		text := aCount.ReplaceAllString(tr.plain(v), "12 ms")
		if letters := []rune(text); len(letters) > shownLetters {
			text = string(letters[:shownLetters]) + "…"
		}
		return text
	case float64:
		if measured.MatchString(name) {
			return 1
		}
	}
	return v
}
