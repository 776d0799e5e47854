package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/api"
)

// TestWhatIsWrongWithAServerIsTold asks servers that are not what they should be.
func TestWhatIsWrongWithAServerIsTold(t *testing.T) {
	t.Parallel()
	const token = "clew_secret0123456789"
	answering := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	problem := func(status int, detail string) http.HandlerFunc {
		return answering(status, "application/problem+json", fmt.Sprintf(`{"title": "x", "status": %d, "detail": %q}`, status, detail))
	}
	of := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	secure := httptest.NewUnstartedServer(problem(404, "x"))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	older := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/openapi.json") {
			answering(200, "application/json", `{"info": {"version": "0.1"}}`)(w, r)
			return
		}
		problem(404, api.NoRoute)(w, r)
	}
	broken := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half of")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	sh := newShellWithoutData(t, "CLEW_TOKEN="+token)
	for name, tt := range map[string]struct{ server, says string }{
		"nobody there":      {"http://127.0.0.1:1", "does not answer: dial tcp 127.0.0.1:1: connect: connection refused. Check the address"},
		"an unknown name":   {"http://nowhere.invalid", "does not answer: "},
		"a strange address": {"ftp://127.0.0.1", "is not the address of a server"},
		"somebody":          {"http://ada:pass@127.0.0.1:1", "http://ada:xxxxx@127.0.0.1:1 names somebody"},
		"its certificate":   {secure.URL, "a certificate by nobody whom this machine trusts"},
		"no HTTPS":          {strings.Replace(of(problem(404, "x")), "http:", "https:", 1), "does not speak HTTPS"},
		"a proxy alone":     {of(answering(502, "text/html", "<h1>Bad Gateway</h1>")), "answers 502 Bad Gateway, not as Clew does. The proxy before it does not reach clew serve"},
		"a proxy's limit":   {of(answering(413, "text/html", "<h1>Too large</h1>")), "takes no files of this size"},
		"a proxy's login":   {of(answering(200, "text/html", "<form>")), "a page for people"},
		"a login elsewhere": {of(http.RedirectHandler("/login", http.StatusFound).ServeHTTP), "sends on to a page, http://127.0.0.1"},
		"its other address": {of(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://clew.test"+r.URL.Path, http.StatusMovedPermanently)
		}), "Use that one: --server https://clew.test"},
		"something else":     {of(answering(404, "text/plain", "not found")), "is it a Clew of this version?"},
		"a wrong token":      {of(problem(401, "The token is unknown.")), "The token is unknown. The token is that of --token"},
		"a missing scope":    {of(problem(403, "The token lacks the scope admin.")), "lacks the scope admin"},
		"another version":    {of(older), "runs Clew 0.1, and this is dev. Update the older one."},
		"a broken answer":    {of(broken), "broke off"},
		"not found":          {of(problem(404, "There is no document x.")), "There is no document x."},
		"a server with work": {of(problem(503, "It is overloaded.")), "It is overloaded."},
	} {
		out, err := sh.run(t, "documents", "list", "--server", tt.server)
		if err == nil || !strings.Contains(strings.Join(sentences(err), " "), tt.says) || strings.Contains(err.Error()+out, token) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
	if out, err := sh.run(t, "health", "--server", of(answering(200, "text/plain", "ok\n"))); err != nil || out != "" {
		t.Errorf("a healthy server: %s, %v", out, err)
	}
	if _, err := sh.run(t, "health", "--server", "http://127.0.0.1:1"); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("no server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := of(func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	s, _, _ := sh.env()
	root := program(s)
	root.SetArgs([]string{"documents", "list", "--server", waiting})
	if err := root.ExecuteContext(ctx); err == nil || err.Error() != "Stopped." {
		t.Errorf("a command that is stopped: %v", err)
	}
}

// TestATokenIsReadFromWhereItIs names a token in each way.
func TestATokenIsReadFromWhereItIs(t *testing.T) {
	t.Parallel()
	var had string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		had = r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "text/plain")
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	kept, empty := file(t, dir, "token", "clew_kept\n"), file(t, dir, "empty", "\n")
	for _, tt := range []struct {
		environ, args []string
		stdin         string
		want          string // "" if it is refused
	}{
		{[]string{"CLEW_TOKEN=clew_set"}, nil, "", "clew_set"},
		{[]string{"CLEW_TOKEN_FILE=" + kept}, nil, "", "clew_kept"},
		{[]string{"CLEW_TOKEN=clew_set"}, []string{"--token", "clew_given"}, "", "clew_given"},
		{[]string{"CLEW_TOKEN=clew_set"}, []string{"--token-file", kept}, "", "clew_kept"},
		{nil, []string{"--token-file", "-"}, "clew_typed\nand more", "clew_typed"},
		{nil, []string{"--token-file", empty}, "", ""},
		{nil, []string{"--token-file", dir + "/none"}, "", ""},
		{nil, nil, "", ""},
		{[]string{"CLEW_TOKEN=two words"}, nil, "", ""},
		{nil, []string{"--token", "a", "--token-file", kept}, "", ""},
	} {
		had = ""
		sh := newShellWithoutData(t, tt.environ...)
		sh.stdin = tt.stdin
		_, err := sh.run(t, append([]string{"themes", "--server", server.URL}, tt.args...)...)
		if (err == nil) != (tt.want != "") || tt.want != "" && had != "Bearer "+tt.want {
			t.Errorf("%v %v: sent %q, %v; want %q", tt.environ, tt.args, had, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "two words") {
			t.Errorf("it prints the token: %v", err)
		}
	}
}

// TestEveryCommandKnowsServers walks all commands: with a server named, none works on the library of this machine instead.
func TestEveryCommandKnowsServers(t *testing.T) {
	t.Parallel()
	sh := newShellWithoutData(t, "CLEW_SERVER=http://127.0.0.1:1", "CLEW_TOKEN=clew_x")
	s, _, _ := sh.env()
	counted := map[string]int{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !does(cmd) {
			return
		}
		err := refuseServer(s)(cmd, nil)
		why := cmd.Annotations[hereAlone]
		switch {
		case cmd.Annotations[carriesRemote] != "" || cmd.Annotations[needsNone] != "":
			if err != nil {
				t.Errorf("%s: %v", cmd.CommandPath(), err)
			}
			counted["works"]++
		case why == "" || !strings.HasSuffix(why, "."):
			t.Errorf("%s neither works on a server nor says why: %q", cmd.CommandPath(), why)
		case err == nil || !strings.Contains(err.Error(), why):
			t.Errorf("%s: %v, want %q", cmd.CommandPath(), err, why)
		default:
			counted["here"]++
		}
	}
	walk(program(s))
	if counted["works"] < 100 || counted["here"] < 5 {
		t.Errorf("walked over %v", counted)
	}
	for _, args := range [][]string{{}, {"serve"}, {"backup", "x"}} {
		if _, err := sh.run(t, args...); domain.KindOf(err) != domain.Unsupported || !strings.Contains(err.Error(), "works on this machine alone: ") {
			t.Errorf("clew %v: %v", args, err)
		}
	}
	if _, err := sh.run(t, "completion", "bash"); err != nil {
		t.Errorf("completion: %v", err)
	}
	here := newShell(t, "CLEW_SERVER=http://127.0.0.1:1")
	if out := here.must(t, "documents", "list", "--json", "--server="); out != "[]\n" {
		t.Errorf("with an empty server: %s", out)
	}
}
