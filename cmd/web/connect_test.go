package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/race"
)

const connectedKey = "sk-brimwhistle-9071"

// connects fills in the form of a model.
func connects(t *testing.T, v *served, model *llmtest.Server, name, embed string) {
	t.Helper()
	status, to := v.post(t, "/settings/model", url.Values{
		"role": {"answer"}, "server": {"vllm"}, "address": {model.URL}, "key": {connectedKey}, "model": {name}, "embed": {embed},
	})
	if status != http.StatusSeeOther || to != "/settings?done=model#row-answer" {
		t.Fatalf("status %d, to %s", status, to)
	}
}

// until waits until a page says something.
func (v *served) until(t *testing.T, path, says string) {
	t.Helper()
	for range 300 {
		if _, page := v.get(t, path); strings.Contains(page, says) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("%s never says %q", path, says)
}

// TestAModelConnectedInThePageIsUsedAtOnce connects a model to a running server that
// has read documents without one, has them read again, asks, and forgets the model.
// The key is then looked for in everything that the program has written.
func TestAModelConnectedInThePageIsUsedAtOnce(t *testing.T) {
	race.Want(t)
	t.Parallel()
	model := obliging(t)
	sh := read(t)
	s, stdout, stderr := sh.env()
	cfg, err := s.load("")
	noError(t, err)
	v := launched(t, cfg, s)
	if _, page := v.get(t, "/settings"); !strings.Contains(page, "No model is configured.") {
		t.Fatal("a model is connected already")
	}
	connects(t, v, model, "tiny", "small")
	_, page := v.get(t, "/settings")
	for _, want := range []string{"tiny at ", "2 documents were read by another model or prompt", "2 calls", "connected "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, connectedKey) {
		t.Error("the page shows the key")
	}
	if status, _ := v.post(t, "/documents/again", nil); status != http.StatusSeeOther {
		t.Fatalf("reading again: status %d", status)
	}
	a := sh.app(t)
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	for _, d := range docs {
		a.finishes(t, d.Run)
	}
	_, place := v.post(t, "/ask", url.Values{"question": {"Who founded the Carrow Foundry?"}})
	_, id, _ := strings.Cut(place, "#turn-")
	m := settled(t, a, domain.MessageID(id))
	if !strings.Contains(m.Text, "Maud Ferring founded it") {
		t.Errorf("the answer is %q", m.Text)
	}
	for _, r := range model.Requests(llmtest.Any) {
		if r.Header.Get("Authorization") != "Bearer "+connectedKey {
			t.Fatalf("a request has the key %q", r.Header.Get("Authorization"))
		}
	}
	elsewhere := t.TempDir()
	archive := filepath.Join(elsewhere, "archive")
	sh.must(t, "backup", archive)
	sh.must(t, "run", "export", string(m.Run), filepath.Join(elsewhere, "run"))
	if status, _ := v.post(t, "/settings/model/forget", url.Values{"role": {"answer"}}); status != http.StatusSeeOther {
		t.Fatalf("forgetting: status %d", status)
	}
	v.until(t, "/settings", "No model is configured.")
	if strings.Contains(stdout.String()+stderr.String(), connectedKey) {
		t.Error("the key was printed or logged")
	}
	noError(t, v.stop())
	holdsNot(t, sh.data, connectedKey)
	holdsNot(t, elsewhere, connectedKey)
	restoredWithoutKey(t, sh, archive)
}

// restoredWithoutKey restores a backup where the key file is not, and where it is.
func restoredWithoutKey(t *testing.T, sh shell, archive string) {
	t.Helper()
	to := shell{data: filepath.Join(t.TempDir(), "data")}
	s, stdout, stderr := to.env()
	root := program(s)
	root.SetArgs([]string{"restore", archive})
	noError(t, root.ExecuteContext(t.Context()))
	if out := stdout.String() + stderr.String(); !strings.Contains(out, "The model tiny is not used for answer.") || !strings.Contains(out, "connect the model again") {
		t.Errorf("without the key file: %s", out)
	}
	if out, err := to.run(t, "doctor"); err == nil || !strings.Contains(out, "Model: tiny is not used for answer. Its key can't be decrypted") {
		t.Errorf("the doctor says %s, error %v", out, err)
	}
	key, err := os.ReadFile(filepath.Join(sh.data, "secret.key"))
	noError(t, err)
	file(t, to.data, "secret.key", string(key))
	if out := to.must(t, "model", "list"); !strings.Contains(out, "answer    tiny   connected") {
		t.Errorf("with the key file: %s", out)
	}
}

// holdsNot fails for each file of a folder that holds a text.
func holdsNot(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	noError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			t.Errorf("%s holds %q", path, text)
		}
		return err
	}))
	if files == 0 {
		t.Errorf("%s is empty: the test would see nothing", dir)
	}
}

// TestAModelConnectedByTheCommandReachesTheServer connects a model in another
// process.
func TestAModelConnectedByTheCommandReachesTheServer(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := read(t)
	v := sh.serve(t)
	sh.stdin = connectedKey + "\n"
	out := sh.must(t, "model", "connect", "other", "--address", model.URL, "--model", "tiny", "--key-file", "-")
	for _, want := range []string{"works  The model tiny answers.", "works  It calls tools", "works  The model's context length is 32,768 tokens", "Connected."} {
		if !strings.Contains(out, want) {
			t.Errorf("the command does not say %q:\n%s", want, out)
		}
	}
	v.until(t, "/settings", "tiny at ")
	if out := sh.must(t, "model", "list"); !strings.Contains(out, "answer    tiny   connected  "+model.URL) {
		t.Errorf("the list:\n%s", out)
	}
	if out := sh.must(t, "model", "again", "--bill"); !strings.Contains(out, "2 documents were read by another model or prompt: 2 passages, 2 calls, ") {
		t.Errorf("the bill: %s", out)
	}
	if out := sh.must(t, "model", "again"); !strings.Contains(out, "reads them") || !strings.Contains(out, "2 of 2: ") {
		t.Errorf("reading again: %s", out)
	}
	if out := sh.must(t, "model", "offered", "other", "--address", model.URL); out != "small\ntiny  32,768 tokens\n" {
		t.Errorf("the server offers %q", out)
	}
	sh.must(t, "model", "forget", "answer")
	v.until(t, "/settings", "No model is configured.")
	if _, err := sh.run(t, "model", "connect", "other", "--address", "http://127.0.0.1:1/v1", "--model", "tiny"); err == nil || !strings.Contains(err.Error(), "Nothing was saved") {
		t.Errorf("a server that is not there: %v", err)
	}
}
