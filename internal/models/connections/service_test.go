package connections_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/database"
)

// desk is a Service with what it was asked to call.
type desk struct {
	*connections.Service
	listed, chat, embedder config.Endpoint
	saved                  int
	local                  error
}

func open(t *testing.T, given config.Config) *desk {
	t.Helper()
	dir := t.TempDir()
	db := database.Open(t, filepath.Join(dir, "clew.db"))
	d := &desk{}
	d.Service = connections.New(connections.Params{
		Ledger: ledger.Open(db.Writer, db.Reader, time.Now), Given: given,
		Vault:   vault.Vault{File: filepath.Join(dir, "secret.key"), Random: rand.Reader},
		Network: d, Process: d,
	})
	return d
}

// List implements connections.Network.
func (d *desk) List(_ context.Context, e config.Endpoint) ([]llm.Listed, error) {
	d.listed = e
	return []llm.Listed{{Name: "tiny"}}, nil
}

// Probe implements connections.Network.
func (d *desk) Probe(_ context.Context, chat, embedder config.Endpoint) []llm.Check {
	d.chat, d.embedder = chat, embedder
	return []llm.Check{{What: "server", OK: true}}
}

// Local implements connections.Network.
func (d *desk) Local() error { return d.local }

// Follow implements connections.Process.
func (d *desk) Follow(context.Context) error {
	d.saved++
	return nil
}

func (d *desk) all(t *testing.T) connections.Connected {
	t.Helper()
	all, err := d.All(t.Context())
	testkit.Must(t, err)
	return all
}

const key = "sk-zwurbelnick-3"

func TestWhatIsSavedIsUsedAndForgotten(t *testing.T) {
	t.Parallel()
	d := open(t, config.Config{})
	ctx := domain.WithPerson(t.Context(), "ada")
	testkit.Must(t, d.Save(ctx,
		connections.Connection{Role: connections.Answer, Server: "openai", Model: " big ", Key: key + "\n", PerMinute: 500, TokensPerMinute: 90_000},
		connections.Connection{Role: connections.Embed, Server: "openai", Model: "small", Key: key}))
	testkit.Must(t, d.Save(ctx, connections.Connection{Role: connections.Grade, Server: connections.Same, Model: "quick", Key: "ignored", PerMinute: 30}))
	cfg, used := d.all(t).Apply(config.Config{})
	if diff := cmp.Diff([]connections.Role{connections.Answer, connections.Grade, connections.Embed}, used); diff != "" {
		t.Error(diff)
	}
	at := config.Endpoint{Provider: "openai", BaseURL: "https://api.openai.com/v1", Key: key, Name: "big", PerMinute: 500, TokensPerMinute: 90_000}
	if diff := cmp.Diff(at, cfg.Model.Endpoint); diff != "" {
		t.Error(diff)
	}
	at.Name, at.PerMinute = "quick", 30
	if diff := cmp.Diff(at, cfg.Model.For(cfg.Model.Grade)); diff != "" {
		t.Error(diff)
	}
	at.Name, at.PerMinute, at.TokensPerMinute = "small", 0, 0
	if diff := cmp.Diff(at, cfg.Embed); diff != "" {
		t.Error(diff)
	}
	standings, err := d.Standings(ctx)
	testkit.Must(t, err)
	var said []string
	for _, s := range standings {
		said = append(said, string(s.Role)+" "+s.From+" "+s.Model)
		if s.Kept != nil && (s.Kept.Key != "" || s.Kept.Who != "ada") {
			t.Errorf("the page gets %+v", s.Kept)
		}
	}
	if diff := cmp.Diff([]string{"answer connected big", "extract answer big", "grade connected quick", "rewrite answer big", "summary answer big", "describe off ", "embed connected small"}, said); diff != "" {
		t.Error(diff)
	}
	testkit.Must(t, d.Forget(ctx, connections.Answer))
	if cfg, used := d.all(t).Apply(config.Config{}); cfg.Model.Enabled() || !slices.Equal(used, []connections.Role{connections.Embed}) {
		t.Errorf("without the model of the answers %v are used: %+v", used, cfg.Model)
	}
	if err := d.Forget(ctx, connections.Answer); domain.KindOf(err) != domain.NotFound {
		t.Errorf("forgotten twice: %v", err)
	}
	if d.saved != 3 {
		t.Errorf("the process was told %d times", d.saved)
	}
}

func TestTheEnvironmentGoesFirst(t *testing.T) {
	t.Parallel()
	given := config.Config{Model: config.Model{Endpoint: config.Endpoint{Provider: "anthropic", Name: "claude", Key: "env"}}}
	d := open(t, given)
	ctx := t.Context()
	testkit.Must(t, d.Save(ctx,
		connections.Connection{Role: connections.Answer, Server: "ollama", Model: "tiny"},
		connections.Connection{Role: connections.Summary, Server: "ollama", Model: "tiny"},
		connections.Connection{Role: connections.Embed, Server: "ollama", Model: "small"}))
	cfg, used := d.all(t).Apply(given)
	if cfg.Model.Endpoint != given.Model.Endpoint || !slices.Equal(used, []connections.Role{connections.Summary, connections.Embed}) {
		t.Errorf("%v are used: %+v", used, cfg.Model)
	}
	if e := cfg.Model.For(cfg.Model.Summary); e.Key != "" || e.Name != "tiny" {
		t.Errorf("the server of the summaries gets %+v", e)
	}
	rated := config.Config{Model: config.Model{Endpoint: config.Endpoint{PerMinute: 7}}}
	if cfg, used := d.all(t).Apply(rated); len(used) != 3 || cfg.Model.Name != "tiny" || cfg.Model.PerMinute != 7 {
		t.Errorf("with a rate alone in the environment, %v are used: %+v", used, cfg.Model)
	}
	standings, err := d.Standings(ctx)
	testkit.Must(t, err)
	if s := standings[0]; s.From != connections.FromEnvironment || s.Model != "claude" || s.Kept == nil {
		t.Errorf("the page says %+v", s)
	}
}

// TestAKeptKeyGoesNowhereElse gives no key and another address, as an owner could
// who wants to see the key of another.
func TestAKeptKeyGoesNowhereElse(t *testing.T) {
	t.Parallel()
	d := open(t, config.Config{})
	ctx := t.Context()
	kept := connections.Connection{Role: connections.Answer, Server: "vllm", Address: "http://10.0.0.7:8000/v1", Model: "tiny", Key: key}
	testkit.Must(t, d.Save(ctx, kept))
	kept.Key = ""
	for _, c := range []connections.Connection{
		{Role: connections.Answer, Server: "vllm", Address: "http://10.0.0.8:8000/v1", Model: "tiny"},
		{Role: connections.Answer, Server: "vllm", Address: "http://10.0.0.7:8000/v2", Model: "tiny"},
		{Role: connections.Embed, Server: "other", Address: "http://10.0.0.7:8000/v1", Model: "tiny"},
	} {
		_, err := d.Models(ctx, c)
		testkit.Must(t, err)
		_, err = d.Test(ctx, c)
		testkit.Must(t, err)
		if d.listed.Key != "" || d.chat.Key != "" || d.embedder.Key != "" {
			t.Errorf("%+v gets the key", c)
		}
	}
	_, err := d.Models(ctx, kept)
	testkit.Must(t, err)
	_, err = d.Test(ctx, kept, connections.Connection{Role: connections.Embed, Server: "vllm", Address: kept.Address, Model: "small"})
	testkit.Must(t, err)
	if d.listed.Key != key || d.chat.Key != key || d.embedder.Key != key {
		t.Errorf("its own address does not get it: %+v %+v %+v", d.listed, d.chat, d.embedder)
	}
	kept.Model = "other"
	testkit.Must(t, d.Save(ctx, kept))
	if all := d.all(t); len(all) != 1 || all[0].Key != key || all[0].Model != "other" {
		t.Errorf("kept are %+v", all)
	}
}

func TestWhatCannotBeConnected(t *testing.T) {
	t.Parallel()
	d := open(t, config.Config{})
	for _, tt := range []struct {
		c    connections.Connection
		says string
	}{
		{connections.Connection{Role: "boss", Server: "ollama", Model: "m"}, "There is no role"},
		{connections.Connection{Role: connections.Answer, Server: "abacus", Model: "m"}, "There is no kind of server"},
		{connections.Connection{Role: connections.Answer, Server: connections.Same, Model: "m"}, "There is no kind of server"},
		{connections.Connection{Role: connections.Answer, Server: "ollama"}, "Name the model"},
		{connections.Connection{Role: connections.Answer, Server: "ollama", Model: "a\nb"}, "can't be right"},
		{connections.Connection{Role: connections.Answer, Server: "other", Model: "m"}, "Give the address"},
		{connections.Connection{Role: connections.Answer, Server: "other", Model: "m", Address: "ftp://h/v1"}, "should look like"},
		{connections.Connection{Role: connections.Answer, Server: "other", Model: "m", Address: "http://ada:secret@h/v1"}, "name or a password"},
		{connections.Connection{Role: connections.Answer, Server: "other", Model: "m", Address: "http://h/v1?key=secret"}, "parameter key"},
		{connections.Connection{Role: connections.Answer, Server: "other", Model: "m", Address: "http://h/v1#a"}, "after #"},
		{connections.Connection{Role: connections.Answer, Server: "openai", Model: "m"}, "OpenAI asks for a key"},
		{connections.Connection{Role: connections.Answer, Server: "openai", Model: "m", Key: "a b"}, "The key can't be right"},
		{connections.Connection{Role: connections.Answer, Server: "ollama", Model: "m", PerMinute: -1}, "per minute"},
		{connections.Connection{Role: connections.Grade, Server: config.Builtin}, "only makes vectors"},
		{connections.Connection{Role: connections.Embed, Server: "anthropic", Model: "m", Key: key}, "has no embedding models"},
	} {
		err := d.Save(t.Context(), tt.c)
		if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "secret") && !strings.Contains(tt.says, "secret") {
			t.Errorf("%+v: %v", tt.c, err)
		}
	}
	azure := connections.Connection{Role: connections.Answer, Server: "azure", Model: "m", Key: key, Address: "https://weir.openai.azure.com/openai/deployments/d?api-version=2024-10-21"}
	testkit.Must(t, d.Save(t.Context(), azure))
	if e := d.all(t)[0].Endpoint(); e.Key != "" || e.Headers != "api-key: "+key {
		t.Errorf("Azure gets %+v", e)
	}
}

// TestTheModelOnThisMachineIsConnected connects it without an address, a key or a name, and takes its files away.
func TestTheModelOnThisMachineIsConnected(t *testing.T) {
	t.Parallel()
	d := open(t, config.Config{})
	ctx := t.Context()
	c := connections.Connection{Role: connections.Embed, Server: config.Builtin, Key: "left over", PerMinute: 3}
	gone := domain.Errorf(domain.Invalid, "Its files are missing: run clew model fetch.")
	d.local = gone
	if err := d.Save(ctx, c); domain.InWords(err) != domain.InWords(gone) || len(d.all(t)) != 0 {
		t.Errorf("without its files: %v", err)
	}
	if _, err := d.Test(ctx, c); domain.InWords(err) != domain.InWords(gone) {
		t.Errorf("the test without its files: %v", err)
	}
	d.local = nil
	_, err := d.Test(ctx, c)
	testkit.Must(t, err)
	testkit.Must(t, d.Save(ctx, c))
	want := config.Endpoint{Provider: config.Builtin}
	if cfg, used := d.all(t).Apply(config.Config{}); cfg.Embed != want || d.embedder != want || len(used) != 1 {
		t.Errorf("used is %+v, tested was %+v", cfg.Embed, d.embedder)
	}
	standings, err := d.Standings(ctx)
	testkit.Must(t, err)
	if st := standings[len(standings)-1]; st.From != connections.FromPage || st.Model == "" || st.HasKey {
		t.Errorf("it stands as %+v", st)
	}
	d.local = gone
	all := d.all(t)
	if cfg, used := all.Apply(config.Config{}); cfg.Embed.Enabled() || len(used) != 0 || all[0].Problem != domain.InWords(gone) {
		t.Errorf("once they are gone: %+v", all)
	}
}

// TestTheModelOnThisMachineIsTheDefault: where nothing was chosen and its files are there; without them the standing says
// what is missing.
func TestTheModelOnThisMachineIsTheDefault(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	gone := domain.Errorf(domain.Invalid, "Its files are missing: run clew model fetch.")
	for _, tt := range []struct {
		name          string
		given         string
		local         error
		from, missing string
	}{
		{"its files are there", "", nil, connections.FromDefault, ""},
		{"they are not", "", gone, connections.FromNowhere, domain.InWords(gone)},
		{"none is wanted", config.None, nil, connections.FromEnvironment, ""},
	} {
		d := open(t, config.Config{Embed: config.Endpoint{Provider: tt.given}})
		d.local = tt.local
		standings, err := d.Standings(ctx)
		testkit.Must(t, err)
		st := standings[len(standings)-1]
		if st.From != tt.from || st.Missing != tt.missing || (st.Model != "") != (tt.from == connections.FromDefault) {
			t.Errorf("%s: it stands as %+v", tt.name, st)
		}
	}
}

func TestALostKeyIsSaidNotUsed(t *testing.T) {
	t.Parallel()
	d := open(t, config.Config{})
	ctx := t.Context()
	testkit.Must(t, d.Save(ctx, connections.Connection{Role: connections.Answer, Server: "openai", Model: "big", Key: key}))
	whole := d.all(t)
	kept, err := os.ReadFile(d.Vault.File)
	testkit.Must(t, err)
	testkit.Must(t, os.Remove(d.Vault.File))
	all := d.all(t)
	if cfg, used := all.Apply(config.Config{}); len(all) != 1 || !strings.Contains(all[0].Problem, "connect the model again") || len(used) != 0 || cfg.Model.Enabled() {
		t.Errorf("%v are used of %+v", used, all)
	}
	testkit.Must(t, os.WriteFile(d.Vault.File, kept, 0o600))
	if diff := cmp.Diff(whole, d.all(t)); diff != "" {
		t.Errorf("once it is back: %s", diff)
	}
}
