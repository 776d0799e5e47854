package servers

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/clewhq/clew/internal/testkit/tempdir"
)

// A Neo4jServer is a running Neo4j and its address.
type Neo4jServer struct {
	URL, User, Password, Database string

	home    string
	memory  memory
	process *process
}

// memory is the memory of a server: the heap of Java with suitable options, and the page cache.
type memory struct {
	heap, pages string
	options     []string
}

// small is enough for tests, and starts soon.
func small() memory {
	return memory{"512m", "128m", []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}}
}

// large is enough for a graph of some million links.
func large() memory { return memory{"2g", "3g", []string{"-XX:+UseParallelGC"}} }

// sharedNeo4j is the server of all tests of a binary.
var sharedNeo4j = sync.OnceValues(func() (*Neo4jServer, error) {
	if url := os.Getenv("CLEW_TEST_NEO4J_URL"); url != "" {
		return &Neo4jServer{
			URL: url, User: "neo4j", Password: os.Getenv("CLEW_TEST_NEO4J_PASSWORD"), Database: "neo4j",
		}, nil
	}
	return StartNeo4j("")
})

// Neo4j returns the server that all tests of this binary share, each in its
// own workspaces. It needs no password. CLEW_TEST_NEO4J_URL and
// CLEW_TEST_NEO4J_PASSWORD name a running server to use instead; the command
// with sets them for all binaries of a run.
func Neo4j(t testing.TB) *Neo4jServer {
	t.Helper()
	skipShort(t)
	s, err := sharedNeo4j()
	check(t, err)
	return s
}

// OwnNeo4j starts a server for this test alone, which may stop and start it.
// Unlike the shared one it needs a password.
func OwnNeo4j(t testing.TB) *Neo4jServer {
	t.Helper()
	skipShort(t)
	s, err := StartNeo4j(ownPassword)
	check(t, err)
	t.Cleanup(s.Remove)
	return s
}

const ownPassword = "own password of a test"

// LargeNeo4j prepares a server like that of OwnNeo4j, with memory for a large graph, 5 GB and more. It does not run until Start.
func LargeNeo4j(t testing.TB) *Neo4jServer {
	t.Helper()
	skipShort(t)
	s, err := newNeo4j(ownPassword, large())
	check(t, err)
	t.Cleanup(s.Remove)
	return s
}

// Import fills the database of a server that was never started from files, with the options of neo4j-admin database import full.
func (s *Neo4jServer) Import(t testing.TB, options ...string) {
	t.Helper()
	jars, err := neo4jJars()
	check(t, err)
	cmd := exec.Command("java", append([]string{"-Xmx" + s.memory.heap, "-cp", jars, "org.neo4j.cli.AdminTool", "database", "import", "full", s.Database, "--max-off-heap-memory=2G"}, options...)...)
	cmd.Dir = s.home
	cmd.Env = append(os.Environ(), "NEO4J_HOME="+s.home, "NEO4J_CONF="+filepath.Join(s.home, "conf"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
}

// Remove kills a server that StartNeo4j started and deletes its data.
func (s *Neo4jServer) Remove() {
	if s.process != nil {
		_ = s.process.cmd.Process.Kill()
		<-s.process.gone
	}
	_ = os.RemoveAll(s.home)
}

// StartNeo4j starts a new, empty server. If password is "" it accepts every
// client. The server ends with Remove, or with the process.
func StartNeo4j(password string) (*Neo4jServer, error) {
	jars, err := neo4jJars()
	if err != nil {
		return nil, err
	}
	s, err := newNeo4j(password, small())
	if err != nil {
		return nil, err
	}
	return s, s.start(jars)
}

// KeepClasses writes the archive from which Java loads the classes of Neo4j, so
// that servers start in two thirds of the time. Java ignores an archive that was
// made from other jars, or by another version of it.
func KeepClasses() error {
	jars, err := neo4jJars()
	if err != nil {
		return err
	}
	s, err := newNeo4j("", small())
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.home)
	archive := classes(jars) + ".new"
	if err := s.start(jars, "-XX:ArchiveClassesAtExit="+archive); err != nil {
		return err
	}
	if err := s.process.stop(syscall.SIGTERM); err != nil {
		return err
	}
	return os.Rename(archive, classes(jars))
}

// newNeo4j makes the folder of a server.
func newNeo4j(password string, m memory) (*Neo4jServer, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Neo4jServer{URL: fmt.Sprintf("bolt://127.0.0.1:%d", port), User: "neo4j", Password: password, Database: "neo4j", memory: m}
	if s.home, err = tempdir.New("neo4j"); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(s.home, "conf"), 0o700); err != nil {
		return nil, err
	}
	conf := fmt.Sprintf(neo4jConf, port, port, password != "", m.pages)
	if err := os.WriteFile(filepath.Join(s.home, "conf", "neo4j.conf"), []byte(conf), 0o600); err != nil {
		return nil, err
	}
	if password != "" {
		if err := s.setPassword(); err != nil {
			return nil, fmt.Errorf("set Neo4j's password: %w", err)
		}
	}
	return s, nil
}

// setPassword writes the file that neo4j-admin dbms set-initial-password writes,
// without starting Java for it.
func (s *Neo4jServer) setPassword() error {
	const rounds = 1024
	salt := sha256.Sum256([]byte(s.home))
	hash := sha256.Sum256(append(salt[:], s.Password...))
	for range rounds - 1 {
		hash = sha256.Sum256(hash[:])
	}
	dir := filepath.Join(s.home, "data", "dbms")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	line := fmt.Sprintf("%s:SHA-256,%x,%x,%d:\n", s.User, hash, salt, rounds)
	return os.WriteFile(filepath.Join(dir, "auth.ini"), []byte(line), 0o600)
}

// neo4jJars returns the class path of the server.
func neo4jJars() (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", missing("tests on Neo4j need Java 17 or later (Debian: default-jre-headless)")
	}
	dir, err := root()
	if err != nil {
		return "", err
	}
	jars := filepath.Join(dir, ".cache", "neo4j")
	if _, err := os.Stat(filepath.Join(jars, ".complete")); err != nil {
		return "", missing("tests on Neo4j need its jars: run make neo4j, which needs Maven (Debian: maven)")
	}
	return filepath.Join(jars, "*"), nil
}

// classes returns the archive of the classes in jars.
func classes(jars string) string { return filepath.Dir(jars) + ".jsa" }

const neo4jConf = `server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:%d
server.bolt.advertised_address=127.0.0.1:%d
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=%t
dbms.usage_report.enabled=false
server.memory.pagecache.size=%s
db.tx_log.preallocate=false
db.shutdown_transaction_end_timeout=0s
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
`

// start starts the server with the options of Java that are given, otherwise
// with the archive of classes if there is one.
func (s *Neo4jServer) start(jars string, options ...string) error {
	if _, err := os.Stat(classes(jars)); err == nil && len(options) == 0 {
		options = []string{"-XX:SharedArchiveFile=" + classes(jars)}
	}
	options = append(options, s.memory.options...)
	cmd := exec.Command("java", append(options, "-Xms"+s.memory.heap, "-Xmx"+s.memory.heap,
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
		"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dfile.encoding=UTF-8", "-cp", jars,
		"org.neo4j.server.CommunityEntryPoint", "--home-dir="+s.home, "--config-dir="+filepath.Join(s.home, "conf"), "--console-mode")...)
	cmd.Dir = s.home
	var err error
	s.process, err = launch(cmd, syscall.SIGKILL, func(line string) bool { return strings.HasSuffix(line, " Started.") })
	return err
}

// Databases returns the folder of the server's databases, without its logs.
func (s *Neo4jServer) Databases() string { return filepath.Join(s.home, "data", "databases") }

// Pause suspends the server: it keeps its connections and answers none.
func (s *Neo4jServer) Pause(t testing.TB) {
	t.Helper()
	check(t, s.process.cmd.Process.Signal(syscall.SIGSTOP))
}

// Resume continues a paused server.
func (s *Neo4jServer) Resume(t testing.TB) {
	t.Helper()
	check(t, s.process.cmd.Process.Signal(syscall.SIGCONT))
}

// Stop shuts the server down cleanly.
func (s *Neo4jServer) Stop(t testing.TB) {
	t.Helper()
	check(t, s.process.stop(syscall.SIGTERM))
}

// Kill ends the server without a shutdown, like a power cut.
func (s *Neo4jServer) Kill(t testing.TB) {
	t.Helper()
	check(t, s.process.stop(syscall.SIGKILL))
}

// Start starts a stopped server again, with its data and address.
func (s *Neo4jServer) Start(t testing.TB) {
	t.Helper()
	jars, err := neo4jJars()
	check(t, err)
	check(t, s.start(jars))
}
