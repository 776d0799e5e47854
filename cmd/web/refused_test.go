package main

import (
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/views/link"
)

// promptly is how soon a misconfigured program must say so when many start at
// once on a busy machine. Alone it takes a few seconds.
const promptly = hangs

// TestTheServerStartsWithoutGraphIndexAndFiles serves pages while nobody answers at the addresses of three stores, and names the
// settings.
func TestTheServerStartsWithoutGraphIndexAndFiles(t *testing.T) {
	t.Parallel()
	closed := nobodyAt(t)
	sh := newShell(t, "DATABASE_URL="+servers.PostgresURL(t), "NEO4J_URL=bolt://"+closed, "NEO4J_PASSWORD=secret and wrong", "QDRANT_URL=http://"+closed, "LOG_LEVEL=error",
		"FILES_URL=s3://papers/clew", "S3_ENDPOINT=http://"+closed, "S3_ACCESS_KEY=key", "S3_SECRET_KEY=secret", "WEB_ALLOW=127.0.0.1")
	v := sh.serve(t)
	v.says(t, v.url+"/readyz", http.StatusOK, false)
	status, health := v.get(t, link.Health)
	if status != http.StatusOK || !strings.Contains(health, "NEO4J_URL") || !strings.Contains(health, "QDRANT_URL") || !strings.Contains(health, "S3_ENDPOINT") || strings.Contains(health, "secret") {
		t.Errorf("status %d: %s", status, health)
	}
}

// TestAStoreThatIsNotThereIsNamed starts the program with one wrong setting at
// a time: it exits and names the setting.
func TestAStoreThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	built(t)
	closed := nobodyAt(t)
	database, neo4j := servers.PostgresURL(t), servers.OwnNeo4j(t)
	good := map[string]string{
		"DATABASE_URL": database, "NEO4J_URL": neo4j.URL, "NEO4J_PASSWORD": neo4j.Password, "QDRANT_URL": "http://" + closed,
	}
	for _, tt := range []struct {
		name, key, value string
		says             []string
	}{
		{"Postgres: wrong password", "DATABASE_URL", wrongPassword(t, database), []string{"DATABASE_URL", "password"}},
		{"Postgres: no such database", "DATABASE_URL", strings.Replace(database, "/test_", "/no_", 1), []string{"DATABASE_URL"}},
		{"Neo4j: wrong password", "NEO4J_PASSWORD", "secret and wrong", []string{"NEO4J_USER", "NEO4J_PASSWORD"}},
		{"Neo4j: no password", "NEO4J_PASSWORD", "", []string{"NEO4J_USER", "NEO4J_PASSWORD"}},
		{"Neo4j: no such database", "NEO4J_DATABASE", "nowhere", []string{"NEO4J_DATABASE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t)
			for key, value := range good {
				if key != tt.key {
					sh.environ = append(sh.environ, key+"="+value)
				}
			}
			sh.environ = append(sh.environ, tt.key+"="+tt.value)
			began := time.Now()
			out, err := sh.process(t, "serve").CombinedOutput()
			if _, exited := err.(*exec.ExitError); !exited {
				t.Fatalf("it ended with %v:\n%s", err, out)
			}
			if took := time.Since(began); took > promptly {
				t.Errorf("it took %v to say so", took)
			}
			for _, says := range tt.says {
				if !strings.Contains(string(out), says) {
					t.Errorf("%s is not named in %q", says, out)
				}
			}
			if strings.Contains(string(out), "secret") {
				t.Errorf("a password is shown: %s", out)
			}
		})
	}
}

// nobodyAt returns a local address where nothing listens.
func nobodyAt(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

// wrongPassword returns a database address with a wrong password.
func wrongPassword(t *testing.T, database string) string {
	t.Helper()
	user, rest, ok := strings.Cut(database, "@")
	at := strings.LastIndex(user, ":")
	if !ok || at < 0 {
		t.Fatalf("no password in %s", database)
	}
	return user[:at] + ":secret@" + rest
}
