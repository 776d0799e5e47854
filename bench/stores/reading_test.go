package stores

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/testkit/servers"
)

var program = flag.String("program", "../../bin/clew", "the program that reads documents")

// few and more are how many documents a new library gets at first, and then.
const few, more = 155, 100

// BenchmarkReading has the program read small documents into new sets of stores, on servers
// that have just started, and prints how long it takes.
func BenchmarkReading(b *testing.B) {
	folders := [2]string{b.TempDir(), b.TempDir()}
	for n := range few + more {
		folder := folders[0]
		if n >= few {
			folder = folders[1]
		}
		_, content := write(n, few+more)
		check(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%05d.md", n)), []byte(content), 0o600))
	}
	fmt.Printf("\n| set | the first %d documents, s | %d more, s |\n| --- | ---: | ---: |\n", few, more)
	b.Run("embedded", func(b *testing.B) { readInto(b, "SQLite, embedded graph and index", folders) })
	if os.Getenv("QDRANT_URL") == "" {
		fmt.Println("Left out: the servers, since QDRANT_URL is not set.")
		return
	}
	b.Run("Neo4j", func(b *testing.B) { readInto(b, "SQLite, Neo4j, Qdrant", folders, graphAndIndex(b)...) })
	b.Run("Postgres", func(b *testing.B) {
		database := servers.OwnPostgres(b).Database(b, "template0")
		readInto(b, "Postgres, Neo4j, Qdrant", folders, append(graphAndIndex(b), "DATABASE_URL="+database, "SECRET_KEY="+strings.Repeat("only for a benchmark ", 2))...)
	})
}

// graphAndIndex starts a Neo4j and returns the settings that name it and a Qdrant.
func graphAndIndex(b *testing.B) []string {
	s := servers.OwnNeo4j(b)
	return []string{"NEO4J_URL=" + s.URL, "NEO4J_USER=" + s.User, "NEO4J_PASSWORD=" + s.Password, "NEO4J_DATABASE=" + s.Database,
		"QDRANT_URL=" + os.Getenv("QDRANT_URL"), "QDRANT_PREFIX=bench" + s.URL[strings.LastIndex(s.URL, ":")+1:]}
}

// readInto reads each folder by a process of its own and prints the times.
func readInto(b *testing.B, name string, folders [2]string, environ ...string) {
	data := b.TempDir()
	var took [2]time.Duration
	for i, folder := range folders {
		cmd := exec.CommandContext(b.Context(), *program, "ingest", "--data", data, "--json", folder)
		cmd.Env, cmd.Stderr = append([]string{"PATH=" + os.Getenv("PATH"), "EMBED_PROVIDER=none", "LOG_LEVEL=warn"}, environ...), os.Stderr
		began := time.Now()
		check(b, cmd.Run())
		took[i] = time.Since(began)
	}
	fmt.Printf("| %s | %.1f | %.1f |\n", name, took[0].Seconds(), took[1].Seconds())
}
