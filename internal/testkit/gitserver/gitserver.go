// Package gitserver serves a Git repository to tests over HTTP, as Git itself does.
package gitserver

import (
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A Server has one repository, at Address.
type Server struct {
	*httptest.Server

	Address string
	Token   string                                            // required for reading it; "" if none
	Answer  func(w http.ResponseWriter, r *http.Request) bool // answers in place of Git if it returns true; set before requests

	t    testing.TB
	work string

	mu    sync.Mutex
	posts int
	sent  int64
}

// New serves an empty repository, whose server leaves files out of packs on request if partial is set. Where the program git is not
// installed it skips the test, except in CI.
func New(t testing.TB, partial bool) *Server {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("tests on Git repositories need git (Debian: git)")
	}
	if err != nil {
		t.Fatalf("the program git serves the repository: %v", err)
	}
	root := t.TempDir()
	s := &Server{t: t, work: filepath.Join(root, "work")}
	s.run("", "init", "--quiet", "--initial-branch=main", "--separate-git-dir="+filepath.Join(root, "box.git"), s.work)
	s.Git("config", "uploadpack.allowFilter", map[bool]string{true: "true", false: "false"}[partial])
	backend := &cgi.Handler{Path: program, Args: []string{"http-backend"}, Env: append(quiet(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"), Stderr: io.Discard}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &counter{ResponseWriter: w}
		defer s.count(r, counted)
		if s.Answer != nil && s.Answer(counted, r) {
			return
		}
		if _, token, _ := r.BasicAuth(); s.Token != "" && token != s.Token {
			counted.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(counted, "sign in", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(counted, r)
	}))
	t.Cleanup(s.Close)
	s.Address = s.URL + "/box.git"
	return s
}

// quiet is an environment in which Git ignores the configuration of the machine.
func quiet() []string {
	return []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=Maud", "GIT_AUTHOR_EMAIL=maud@example.org", "GIT_COMMITTER_NAME=Maud",
		"GIT_COMMITTER_EMAIL=maud@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
}

type counter struct {
	http.ResponseWriter

	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += int64(n)
	return n, err
}

func (s *Server) count(r *http.Request, c *counter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent += c.n
	if r.Method == http.MethodPost {
		s.posts++
	}
}

// Sent returns how many commands were answered since the last call, and with how many bytes.
func (s *Server) Sent() (commands int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	commands, bytes = s.posts, s.sent
	s.posts, s.sent = 0, 0
	return commands, bytes
}

// Git runs a command of Git in the repository, and returns what it prints.
func (s *Server) Git(args ...string) string { return s.run(s.work, args...) }

func (s *Server) run(dir string, args ...string) string {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), "git", args...)
	c.Dir, c.Env = dir, append(os.Environ(), quiet()...)
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Put writes a file, and commits it.
func (s *Server) Put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.work, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.Commit()
}

// Drop removes a file, and commits that.
func (s *Server) Drop(name string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.work, filepath.FromSlash(name))); err != nil {
		s.t.Fatal(err)
	}
	s.Commit()
}

// Commit commits all that has changed in the folder of the repository, which Work returns.
func (s *Server) Commit() {
	s.t.Helper()
	s.Git("add", "--all")
	s.Git("commit", "--quiet", "--allow-empty", "--message", "Change")
}

// Work returns the folder with the files of the repository.
func (s *Server) Work() string { return s.work }
