package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultsAreComplete(t *testing.T) {
	t.Parallel()
	c, err := Load(nil)
	if err != nil {
		t.Fatalf("Load without any variable: %v", err)
	}
	if !c.Loopback() {
		t.Errorf("Loopback() = false for the default address %s", c.Listen)
	}
	if c.Model.Enabled() || c.Embed.Enabled() {
		t.Error("a model is enabled although none is configured")
	}
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  []string
		want []string
	}{
		{"address", []string{"LISTEN=8080"}, []string{"LISTEN", "127.0.0.1:8080"}},
		{"two at once", []string{"MAX_LOOPS=-1", "CHUNK_TOKENS=1"}, []string{"MAX_LOOPS", "CHUNK_TOKENS"}},
		{"not a number", []string{"MAX_LOOPS=three", "LLM_TIMEOUT=soon"}, []string{`MAX_LOOPS is "three"`, `LLM_TIMEOUT is "soon"`, "2m"}},
		{"model without provider", []string{"LLM_MODEL=x"}, []string{"LLM_PROVIDER"}},
		{"provider without model", []string{"LLM_PROVIDER=openai"}, []string{"LLM_MODEL"}},
		{"unknown provider", []string{"LLM_PROVIDER=ollama"}, []string{"LLM_BASE_URL"}},
		{"embedder without name", []string{"EMBED_PROVIDER=openai"}, []string{"EMBED_MODEL"}},
		{"built-in embedder with a server", []string{"EMBED_PROVIDER=builtin", "EMBED_BASE_URL=http://e"}, []string{"EMBED_PROVIDER is builtin", "leave the other settings"}},
		{"no embedder with a model", []string{"EMBED_PROVIDER=none", "EMBED_MODEL=m"}, []string{"EMBED_PROVIDER is none", "leave the other settings"}},
		{"built-in chat model", []string{"LLM_PROVIDER=builtin"}, []string{`LLM_PROVIDER is "builtin"`}},
		{"embedder without provider", []string{"EMBED_MODEL=x"}, []string{"EMBED_PROVIDER"}},
		{"role without model", []string{"GRADE_MODEL=x"}, []string{"GRADE_", "LLM_PROVIDER"}},
		{"role with another provider", []string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "EXTRACT_PROVIDER=magic"}, []string{"EXTRACT_PROVIDER"}},
		{"headers", []string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "LLM_HEADERS=api key: x"}, []string{"LLM_HEADERS", "Name: value"}},
		{"header without value", []string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "SUMMARY_HEADERS=api-key"}, []string{"SUMMARY_HEADERS"}},
		{"parameters", []string{"EMBED_PROVIDER=openai", "EMBED_MODEL=m", "EMBED_QUERY=a=%zz"}, []string{"EMBED_QUERY", "name=value"}},
		{"short password", []string{"FIRST_PASSWORD=short"}, []string{"FIRST_PASSWORD", "10"}},
		{"lifetime", []string{"SESSION_LIFETIME=1s"}, []string{"SESSION_LIFETIME", "720h"}},
		{"proxies", []string{"TRUSTED_PROXIES=127.0.0.1, proxy.example"}, []string{"TRUSTED_PROXIES", `"proxy.example"`}},
		{"public address without a scheme", []string{"PUBLIC_URL=clew.example.org"}, []string{"PUBLIC_URL", `"clew.example.org"`, "https://"}},
		{"public address with a path", []string{"PUBLIC_URL=https://clew.example.org/library"}, []string{"PUBLIC_URL", "without a path"}},
		{"public address with a password", []string{"PUBLIC_URL=https://a:b@clew.example.org"}, []string{"PUBLIC_URL"}},
		{"public address with a query", []string{"PUBLIC_URL=https://clew.example.org?a"}, []string{"PUBLIC_URL"}},
		{"public address of another kind", []string{"PUBLIC_URL=ftp://clew.example.org"}, []string{"PUBLIC_URL"}},
		{"public address without a host", []string{"PUBLIC_URL=https://:8080"}, []string{"PUBLIC_URL"}},
		{"mode", []string{"EXTRACT_MODE=magic"}, []string{"EXTRACT_MODE"}},
		{"graph without index", []string{"NEO4J_URL=neo4j://n"}, []string{"NEO4J_URL", "QDRANT_URL"}},
		{"index without graph", []string{"QDRANT_URL=http://q:6334"}, []string{"NEO4J_URL", "QDRANT_URL"}},
		{"ledger without the others", []string{"DATABASE_URL=postgres://p/clew"}, []string{"DATABASE_URL", "NEO4J_URL", "QDRANT_URL"}},
		{"store addresses", []string{"DATABASE_URL=p:5432", "NEO4J_URL=http://n", "QDRANT_URL=q:6334"}, []string{"DATABASE_URL", "NEO4J_URL", "QDRANT_URL"}},
		{"ports", []string{"DATABASE_URL=postgres://u:p@p:99999/clew", "NEO4J_URL=neo4j://n:bolt", "QDRANT_URL=http://q:0"}, []string{"The port in DATABASE_URL", "The port in NEO4J_URL", "The port in QDRANT_URL", "65535"}},
		{"ports of models", []string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "LLM_BASE_URL=http://m:114340/v1", "GRADE_BASE_URL=http://m:70000", "RERANK_BASE_URL=http://m:x"}, []string{"The port in LLM_BASE_URL", "The port in GRADE_BASE_URL", "The port in RERANK_BASE_URL"}},
		{"model address", []string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "LLM_BASE_URL=127.0.0.1:11434/v1"}, []string{"LLM_BASE_URL should be an address such as http://127.0.0.1:11434/v1"}},
		{"port to listen on", []string{"LISTEN=127.0.0.1:80800"}, []string{"LISTEN", "127.0.0.1:8080"}},
		{"vectors in the graph", []string{"NEO4J_VECTORS=yes"}, []string{"NEO4J_VECTORS"}},
		{"files elsewhere", []string{"FILES_URL=ftp://box/files"}, []string{"FILES_URL"}},
		{"copies and shards", []string{"QDRANT_REPLICAS=17", "QDRANT_SHARDS=-1"}, []string{"QDRANT_REPLICAS", "QDRANT_SHARDS"}},
		{"quantization", []string{"QDRANT_QUANTIZATION=magic"}, []string{"QDRANT_QUANTIZATION"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(tt.env)
			if err == nil {
				t.Fatal("Load gave no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not name %s", err, want)
				}
			}
		})
	}
}

// TestMisspeltSettingsAreNamed names what may be meant, and leaves what belongs to other programs.
func TestMisspeltSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"NEO4J_URI": "NEO4J_URL", "NEO4J_PASS": "NEO4J_PASSWORD", "NEO4J_USERNAME": "NEO4J_USER", "QDRANT_HOST": "QDRANT_URL", "QDRANT_KEY": "QDRANT_API_KEY",
		"LLM_URL": "LLM_BASE_URL", "LLM_MODEL_NAME": "LLM_MODEL", "EMBED_KEY": "EMBED_API_KEY", "LLM_MODEL_GRADES": "LLM_MODEL", "DATABSE_URL": "DATABASE_URL", "DATADIR": "DATA_DIR",
		"S3_BUCKET": "S3_BUCKETS", "LLM_API_KEYFILE": "LLM_API_KEY",
		"LLM_MODEL_GRADE": "", "GRADE_MODEL": "", "LLM_API_KEY_FILE": "", "OPENAI_API_KEY": "", "PATH": "", "HOME": "", "CLEW_TOKEN": "", "CLEW_VERSION": "", "OTEL_SERVICE_NAME": "", "OLLAMA_HOST": "", "LANG": "",
		"POSTGRES_PASSWORD": "", "GOFLAGS": "", "HOSTNAME": "", "PUBLIC_KEY": "",
	} {
		file := filepath.Join(t.TempDir(), "value")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, _ := Load([]string{name + "=" + file, "EMPTY="})
		if said := c.Misspelt(); want == "" && len(said) > 0 || want != "" && (len(said) != 1 || !strings.HasPrefix(said[0], name+" is not a setting") || !strings.Contains(said[0], " if "+want+" is meant.")) {
			t.Errorf("%s: %q, want %q", name, said, want)
		}
	}
}

func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load([]string{"LLM_PROVIDER=openai", "LLM_MODEL=m", "LLM_API_KEY_FILE=" + path})
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.Key != "s3cret" {
		t.Errorf("key = %q, want the file's content without the line end", c.Model.Key)
	}
	if printed := c.LogValue().String(); strings.Contains(printed, "s3cret") || !strings.Contains(printed, "LLM_API_KEY=set") {
		t.Errorf("the printed settings should say that the key is set and not what it is: %s", printed)
	}
	_, err = Load([]string{"LLM_API_KEY=a", "LLM_API_KEY_FILE=" + path})
	if err == nil || !strings.Contains(err.Error(), "both set") {
		t.Errorf("a key given twice: error %v", err)
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"127.0.0.1:8080": true, "[::1]:8080": true, "localhost:1": true,
		":8080": false, "0.0.0.0:8080": false, "192.168.1.4:80": false, "example.org:80": false,
	} {
		if got := (Config{Listen: listen}).Loopback(); got != want {
			t.Errorf("Loopback of %s = %t, want %t", listen, got, want)
		}
	}
}

func TestDocumentsAreFresh(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"../../docs/config.md": Markdown(), "../../.env.example": EnvExample()} {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale: run make docs (-want +got)\n%s", path, diff)
		}
	}
}

func TestEverySettingIsExplained(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range Settings() {
		if s.Help == "" || s.Group == "" {
			t.Errorf("%s has no help or no group", s.Key)
		}
		if seen[s.Key] {
			t.Errorf("%s is declared twice", s.Key)
		}
		seen[s.Key] = true
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"": "", "https://clew.example.org": "https://clew.example.org", "https://clew.example.org/": "https://clew.example.org", "http://[::1]:8080": "http://[::1]:8080",
	} {
		if got := (Config{Public: public}).PublicURL(); got != want {
			t.Errorf("PublicURL of %q is %q, want %q", public, got, want)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	got, unread := Config{Proxies: "127.0.0.1, 10.1.2.3/8,::1"}.TrustedProxies()
	if unread != "" || fmt.Sprint(got) != "[127.0.0.1/32 10.0.0.0/8 ::1/128]" {
		t.Errorf("TrustedProxies() = %v, %q", got, unread)
	}
}

func TestStoresFollowTheAddresses(t *testing.T) {
	t.Parallel()
	servers := []string{"NEO4J_URL=neo4j+s://n:7687", "QDRANT_URL=https://q:6334"}
	for want, environ := range map[Stores][]string{
		Embedded: nil,
		Servers:  servers,
		Fleet:    append([]string{"DATABASE_URL=postgres://clew:secret@p/clew"}, servers...),
	} {
		c, err := Load(environ)
		if err != nil || c.Stores() != want {
			t.Errorf("Stores() = %s, %v; want %s", c.Stores(), err, want)
		}
	}
}

// TestNamesAndPasswordsInAddressesAreMasked: the settings are shown on a page and
// in the log.
func TestNamesAndPasswordsInAddressesAreMasked(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://127.0.0.1:11434/v1":              "http://127.0.0.1:11434/v1",
		"http://ada:hunter22@h:80/v1":            "http://…@h:80/v1",
		"https://hunter22@h/v1":                  "https://…@h/v1",
		"https://ada:hunter%2F22@h/v1?key=k#f":   "https://…@h/v1?…",
		"http://ada:hunter22/x@h/v1":             "set",
		"https://h/openai/v1?api-version=2024-1": "https://h/openai/v1?…",
	} {
		c := Config{Model: Model{Endpoint: Endpoint{BaseURL: given}, Grade: Endpoint{BaseURL: given}}, Embed: Endpoint{BaseURL: given}}
		for _, s := range c.Settings() {
			if strings.HasSuffix(s.Key, "_BASE_URL") && s.Value != "" && s.Value != want {
				t.Errorf("%s=%s is shown as %q, want %q", s.Key, given, s.Value, want)
			}
		}
		if logged := c.LogValue().String(); strings.Contains(logged, "hunter") {
			t.Errorf("the log shows %s", logged)
		}
	}
}

func TestPasswordsInAddressesAreSecrets(t *testing.T) {
	t.Parallel()
	c := Config{Model: Model{Endpoint: Endpoint{BaseURL: "http://ada:hunter%2F22@h"}}, Embed: Endpoint{BaseURL: "http://token77@h"}, Postgres: Postgres{URL: "postgres://clew:swordfish@p/clew"}}
	for _, want := range []string{"hunter/22", "hunter%2F22", "token77", "swordfish", c.Postgres.URL} {
		if !slices.Contains(c.Secrets(), want) {
			t.Errorf("%q is no secret among %q", want, c.Secrets())
		}
	}
}

// TestPasswordsInAddressesStaySecret: what is said of a wrong address may end
// in a log.
func TestPasswordsInAddressesStaySecret(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{"DATABASE_URL=mysql://clew:hunter2@p/clew", "NEO4J_URL=neo4j://n", "QDRANT_URL=http://q"})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error = %v, want one without the password", err)
	}
	for _, bad := range [][]string{
		{"NEO4J_URL=neo4j://ada:hunter22@n", "QDRANT_URL=http://q", "NEO4J_PASSWORD"},
		{"NEO4J_URL=neo4j://n", "QDRANT_URL=http://hunter22@q", "QDRANT_API_KEY"},
	} {
		_, err := Load(bad[:2])
		if err == nil || strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), bad[2]) {
			t.Errorf("%s: error = %v, want one that names %s", bad, err, bad[2])
		}
	}
}
