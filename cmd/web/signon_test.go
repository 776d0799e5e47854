package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// signOnProvider is a provider of OpenID Connect in a process of its own.
type signOnProvider struct {
	issuer string
	groups string // file with the groups of each person
}

// startProvider starts a provider for the program at an address.
func startProvider(t *testing.T, program string) *signOnProvider {
	t.Helper()
	node := nodeWith(t, "oidc-provider")
	p := &signOnProvider{groups: filepath.Join(t.TempDir(), "groups.json")}
	p.in(t, map[string][]string{})
	cmd := exec.CommandContext(t.Context(), node, "cmd/web/testdata/oidc_provider.mjs", program+link.SignOnCallback, p.groups)
	cmd.Dir = absolute(t, filepath.Join("..", ".."))
	said := new(strings.Builder)
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	noError(t, err)
	out, err := cmd.StdoutPipe()
	noError(t, err)
	noError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the provider did not start: %v: %s", err, said)
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // until it ends
	p.issuer = strings.TrimSpace(first)
	return p
}

// in puts people into groups.
func (p *signOnProvider) in(t *testing.T, groups map[string][]string) {
	t.Helper()
	text, err := json.Marshal(groups)
	noError(t, err)
	noError(t, os.WriteFile(p.groups, text, 0o600))
}

// freeAddress returns an address on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	noError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// visitor is somebody with a browser that keeps cookies.
type visitor struct {
	http.Client

	t *testing.T
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	noError(t, err)
	return &visitor{http.Client{Jar: jar}, t}
}

// send sends a request, follows redirects, and returns where it ended, the status and the page.
func (v *visitor) send(r *http.Request) (at *url.URL, status int, page string) {
	v.t.Helper()
	answer, err := v.Do(r)
	noError(v.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	noError(v.t, err)
	return answer.Request.URL, answer.StatusCode, string(text)
}

func (v *visitor) open(address string) (at *url.URL, status int, page string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, address, nil)
	noError(v.t, err)
	return v.send(r)
}

func (v *visitor) post(address string, form url.Values) (at *url.URL, status int, page string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	noError(v.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.send(r)
}

// action finds the address of the form that the provider shows.
var action = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)

// signOn signs on with a name, from an address of the program, and returns where that ended.
func (v *visitor) signOn(from, name string) (at *url.URL, status int, page string) {
	v.t.Helper()
	at, status, page = v.open(from)
	for _, form := range []url.Values{{"prompt": {"login"}, "login": {name}, "password": {"any"}}, {"prompt": {"consent"}}} {
		if found := action.FindStringSubmatch(page); found != nil && strings.Contains(at.Path, "interaction") {
			to, err := at.Parse(found[1])
			noError(v.t, err)
			at, status, page = v.post(to.String(), form)
		}
	}
	return at, status, page
}

// TestPeopleSignOn by a provider as others run it, whose groups change.
func TestPeopleSignOn(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	base := "http://" + address
	p := startProvider(t, base)
	sh := newShell(t, "LISTEN="+address, "OIDC_ISSUER="+p.issuer, "OIDC_CLIENT_ID=clew", "OIDC_CLIENT_SECRET=a secret of the client",
		"OIDC_NAME=Velmdale sign-on", "OIDC_ROLES=archivists=library:curator, staff=*:reader, it=owner")
	p.in(t, map[string][]string{"marta": {"it"}, "lin": {"archivists"}})
	sh.serve(t)

	lin := newVisitor(t)
	if at, _, page := lin.open(base + "/graph"); at.Path != link.Login || !strings.Contains(page, "Continue with Velmdale sign-on") {
		t.Errorf("without any account, a stranger is at %s", at)
	}
	if _, status, page := lin.signOn(base+"/sign-on?next=/graph", "lin"); status != http.StatusForbidden || !strings.Contains(page, "the first has to be an owner") {
		t.Errorf("the first, who is no owner: %d %s", status, page)
	}
	marta := newVisitor(t)
	if at, status, _ := marta.signOn(base+"/sign-on?next=/settings/sign-on", "marta"); at.String() != base+"/w/library/settings/sign-on" || status != http.StatusOK {
		t.Errorf("an owner ends at %s with %d", at, status)
	}
	lin = newVisitor(t)
	if at, status, page := lin.signOn(base+"/sign-on?next=/graph%3Fq=1", "lin"); at.String() != base+"/w/library/graph?q=1" || status != http.StatusOK {
		t.Errorf("lin ends at %s with %d: %s", at, status, page)
	}
	for _, to := range []string{"//evil.example.org", "https://evil.example.org/", `/\evil.example.org`, "/sign-on?next=/"} {
		if at, status, _ := newVisitor(t).signOn(base+"/sign-on?next="+url.QueryEscape(to), "lin"); at.String() != base+"/w/library/" || status != http.StatusOK {
			t.Errorf("with the next page %s, lin ends at %s with %d", to, at, status)
		}
	}
	if said := sh.must(t, "user", "list"); !strings.Contains(said, "lin    curator") || !strings.Contains(said, "marta  owner") {
		t.Errorf("the accounts are\n%s", said)
	}
	if said := sh.must(t, "sign-on", "list"); !strings.Contains(said, "lin@example.org") || !strings.Contains(said, p.issuer) {
		t.Errorf("who signs on:\n%s", said)
	}

	p.in(t, map[string][]string{"marta": {"it"}, "lin": {}})
	if _, status, page := newVisitor(t).signOn(base+"/sign-on", "lin"); status != http.StatusForbidden || !strings.Contains(page, "nothing here is open to your groups") {
		t.Errorf("without the group: %d %s", status, page)
	}
	if at, _, _ := lin.open(base + "/graph"); at.Path != link.Login {
		t.Errorf("the session of before still opens %s", at)
	}
	if said := sh.must(t, "user", "list"); !strings.Contains(said, "lin    stranger") {
		t.Errorf("the accounts are\n%s", said)
	}

	at, status, page := marta.post(base+link.Logout, nil)
	if at.Path != link.SignedOut || status != http.StatusOK || !strings.Contains(page, p.issuer+"/session/end?client_id=clew") {
		t.Errorf("signed out, marta is at %s with %d: %s", at, status, page)
	}
	if at, _, _ := marta.open(base + "/account"); at.Path != link.Login {
		t.Errorf("signed out, marta opens %s", at)
	}
}

// TestTheProviderStartsLater begins while the provider is down: passwords work, and sign-on once it is up.
func TestTheProviderStartsLater(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "OIDC_ISSUER=http://"+freeAddress(t), "OIDC_CLIENT_ID=clew", "OIDC_NAME=Velmdale sign-on", "FIRST_PASSWORD=correct horse")
	v := sh.serve(t)
	who := newVisitor(t)
	if _, status, page := who.open(v.url + link.Login); status != http.StatusOK || !strings.Contains(page, "Velmdale sign-on does not answer at the moment") {
		t.Errorf("the sign-in page: %d %s", status, page)
	}
	if at, status, page := who.open(v.url + "/sign-on?next=/graph"); at.Path != link.SignOn || status != http.StatusServiceUnavailable || !strings.Contains(page, `value="/graph"`) {
		t.Errorf("the button leads to %s with %d: %s", at, status, page)
	}
	at, status, page := who.post(v.url+link.Login, url.Values{"name": {"admin"}, "password": {"correct horse"}, "next": {link.SignOnSettings}})
	if at.Path != link.Under("library", link.SignOnSettings) || status != http.StatusOK || !strings.Contains(page, "does not answer") {
		t.Errorf("with a password one is at %s with %d", at, status)
	}
	if said := sh.must(t, "sign-on", "show"); !strings.Contains(said, "does not answer") {
		t.Errorf("the command says %s", said)
	}
}

// TestAProxySignsPeopleOn by a header, for as long as it sends that; from others it is ignored.
func TestAProxySignsPeopleOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, proxies string
		believed      bool
	}{{"the proxy", "127.0.0.1", true}, {"another address", "10.1.2.3", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t, "PROXY_USER_HEADER=Remote-User", "PROXY_GROUPS_HEADER=Remote-Groups", "TRUSTED_PROXIES="+tt.proxies, "OIDC_ROLES=it=owner, staff=library:reader", "FIRST_PASSWORD=correct horse")
			v := sh.serve(t)
			who := newVisitor(t)
			open := func(path, user, groups string) (*url.URL, int, string) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.url+path, nil)
				noError(t, err)
				r.Header.Set("X-Forwarded-For", "192.0.2.7")
				if user != "" {
					r.Header.Set("Remote-User", user)
					r.Header.Set("Remote-Groups", groups)
				}
				return who.send(r)
			}
			at, status, page := open("/settings/sign-on", "marta", "it")
			if !tt.believed {
				if at.Path != link.Login {
					t.Errorf("a forged header opens %s with %d", at, status)
				}
				return
			}
			if at.Path != link.Under("library", link.SignOnSettings) || status != http.StatusOK || !strings.Contains(page, "marta") {
				t.Errorf("the header opens %s with %d", at, status)
			}
			if at, _, _ := open(link.Login+"?next=/graph", "marta", "it"); at.Path != link.Under("library", link.Graph) {
				t.Errorf("who is signed in by the proxy and asks to sign in is at %s", at)
			}
			if _, status, _ := open("/settings/sign-on", "marta", "staff"); status != http.StatusForbidden {
				t.Errorf("with fewer groups: %d", status)
			}
			if _, status, page := open("/graph", "lin", "guests"); status != http.StatusForbidden || !strings.Contains(page, "nothing here is open") {
				t.Errorf("without a group: %d", status)
			}
			if at, _, _ := open("/graph", "", ""); at.Path != link.Login {
				t.Errorf("without the header, %s is open", at)
			}
			if _, status, _ := open("/graph", "admin", "staff"); status != http.StatusOK {
				t.Errorf("who is named like an account: %d", status)
			}
			if said := sh.must(t, "user", "list"); !strings.Contains(said, "admin-2  reader") || !strings.Contains(said, "admin    owner") {
				t.Errorf("the accounts are\n%s", said)
			}
			sh.must(t, "sign-on", "link", "admin", "root@example.org", "--issuer", "proxy")
			if _, status, _ := open("/settings", "root@example.org", ""); status != http.StatusOK {
				t.Errorf("linked by an owner: %d", status)
			}
		})
	}
}
