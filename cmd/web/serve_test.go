package main

import (
	"context"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit/race"
)

func TestThePortThatIsTaken(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken := other.Addr().String()
	_, err = listen(t.Context(), "LISTEN", taken)
	if err == nil || !strings.Contains(err.Error(), taken+" is taken") || !strings.Contains(err.Error(), "LISTEN=127.0.0.1:8081") {
		t.Errorf("error = %v", err)
	}
	built(t)
	sh := newShellWithoutData(t, "LISTEN="+taken)
	if _, err := sh.run(t); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("the program says %v", err)
	}
	if _, err := os.Stat(sh.data); err == nil {
		t.Error("a data folder was made all the same")
	}
}

func TestAnAddressThatIsNone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"192.0.2.7:0", "nowhere.invalid:0"} {
		if l, err := listen(t.Context(), "LISTEN", address); err == nil || !strings.Contains(err.Error(), "LISTEN") {
			t.Errorf("%s: %v, %v", address, l, err)
		}
	}
}

func TestBeyondLoopbackAnAccountIsNeeded(t *testing.T) {
	t.Parallel()
	built(t)
	sh := newShell(t, "LISTEN=0.0.0.0:0")
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	s, _, _ := sh.env()
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	err = serve(ctx, cfg, s, nil)
	if domain.KindOf(err) != domain.Forbidden || !strings.Contains(err.Error(), "clew user add") || !strings.Contains(err.Error(), "FIRST_PASSWORD") {
		t.Fatalf("error = %v", err)
	}
	sh.environ = append(sh.environ, "FIRST_PASSWORD=correct horse")
	v := sh.serve(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(v.url, "http://"))
	v.url = "http://127.0.0.1:" + port
	if status, _ := v.get(t, "/documents"); status != 303 {
		t.Errorf("the door is open: status %d", status)
	}
	if status, _ := v.post(t, "/login", url.Values{"name": {"admin"}, "password": {"correct horse"}}); status != 303 {
		t.Errorf("the first account can't sign in: status %d", status)
	}
}

func TestTheFirstPasswordIsForTheFirstStart(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "FIRST_PASSWORD=correct horse", "FIRST_USER=ada")
	for i, password := range []string{"correct horse", "another horse"} {
		sh.environ[0] = "FIRST_PASSWORD=" + password
		v := sh.serve(t)
		if status, _ := v.post(t, "/login", url.Values{"name": {"ada"}, "password": {"correct horse"}}); status != 303 {
			t.Errorf("start %d: status %d", i+1, status)
		}
		if err := v.stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnAccountByTheCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	v := sh.serve(t)
	if status, _ := v.get(t, "/"); status != 200 {
		t.Fatalf("without an account: status %d", status)
	}
	sh.stdin = "short\n"
	if _, err := sh.run(t, "user", "add", "ada"); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a short password: %v", err)
	}
	if out := sh.must(t, "user", "list"); !strings.Contains(out, "There are no accounts") {
		t.Errorf("printed %q", out)
	}
	sh.stdin = "correct horse\r\n"
	if out := sh.must(t, "user", "add", "Ada"); !strings.Contains(out, "can now sign in") {
		t.Errorf("printed %q", out)
	}
	if status, _ := v.get(t, "/"); status != 303 {
		t.Errorf("the running server lets anybody in: status %d", status)
	}
	if status, _ := v.post(t, "/login", url.Values{"name": {"ada"}, "password": {"correct horse"}}); status != 303 {
		t.Errorf("sign in: status %d", status)
	}
}

func TestAccountsByTheCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.stdin = "correct horse\n"
	if _, err := sh.run(t, "user", "add", "ada", "--role", "reader"); domain.KindOf(err) != domain.Conflict {
		t.Errorf("the first account as a reader: %v", err)
	}
	sh.must(t, "user", "add", "ada")
	sh.must(t, "user", "add", "bob")
	sh.must(t, "user", "add", "eve", "--role", "owner")
	if _, err := sh.run(t, "user", "add", "ada"); domain.KindOf(err) != domain.Conflict {
		t.Errorf("the same name again: %v", err)
	}
	v := sh.serve(t)
	if status, _ := v.post(t, "/login", url.Values{"name": {"ada"}, "password": {"correct horse"}}); status != 303 {
		t.Fatalf("sign in: status %d", status)
	}
	list := regexp.MustCompile(` +`).ReplaceAllString(sh.must(t, "user", "list"), " ")
	for _, want := range []string{"ada owner ", " 1 20", "bob contributor ", "eve owner ", " 0 -"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q:\n%s", want, list)
		}
	}
	sh.stdin = "another horse\n"
	sh.must(t, "user", "password", "ada")
	if list := sh.must(t, "user", "list"); strings.Contains(list, " 1 ") {
		t.Errorf("after the new password there is a session:\n%s", list)
	}
	if _, err := sh.run(t, "user", "password", "nobody"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("the password of nobody: %v", err)
	}
	sh.must(t, "user", "remove", "eve")
	if _, err := sh.run(t, "user", "remove", "ada"); domain.KindOf(err) != domain.Conflict || !strings.Contains(err.Error(), "only owner") {
		t.Errorf("removing the last owner: %v", err)
	}
}

func TestTheServerSeesWhatCommandsDo(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	v := sh.serve(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	for path, want := range map[string]string{"/documents": "foundry.txt", "/graph?view=table&q=ferring": "Maud Ferring", "/runs": "bridge.md"} {
		if _, page := v.get(t, path); !strings.Contains(page, want) {
			t.Errorf("%s does not show %s", path, want)
		}
	}
	question := "Who founded the Carrow Foundry?"
	_, place := v.post(t, "/ask", url.Values{"question": {question}})
	conversation, id, _ := strings.Cut(place, "#turn-")
	a := sh.app(t)
	m := settled(t, a, domain.MessageID(id))
	if m.Status != ledger.MessageDone || !strings.Contains(m.Text, "Maud Ferring") || len(m.Citations) == 0 {
		t.Errorf("the server answers %+v", m)
	}
	if _, page := v.get(t, conversation); !strings.Contains(page, "Maud Ferring founded the Carrow Foundry.") {
		t.Error("the page does not show the answer")
	}
	sh.must(t, "ask", "Where was Tobias Quennell born?")
	if _, page := v.get(t, "/ask"); !strings.Contains(page, "Where was Tobias Quennell born?") {
		t.Error("the page does not list what was asked by the command")
	}
}

// settled waits for an answer that another app writes.
func settled(t *testing.T, a *app, id domain.MessageID) ledger.Answer {
	t.Helper()
	m, err := a.ledger.Message(t.Context(), domain.DefaultWorkspace, id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, m.Run, 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err = a.ledger.Message(t.Context(), domain.DefaultWorkspace, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStoppingLosesNothing(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	v := sh.serve(t)
	if status, _ := v.post(t, "/sample", nil); status != 303 {
		t.Fatalf("status %d", status)
	}
	if err := v.stop(); err != nil {
		t.Fatal(err)
	}
	if out := v.stdout.String(); !strings.Contains(out, "Clew is at http://127.0.0.1:") || !strings.Contains(out, "load the sample library") || !strings.Contains(out, "Stopping.") {
		t.Errorf("printed %q", out)
	}
	v = sh.serve(t)
	if v.took > hangs { // under a second on a quiet machine
		t.Errorf("the second start took %v", v.took)
	}
	a := sh.app(t)
	docs, total, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	if err != nil || total != 12 {
		t.Fatalf("%d documents, %v", total, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	for _, d := range docs {
		for _, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, d.Run, 0) {
			if err != nil {
				t.Fatal(err)
			}
		}
		d, err := a.ledger.Document(ctx, domain.DefaultWorkspace, d.ID)
		if err != nil || d.Status != domain.DocumentReady {
			t.Errorf("%s is %s %s, %v", d.Name, d.Status, d.Problem, err)
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "LLM_PROVIDER=openai", "LLM_BASE_URL=http://127.0.0.1:1/v1", "LLM_MODEL=tiny", "LLM_API_KEY=s3cret-key")
	v := sh.serve(t)
	status, page := v.get(t, "/settings")
	if status != 200 || !strings.Contains(page, "tiny") || !strings.Contains(page, "LLM_API_KEY") {
		t.Errorf("status %d: the settings are not shown", status)
	}
	if strings.Contains(page, "s3cret-key") || strings.Contains(v.stdout.String(), "s3cret-key") {
		t.Error("the key is shown")
	}
}

func TestAModelThatAppearsLater(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := read(t)
	sh.environ = []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=http://127.0.0.1:1/v1", "LLM_MODEL=tiny"}
	if _, page := sh.serve(t).get(t, "/"); !regexp.MustCompile(`2\s+documents\s+were\s+read\s+by\s+another\s+model`).MatchString(page) {
		t.Error("the page does not offer to read the documents again")
	}
}

func TestHealth(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	v := sh.serve(t)
	address := strings.TrimPrefix(v.url, "http://")
	_, port, _ := net.SplitHostPort(address)
	for _, listen := range []string{address, ":" + port, "0.0.0.0:" + port} {
		if err := healthy(t.Context(), listen); err != nil {
			t.Errorf("%s: %v", listen, err)
		}
	}
	if err := v.stop(); err != nil {
		t.Fatal(err)
	}
	sh.environ = []string{"LISTEN=" + address}
	if _, err := sh.run(t, "health"); err == nil || !strings.Contains(err.Error(), "Nothing answers at "+address) {
		t.Errorf("a server that has stopped: %v", err)
	}
}
