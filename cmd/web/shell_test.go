package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/config"
	emptydb "github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/static"
	"github.com/clewhq/clew/views/link"
)

// hangs is how long a test waits for what takes seconds on a quiet machine.
const hangs = 5 * time.Minute

// screen collects output from several goroutines.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// shell runs commands on one data folder.
type shell struct {
	data    string
	environ []string
	stdin   string
	stores  func(*app, context.Context) error // nil: those of the settings
}

// newShell begins with an empty library: bringing a new database up to date takes
// longer than most commands.
func newShell(t *testing.T, environ ...string) shell {
	t.Helper()
	sh := newShellWithoutData(t, environ...)
	if err := os.Mkdir(sh.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := emptydb.Make(filepath.Join(sh.data, "clew.db")); err != nil {
		t.Fatal(err)
	}
	return sh
}

// newShellWithoutData begins as on the first day, without a data folder.
func newShellWithoutData(t *testing.T, environ ...string) shell {
	t.Helper()
	race.SkipUnwanted(t)
	return shell{data: filepath.Join(t.TempDir(), "data"), environ: environ}
}

// env of one command, with what it will have printed.
func (sh shell) env() (s env, stdout, stderr *screen) {
	stdout, stderr = new(screen), new(screen)
	return env{
		environ: append([]string{"DATA_DIR=" + sh.data, "LISTEN=127.0.0.1:0"}, sh.environ...),
		stdin:   strings.NewReader(sh.stdin), stdout: stdout, stderr: stderr, now: time.Now, random: rand.Reader, stores: sh.stores,
	}, stdout, stderr
}

// run runs a command and returns its output.
func (sh shell) run(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	out, _, err := sh.carryOut(t, args...)
	return out.String(), err
}

// carryOut runs a command and returns what it printed.
func (sh shell) carryOut(t *testing.T, args ...string) (stdout, stderr *screen, err error) {
	t.Helper()
	s, stdout, stderr := sh.env()
	root := program(s)
	root.SetArgs(args)
	return stdout, stderr, root.ExecuteContext(t.Context())
}

// must is run for commands that can't fail.
func (sh shell) must(t *testing.T, args ...string) string {
	t.Helper()
	out, log, err := sh.carryOut(t, args...)
	if err != nil {
		t.Fatalf("clew %s: %v\n%s%s", strings.Join(args, " "), err, out, log)
	}
	return out.String()
}

// served is a running server.
type served struct {
	url    string
	took   time.Duration // until it served
	stdout *screen
	stop   func() error
}

// serve starts a server that is stopped when the test ends.
func (sh shell) serve(t *testing.T) *served {
	t.Helper()
	built(t)
	s, _, _ := sh.env()
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	return launched(t, cfg, s)
}

// launched starts a server with the given settings.
func launched(t *testing.T, cfg config.Config, s env) *served {
	t.Helper()
	out := s.stdout.(*screen)
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	began := time.Now()
	go func() { ended <- serve(ctx, cfg, s, ready) }()
	v := &served{stdout: out, stop: sync.OnceValue(func() error {
		cancel()
		return <-ended
	})}
	select {
	case address := <-ready:
		v.url, v.took = "http://"+address, time.Since(began)
	case err := <-ended:
		cancel()
		t.Fatalf("the server did not start: %v", err)
	}
	t.Cleanup(func() {
		if err := v.stop(); err != nil {
			t.Errorf("stop the server: %v", err)
		}
	})
	return v
}

// built skips a test that needs the front end if it has not been built, except
// in CI.
func built(t *testing.T) {
	t.Helper()
	if err := static.Ready(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("The server is not tried: %v.", err)
	}
}

// get returns a page's status and text.
func (v *served) get(t *testing.T, path string) (int, string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if !strings.HasPrefix(path, "/api/v1/") && path != "/healthz" {
		path = library(path)
	}
	response, err := client.Get(v.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// library returns the address of a page in the workspace that an installation begins with.
func library(address string) string { return link.Under("library", address) }

// post submits a form in the library and returns where it led, without the workspace.
func (v *served) post(t *testing.T, path string, form url.Values) (int, string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(v.url+library(path), form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode, link.Out(context.Background(), response.Header.Get("Location"))
}

// file writes a file to add.
func file(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// decoded parses the one JSON value that a command prints.
func decoded[T any](t *testing.T, out string) (v T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one value in %s", out)
	}
	return v
}

const (
	foundry = "🧵 Ünïcödé before it.\n\nThe Carrow Foundry cast the bells of Osterby in 1871. Maud Ferring founded the Carrow Foundry.\n"
	bridge  = "Tobias Quennell built the Velm Bridge. He was born in Osterby.\n"
)

// letters writes two documents to read.
func letters(t *testing.T) (foundryFile, bridgeFile string) {
	t.Helper()
	dir := t.TempDir()
	return file(t, dir, "foundry.txt", foundry), file(t, dir, "bridge.md", bridge)
}
