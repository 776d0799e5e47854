package signon_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit/database"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clock is a time that only the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const clientID = "clew"

// provider is a provider of OpenID Connect that says what the test wants.
type provider struct {
	*httptest.Server

	key *ecdsa.PrivateKey
	now func() time.Time

	mu        sync.Mutex
	down      bool
	claims    map[string]any // of the next ID token, over the usual ones
	info      map[string]any // of the UserInfo endpoint; nil: there is none
	challenge string         // of the last sign-on
	nonce     string
}

func newProvider(t *testing.T, now func() time.Time) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	p := &provider{key: key, now: now}
	standard := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "k", Algorithm: oidc.ES256}}, Algorithms: []string{oidc.ES256}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case p.down:
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Path == "/token":
			p.token(w, r)
		case r.URL.Path == "/me":
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(p.info)
		case r.URL.Path == "/.well-known/openid-configuration":
			recorded := httptest.NewRecorder()
			standard.ServeHTTP(recorded, r)
			says := map[string]any{}
			_ = json.Unmarshal(recorded.Body.Bytes(), &says)
			says["end_session_endpoint"] = p.URL + "/end"
			if p.info != nil {
				says["userinfo_endpoint"] = p.URL + "/me"
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(says)
		default:
			standard.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(p.Close)
	standard.SetIssuer(p.URL)
	return p
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	w.Header().Set("Content-Type", "application/json")
	if base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenge || r.FormValue("code") != "code" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	said := map[string]any{"iss": p.URL, "aud": clientID, "sub": "s-1", "exp": p.now().Add(time.Minute).Unix(), "iat": p.now().Unix(), "nonce": p.nonce}
	maps.Copy(said, p.claims)
	text, _ := json.Marshal(said)
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": oidctest.SignIDToken(p.key, "k", oidc.ES256, string(text))})
}

// says sets what the next ID token says, and what UserInfo does.
func (p *provider) says(claims, info map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims, p.info = claims, info
}

func (p *provider) setDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// bench is a Service over a library with the workspaces library and maps, and the account ada, an owner.
type bench struct {
	*signon.Service

	t        *testing.T
	provider *provider
	clock    *clock
	log      *bytes.Buffer
}

func setup(t *testing.T, change func(*config.SignOn)) *bench {
	t.Helper()
	db := database.Open(t, filepath.Join(t.TempDir(), "clew.db"))
	b := &bench{t: t, clock: &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, log: &bytes.Buffer{}}
	b.provider = newProvider(t, b.clock.now)
	library := ledger.Open(db.Writer, db.Reader, b.clock.now)
	log := slog.New(slog.NewTextHandler(b.log, nil))
	accounts, err := auth.New(auth.Params{Ledger: library, Trail: &audit.Trail{Ledger: library.AuditStore, Log: log}, Hasher: auth.NewHasher(nil, 1), Random: rand.Reader, Lifetime: time.Hour, SignOn: true, Now: b.clock.now, Log: log})
	must(t, err)
	must(t, library.AddWorkspace(t.Context(), domain.Workspace{ID: "w-maps", Name: "maps", Title: "Maps"}))
	must(t, accounts.Add(t.Context(), "test", "ada", "correct horse", domain.Owner))
	set := config.SignOn{
		Issuer: b.provider.URL, ClientID: clientID, ClientSecret: "secret", Scopes: "openid", Groups: "groups", Name: "Velmdale",
		Roles: "archivists=library:curator, staff=*:reader, it=owner, ghosts=nowhere:admin",
	}
	if change != nil {
		change(&set)
	}
	b.Service = signon.New(signon.Params{Ledger: library, Auth: accounts, Set: set, Random: rand.Reader, Now: b.clock.now, Log: log})
	return b
}

// begin begins a sign-on at the provider, and returns the state and its cookie.
func (b *bench) begin(r signon.Request) (state, sealed string) {
	b.t.Helper()
	r.Redirect = "https://clew.example.org/sign-on/callback"
	begun, err := b.Begin(b.t.Context(), r)
	must(b.t, err)
	u, err := url.Parse(begun.URL)
	must(b.t, err)
	q := u.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") != r.Redirect || q.Get("client_id") != clientID || begun.Cookie != signon.CookieOf(q.Get("state")) {
		b.t.Errorf("it goes on at %s with the cookie %s", begun.URL, begun.Cookie)
	}
	b.provider.mu.Lock()
	defer b.provider.mu.Unlock()
	b.provider.challenge, b.provider.nonce = q.Get("code_challenge"), q.Get("nonce")
	return q.Get("state"), begun.Sealed
}

func (b *bench) finish(state, sealed string, query ...string) (signon.Finished, error) {
	q := url.Values{"state": {state}, "code": {"code"}}
	for i := 0; i+1 < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return b.Finish(b.t.Context(), signon.Answer{Query: q, Sealed: sealed})
}

// signOn signs somebody on of whom the provider says something, and returns their account, or what was wrong.
func (b *bench) signOn(claims map[string]any) (account string, err error) {
	b.t.Helper()
	b.provider.says(claims, nil)
	state, sealed := b.begin(signon.Request{Next: "/"})
	done, err := b.finish(state, sealed)
	if err != nil {
		return "", err
	}
	s, found, err := b.Ledger.Session(b.t.Context(), domain.DefaultWorkspace, domain.Hash([]byte(done.SignedIn.Token)))
	if err != nil || !found || s.Issuer != b.provider.URL {
		b.t.Fatalf("no session of %s: %+v, %v", b.provider.URL, s, err)
	}
	return s.Account, nil
}

// roles returns what an account may do: its role everywhere if it is an owner, and its memberships.
func (b *bench) roles(account string) string {
	b.t.Helper()
	a, err := b.Ledger.Account(b.t.Context(), account)
	must(b.t, err)
	said := []string{string(a.Role)}
	members, err := b.Ledger.Memberships(b.t.Context(), account)
	must(b.t, err)
	for _, m := range members {
		by := ""
		if m.BySignOn {
			by = "*"
		}
		said = append(said, string(m.Workspace)+":"+string(m.Role)+by)
	}
	return strings.Join(said, " ")
}

func groups(names ...string) map[string]any {
	return map[string]any{"preferred_username": "Marta", "groups": names}
}

// TestGroupsGiveRolesAnewEachTime signs one person on with changing groups, beside what was given by hand.
func TestGroupsGiveRolesAnewEachTime(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, tt := range []struct {
		name   string
		groups []string
		want   string // roles, or a part of the sentence if nothing is open
		in     []string
	}{
		{"a stranger", []string{"guests"}, "nothing here is open", nil},
		{"a group for nowhere", []string{"ghosts"}, "nothing here is open", nil},
		{"one workspace", []string{"archivists"}, "member default:curator*", []string{"archivists"}},
		{"every workspace, and the higher role of two", []string{"staff", "archivists"}, "member default:curator* w-maps:reader*", []string{"archivists", "staff"}},
		{"a slash before it, as Keycloak writes", []string{"/staff"}, "member default:reader* w-maps:reader*", []string{"staff"}},
		{"an owner", []string{"it"}, "owner", []string{"it"}},
		{"no owner any more", []string{"archivists"}, "member default:curator*", []string{"archivists"}},
		{"no group any more", nil, "nothing here is open", nil},
		{"back again", []string{"staff"}, "member default:reader* w-maps:reader*", []string{"staff"}},
	} {
		account, err := b.signOn(groups(tt.groups...))
		if tt.in == nil {
			if domain.KindOf(err) != domain.Forbidden || !strings.Contains(domain.InWords(err), tt.want) {
				t.Errorf("%s: %q, %v", tt.name, account, err)
			}
			continue
		}
		if err != nil || account != "marta" || b.roles("marta") != tt.want {
			t.Errorf("%s: %q, %v, may do %s, want %s", tt.name, account, err, b.roles("marta"), tt.want)
		}
		if in, err := b.Ledger.Groups(t.Context(), "marta"); err != nil || !cmp.Equal(in, tt.in) {
			t.Errorf("%s: it is in the groups %v, want %v, %v", tt.name, in, tt.in, err)
		}
	}
	must(t, b.Ledger.SetMember(t.Context(), domain.Membership{Workspace: "w-maps", Account: "marta", Role: domain.Admin}))
	for _, with := range [][]string{{"staff"}, {"archivists"}, nil} {
		if _, err := b.signOn(groups(with...)); err != nil || !strings.Contains(b.roles("marta"), "w-maps:admin") || strings.Contains(b.roles("marta"), "admin*") {
			t.Errorf("with %v, what was given by hand is %s, %v", with, b.roles("marta"), err)
		}
	}
}

// TestALostGroupEndsSessions takes a group away: the sessions of before end, also where the person does not get in.
func TestALostGroupEndsSessions(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	sessions := func() int {
		all, err := b.Ledger.Sessions(t.Context(), "marta")
		must(t, err)
		return len(all)
	}
	for _, tt := range []struct {
		groups []string
		want   int
	}{{[]string{"archivists"}, 1}, {[]string{"archivists"}, 2}, {[]string{"staff"}, 1}, {[]string{"staff", "archivists"}, 2}, {nil, 0}} {
		_, _ = b.signOn(groups(tt.groups...))
		if got := sessions(); got != tt.want {
			t.Errorf("after a sign-on with %v there are %d sessions, want %d", tt.groups, got, tt.want)
		}
	}
}

// TestNobodyTakesAnAccountOver signs on people who are called like an account.
func TestNobodyTakesAnAccountOver(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for sub, want := range map[string]string{"s-ada": "ada-2"} {
		for range 2 {
			account, err := b.signOn(map[string]any{"sub": sub, "preferred_username": "Ada", "email": "ada", "email_verified": true, "groups": "staff"})
			if err != nil || account != want || b.roles("ada") != "owner" {
				t.Errorf("%s signs in as %q, %v; ada is %s", sub, account, err, b.roles("ada"))
			}
		}
	}
	account, err := b.signOn(map[string]any{"sub": "s-other", "preferred_username": "ada", "groups": "staff"})
	if err != nil || account != "ada-3" {
		t.Errorf("another one called ada signs in as %q, %v", account, err)
	}
	for sub, tt := range map[string]struct{ called, want string }{
		"s-odd-1": {"  \x00Lin\u202e  Wu\n", "lin wu"}, "s-odd-2": {"...", "s-odd-2"}, "s-odd-3": {strings.Repeat("ä", 300), strings.Repeat("ä", 47)}, "s-odd-4": {"", "s-odd-4"},
	} {
		account, err := b.signOn(map[string]any{"sub": sub, "preferred_username": tt.called, "groups": "staff"})
		if err != nil || !strings.HasPrefix(account, tt.want) || len(account) > auth.MaxName {
			t.Errorf("who is called %q signs in as %q, %v", tt.called, account, err)
		}
	}
}

// TestAnswersThatAreNotValid refuses answers of the provider, and of others in its name.
func TestAnswersThatAreNotValid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		claims map[string]any
		query  []string
		pass   time.Duration
		cookie string // in place of that of the sign-on
		part   string // of the sentence
	}{
		"another nonce":          {claims: map[string]any{"nonce": "n"}, part: "not valid"},
		"no nonce":               {claims: map[string]any{"nonce": nil}, part: "not valid"},
		"another audience":       {claims: map[string]any{"aud": "other"}, part: "not valid"},
		"several audiences":      {claims: map[string]any{"aud": []string{clientID, "other"}}, part: "not valid"},
		"for another party":      {claims: map[string]any{"aud": []string{clientID, "other"}, "azp": "other"}, part: "not valid"},
		"another issuer":         {claims: map[string]any{"iss": "https://id.example.org"}, part: "not valid"},
		"expired":                {claims: map[string]any{"exp": 1}, part: "not valid"},
		"no subject":             {claims: map[string]any{"sub": ""}, part: "not valid"},
		"a wrong access token":   {claims: map[string]any{"at_hash": "x"}, part: "not valid"},
		"a wrong code":           {query: []string{"code", "other"}, part: "not valid"},
		"no code":                {query: []string{"code", ""}, part: "not valid"},
		"an answer of another":   {query: []string{"iss", "https://id.example.org"}, part: "not valid"},
		"an error":               {query: []string{"error", "access_denied"}, part: "access_denied"},
		"an error with a script": {query: []string{"error", "<b>Call us</b>"}, part: "answered with an error"},
		"another state":          {query: []string{"state", "other"}, part: "not begun in this browser"},
		"no cookie":              {cookie: "-", part: "not begun in this browser"},
		"a forged cookie":        {cookie: base64.RawURLEncoding.EncodeToString(make([]byte, 80)), part: "not begun in this browser"},
		"too late":               {pass: signon.FlowTime, part: "more than 10 minutes ago"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			claims := groups("staff")
			maps.Copy(claims, tt.claims)
			b.provider.says(claims, nil)
			state, sealed := b.begin(signon.Request{})
			b.clock.pass(tt.pass)
			if tt.cookie != "" {
				sealed = strings.Trim(tt.cookie, "-")
			}
			done, err := b.finish(state, sealed, tt.query...)
			if domain.KindOf(err) == domain.Internal || err == nil || !strings.Contains(domain.InWords(err), tt.part) || done.SignedIn.Token != "" {
				t.Errorf("it says %v, and %+v", err, done)
			}
			if all, err := b.Ledger.Accounts(t.Context(), domain.DefaultWorkspace); err != nil || len(all) != 1 {
				t.Errorf("there are the accounts %v, %v", all, err)
			}
		})
	}
}

// TestASignOnIsFinishedOnce replays an answer that was good.
func TestASignOnIsFinishedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.provider.says(groups("staff"), nil)
	state, sealed := b.begin(signon.Request{Next: "/graph?q=1"})
	if done, err := b.finish(state, sealed); err != nil || done.Next != "/graph?q=1" {
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err := b.finish(state, sealed); err == nil || !strings.Contains(err.Error(), "already finished") {
		t.Errorf("finished again: %+v, %v", done, err)
	}
	other, _ := b.begin(signon.Request{})
	if _, err := b.finish(other, sealed); err == nil {
		t.Error("the cookie of one sign-on finishes another")
	}
}

// TestAProviderThatIsDown is asked again when somebody signs in, and not at the start.
func TestAProviderThatIsDown(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.provider.setDown(true)
	begin := func() error {
		_, err := b.Begin(t.Context(), signon.Request{Redirect: "https://clew.example.org/sign-on/callback"})
		return err
	}
	if err := begin(); domain.KindOf(err) != domain.Unavailable || !strings.Contains(domain.InWords(err), "Velmdale does not answer") {
		t.Errorf("while it is down: %v", err)
	}
	if err := b.Problem(t.Context()); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("the page says %v", err)
	}
	b.provider.setDown(false)
	if err := begin(); err == nil {
		t.Error("it was asked again at once")
	}
	b.clock.pass(10 * time.Second)
	if _, err := b.signOn(groups("staff")); err != nil {
		t.Errorf("once it is up: %v", err)
	}
	if err := b.Problem(t.Context()); err != nil {
		t.Errorf("once it is up, the page says %v", err)
	}
	if to := b.EndsAt(t.Context(), "https://clew.example.org/login"); !strings.HasPrefix(to, b.provider.URL+"/end?client_id=clew&post_logout_redirect_uri=https%3A%2F%2Fclew") {
		t.Errorf("one signs out at %s", to)
	}
	b.clock.pass(2 * time.Minute)
	b.provider.setDown(true)
	if err := b.Problem(t.Context()); err == nil {
		t.Error("it went down, and the page does not say so")
	}
	if err := begin(); err != nil {
		t.Errorf("what is known of it is not used: %v", err)
	}
	state, sealed := b.begin(signon.Request{Next: "/"})
	if _, err := b.finish(state, sealed); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("it can't be asked about a code: %v", err)
	}
}

// TestGroupsOfUserInfo finds groups in an object, and at the UserInfo endpoint where the token has none.
func TestGroupsOfUserInfo(t *testing.T) {
	t.Parallel()
	nested := map[string]any{"realm_access": map[string]any{"roles": []any{"archivists", 7, ""}}}
	for name, tt := range map[string]struct {
		claim        string
		claims, info map[string]any
		fails        domain.Kind
	}{
		"nested":              {claim: "realm_access.roles", claims: nested},
		"a name with dots":    {claim: "https://clew.example.org/roles", claims: map[string]any{"https://clew.example.org/roles": []string{"archivists"}}},
		"at UserInfo":         {claim: "realm_access.roles", info: map[string]any{"sub": "s-1", "realm_access": nested["realm_access"], "email": "m@example.org"}},
		"of somebody else":    {claim: "realm_access.roles", info: map[string]any{"sub": "s-2", "realm_access": nested["realm_access"]}, fails: domain.Unauthorized},
		"nowhere":             {claim: "realm_access.roles", info: map[string]any{"sub": "s-1"}, fails: domain.Forbidden},
		"of another shape":    {claim: "realm_access.roles", claims: map[string]any{"realm_access": "archivists"}, fails: domain.Forbidden},
		"a number for a list": {claim: "groups", claims: map[string]any{"groups": 7}, fails: domain.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(s *config.SignOn) { s.Groups = tt.claim })
			b.provider.says(tt.claims, tt.info)
			state, sealed := b.begin(signon.Request{})
			_, err := b.finish(state, sealed)
			if tt.fails != domain.Internal {
				if domain.KindOf(err) != tt.fails {
					t.Errorf("%v, want %v", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			linked, err := b.Linked(t.Context(), "")
			if err != nil || len(linked) != 1 || b.roles(linked[0].Account) != "member default:curator*" {
				t.Errorf("%+v, %v", linked, err)
			}
		})
	}
}

// TestAnAccountIsLinked to a sign-on from its own page, once, and unlinked again.
func TestAnAccountIsLinked(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	link := func(account, signedIn string) error {
		state, sealed := b.begin(signon.Request{Next: "/account", Account: account})
		q := url.Values{"state": {state}, "code": {"code"}}
		done, err := b.Finish(t.Context(), signon.Answer{Query: q, Sealed: sealed, Account: signedIn})
		if !done.Linked || done.SignedIn.Token != "" {
			t.Errorf("linking ends with %+v", done)
		}
		return err
	}
	b.provider.says(groups("staff"), nil)
	for _, other := range []string{"", "bob"} {
		if err := link("ada", other); domain.KindOf(err) != domain.Conflict {
			t.Errorf("signed in as %q: %v", other, err)
		}
	}
	must(t, link("ada", "ada"))
	must(t, link("ada", "ada"))
	if account, err := b.signOn(groups("staff")); err != nil || account != "ada" || b.roles("ada") != "owner default:reader* w-maps:reader*" {
		t.Errorf("signs in as %q, %v, who is %s", account, err, b.roles("ada"))
	}
	must(t, b.Auth.Add(t.Context(), "test", "bob", "correct horse", domain.Reader))
	b.provider.says(groups("staff"), nil)
	if err := link("bob", "bob"); domain.KindOf(err) != domain.Conflict || strings.Contains(err.Error(), "ada") {
		t.Errorf("linked to two accounts: %v", err)
	}
	must(t, b.UnlinkMine(t.Context(), "ada"))
	if all, err := b.Ledger.Sessions(t.Context(), "ada"); err != nil || len(all) > 0 || b.roles("ada") != "owner" {
		t.Errorf("unlinked, ada is %s with the sessions %v, %v", b.roles("ada"), all, err)
	}
	if account, err := b.signOn(groups("staff")); err != nil || account != "marta" {
		t.Errorf("then signs in as %q, %v", account, err)
	}
	if err := b.UnlinkMine(t.Context(), "marta"); domain.KindOf(err) != domain.Conflict {
		t.Errorf("unlinks an account without a password: %v", err)
	}
	if _, err := b.Auth.SignIn(t.Context(), auth.Attempt{Name: "marta"}); domain.KindOf(err) != domain.Unauthorized {
		t.Errorf("signs in without a password: %v", err)
	}
}

// TestTheFirstIsAnOwner refuses others while there is no account.
func TestTheFirstIsAnOwner(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	_, err := b.signOn(groups("it"))
	must(t, err)
	must(t, b.Ledger.RemoveAccount(t.Context(), "ada"))
	if _, err := b.signOn(groups("staff")); err != nil || b.roles("marta") != "member default:reader* w-maps:reader*" {
		t.Fatal(err) // whoever the provider makes owners is found by it again
	}
	empty := setup(t, nil)
	must(t, empty.Auth.SetRole(t.Context(), "test", "ada", domain.Owner))
	if required, err := empty.Auth.Required(t.Context()); err != nil || !required {
		t.Errorf("required: %v, %v", required, err)
	}
}

// TestAProxyNamesPeople in a header, which is believed only from it.
func TestAProxyNamesPeople(t *testing.T) {
	t.Parallel()
	b := setup(t, func(s *config.SignOn) { s.Issuer, s.ProxyUser, s.ProxyGroups = "", "Remote-User", "Remote-Groups" })
	for _, tt := range []struct {
		name     string
		believed bool
		headers  http.Header
		account  string
		role     domain.Role
		kind     domain.Kind
	}{
		{"nobody", true, http.Header{}, "", "", domain.Internal},
		{"an empty name", true, http.Header{"Remote-User": {" "}}, "", "", domain.Internal},
		{"a stranger's header", false, http.Header{"Remote-User": {"lin"}, "Remote-Groups": {"it"}}, "", "", domain.Internal},
		{"the proxy's", true, http.Header{"Remote-User": {"lin"}, "Remote-Groups": {"staff, archivists"}}, "lin", domain.Curator, domain.Internal},
		{"with another separator", true, http.Header{"Remote-User": {"lin"}, "Remote-Groups": {"staff|archivists"}}, "lin", domain.Curator, domain.Internal},
		{"with fewer groups", true, http.Header{"Remote-User": {"lin"}, "Remote-Groups": {"staff"}}, "lin", domain.Reader, domain.Internal},
		{"with no groups", true, http.Header{"Remote-User": {"lin"}}, "", "", domain.Forbidden},
		{"with groups again", true, http.Header{"Remote-User": {"lin"}, "Remote-Groups": {"it"}}, "lin", domain.Owner, domain.Internal},
		{"named like an account", true, http.Header{"Remote-User": {"ada"}, "Remote-Groups": {"staff"}}, "ada-2", domain.Reader, domain.Internal},
		{"two names", true, http.Header{"Remote-User": {"lin", "ada"}, "Remote-Groups": {"staff"}}, "", "", domain.Unauthorized},
		{"a name with a line break", true, http.Header{"Remote-User": {"lin\tada"}, "Remote-Groups": {"staff"}}, "", "", domain.Unauthorized},
	} {
		for range 2 { // the second time from memory
			s, found, err := b.FromProxy(domain.WithWorkspace(t.Context(), domain.DefaultWorkspace), tt.believed, tt.headers)
			if s.Account != tt.account || s.Role != tt.role || found != (tt.account != "") || err != nil && domain.KindOf(err) != tt.kind || err == nil && tt.kind != domain.Internal || s.Stored() {
				t.Errorf("%s: %+v, %v, %v", tt.name, s, found, err)
			}
		}
	}
	if n := strings.Count(b.log.String(), "ignored a header"); n != 1 {
		t.Errorf("the log says %d times that a header was ignored", n)
	}
	s, _, err := b.FromProxy(t.Context(), true, http.Header{"Remote-User": {"lin"}, "Remote-Groups": {"it"}})
	must(t, err)
	if ended, err := b.Auth.Ended(t.Context(), s); err != nil || ended {
		t.Errorf("a stream ends: %v, %v", ended, err)
	}
	must(t, b.Ledger.RemoveAccount(t.Context(), "lin"))
	if ended, err := b.Auth.Ended(t.Context(), s); err != nil || !ended {
		t.Errorf("a stream of an account that was removed goes on: %v, %v", ended, err)
	}
	must(t, b.Link(t.Context(), "ada", "lin", "proxy"))
	b.clock.pass(time.Hour)
	if s, _, err := b.FromProxy(t.Context(), true, http.Header{"Remote-User": {"lin"}}); err != nil || s.Account != "ada" {
		t.Errorf("linked by an owner, lin is %+v, %v", s, err)
	}
}

// TestSettingsOfSignOn reads rules and refuses settings that would let in the wrong people.
func TestSettingsOfSignOn(t *testing.T) {
	t.Parallel()
	rules, unread := config.SignOn{Roles: " /a/b = library:curator ; cn=staff,ou=x=*:reader; it=owner;; *=maps:reader"}.Rules()
	want := []config.GroupRule{
		{Group: "a/b", Workspace: "library", Role: domain.Curator}, {Group: "cn=staff,ou=x", Workspace: "*", Role: domain.Reader},
		{Group: "it", Role: domain.Owner}, {Group: "*", Workspace: "maps", Role: domain.Reader},
	}
	if diff := cmp.Diff(want, rules); diff != "" || unread != "" {
		t.Errorf("unread %q; -want +got\n%s", unread, diff)
	}
	good := []string{"OIDC_ISSUER=https://id.example.org", "OIDC_CLIENT_ID=clew"}
	for name, tt := range map[string]struct {
		set  []string
		part string // of the error; "" if there is none
	}{
		"good":                      {good, ""},
		"on this machine":           {[]string{"OIDC_ISSUER=http://127.0.0.1:9000/x", "OIDC_CLIENT_ID=clew"}, ""},
		"without encryption":        {[]string{"OIDC_ISSUER=http://id.example.org", "OIDC_CLIENT_ID=clew"}, "OIDC_ISSUER"},
		"no address":                {[]string{"OIDC_ISSUER=id.example.org", "OIDC_CLIENT_ID=clew"}, "OIDC_ISSUER"},
		"no client":                 {[]string{"OIDC_ISSUER=https://id.example.org"}, "belong together"},
		"no openid":                 {append([]string{"OIDC_SCOPES=profile"}, good...), "OIDC_SCOPES"},
		"an unknown role":           {append([]string{"OIDC_ROLES=a=library:king"}, good...), "a=library:king"},
		"an owner of a workspace":   {append([]string{"OIDC_ROLES=a=library:owner"}, good...), "a=library:owner"},
		"a role for no workspace":   {append([]string{"OIDC_ROLES=a=reader"}, good...), "a=reader"},
		"no group":                  {append([]string{"OIDC_ROLES==owner"}, good...), "=owner"},
		"a header of nobody":        {[]string{"PROXY_USER_HEADER=Remote-User"}, "TRUSTED_PROXIES is empty"},
		"a header of the proxy":     {[]string{"PROXY_USER_HEADER=Remote-User", "TRUSTED_PROXIES=10.0.0.1"}, ""},
		"a header of the browser":   {[]string{"PROXY_USER_HEADER=user-agent", "TRUSTED_PROXIES=10.0.0.1"}, "only the proxy sends"},
		"no header":                 {[]string{"PROXY_USER_HEADER=Remote User", "TRUSTED_PROXIES=10.0.0.1"}, "only the proxy sends"},
		"groups without a user":     {[]string{"PROXY_GROUPS_HEADER=Remote-Groups"}, "set both"},
		"one header for both":       {[]string{"PROXY_USER_HEADER=Remote-User", "PROXY_GROUPS_HEADER=remote-user", "TRUSTED_PROXIES=10.0.0.1"}, "same header"},
		"a name of several lines":   {append([]string{"OIDC_NAME=a\nb"}, good...), "OIDC_NAME"},
		"an issuer with a password": {[]string{"OIDC_ISSUER=https://u:p@id.example.org", "OIDC_CLIENT_ID=clew"}, "OIDC_ISSUER"},
	} {
		_, err := config.Load(tt.set)
		if (err == nil) != (tt.part == "") || err != nil && !strings.Contains(err.Error(), tt.part) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
