package stores

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
)

var (
	program = flag.String("program", "../../bin/clew", "the programs that read documents, separated by commas")
	rounds  = flag.Int("rounds", 3, "how often each set of stores reads them")
	tapped  = flag.Bool("tapped", false, "count the statements that Postgres and Neo4j get, which takes time")
)

// few and more are how many documents a new library gets at first, and then.
const few, more = 155, 100

// took is what reading took, in seconds: CPU time is that for what came then.
type took struct{ first, then, cpu, graph, ledger []float64 }

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
	sets := []struct {
		name  string
		start func(*testing.B) []string
	}{
		{"SQLite, embedded graph and index", func(*testing.B) []string { return nil }},
		{"SQLite, Neo4j, Qdrant", graphAndIndex},
		{"Postgres, Neo4j, Qdrant", func(b *testing.B) []string {
			return append(graphAndIndex(b), "DATABASE_URL="+database(b), "SECRET_KEY="+strings.Repeat("only for a benchmark ", 2))
		}},
	}
	programs := strings.Split(*program, ",")
	all := make([]took, len(sets)*len(programs))
	for range *rounds { // by turns, for the machine may be busier now than then
		for i, set := range sets {
			for j, name := range programs {
				b.Run(set.name+"/"+filepath.Base(name), func(b *testing.B) { all[i*len(programs)+j].read(b, name, folders, set.start(b)) })
			}
		}
	}
	fmt.Printf("\n| set | the first %d documents, s | times | %d more, s | times | CPU of the program, s | of Neo4j | of Postgres |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", few, more)
	for i, t := range all {
		if embedded := all[i%len(programs)]; len(t.then) > 0 && len(embedded.then) > 0 {
			first, then := median(t.first), median(t.then)
			fmt.Printf("| %s, %s | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f |\n", sets[i/len(programs)].name, filepath.Base(programs[i%len(programs)]),
				first, first/median(embedded.first), then, then/median(embedded.then), median(t.cpu), median(t.graph), median(t.ledger))
		}
	}
}

// graphAndIndex starts a Neo4j, and a Qdrant in memory unless one runs at QDRANT_URL, and returns the settings that name
// them.
func graphAndIndex(b *testing.B) []string {
	s := servers.OwnNeo4j(b)
	graph := s.URL
	if *tapped {
		graph = counted(b, "Neo4j", graph, servers.TapNeo4j)
	}
	at := os.Getenv("QDRANT_URL")
	if at == "" {
		at = qdranttest.Start(b, nil).URL
	}
	return []string{"NEO4J_URL=" + graph, "NEO4J_USER=" + s.User, "NEO4J_PASSWORD=" + s.Password, "NEO4J_DATABASE=" + s.Database,
		"QDRANT_URL=" + at, "QDRANT_PREFIX=bench" + s.URL[strings.LastIndex(s.URL, ":")+1:]}
}

// database starts a Postgres and returns the address of a database.
func database(b *testing.B) string {
	address := servers.OwnPostgres(b).Database(b, "template0")
	if *tapped {
		address = counted(b, "Postgres", address, servers.TapPostgres)
	}
	return address
}

// counted returns the address of a tap in front of a server, and prints the statements at the end.
func counted(b *testing.B, name, address string, listen func(testing.TB, string) (string, *servers.Tap)) string {
	address, tap := listen(b, address)
	b.Cleanup(func() {
		trips, runs := tap.Take()
		fmt.Printf("%s: %.1f round trips a document, all in all\n", name, float64(trips)/(few+more))
		for _, s := range slices.SortedFunc(maps.Keys(runs), func(x, y string) int { return runs[y] - runs[x] })[:min(len(runs), 100)] {
			fmt.Printf("%8.2f  %.200s\n", float64(runs[s])/(few+more), s)
		}
	})
	return address
}

// read reads each folder by a process of its own.
func (t *took) read(b *testing.B, program string, folders [2]string, environ []string) {
	data := b.TempDir()
	for i, folder := range folders {
		cmd := exec.CommandContext(b.Context(), program, "ingest", "--data", data, "--json", folder)
		cmd.Env, cmd.Stderr = append([]string{"PATH=" + os.Getenv("PATH"), "EMBED_PROVIDER=none", "LOG_LEVEL=warn"}, environ...), os.Stderr
		began, before := time.Now(), serversCPU()
		check(b, cmd.Run())
		seconds := time.Since(began).Seconds()
		if i == 0 {
			t.first = append(t.first, seconds)
			continue
		}
		after := serversCPU()
		t.then, t.cpu = append(t.then, seconds), append(t.cpu, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds())
		t.graph, t.ledger = append(t.graph, after[neo4jName]-before[neo4jName]), append(t.ledger, after[postgresName]-before[postgresName])
		fmt.Fprintf(os.Stderr, "%s: %.2f s; CPU %.2f, Neo4j %.2f, Postgres %.2f\n", b.Name(), seconds, t.cpu[len(t.cpu)-1], t.graph[len(t.graph)-1], t.ledger[len(t.ledger)-1])
	}
}
