package servers

import (
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

// Neo4jServer is a running Neo4j and how to reach it.
type Neo4jServer struct {
	URL, User, Password, Database string

	home    string
	process *process
}

// sharedNeo4j is the server of all tests of a binary.
var sharedNeo4j = sync.OnceValues(func() (*Neo4jServer, error) {
	if url := os.Getenv("CLEW_TEST_NEO4J_URL"); url != "" {
		return &Neo4jServer{
			URL: url, User: "neo4j", Password: os.Getenv("CLEW_TEST_NEO4J_PASSWORD"), Database: "neo4j",
		}, nil
	}
	return StartNeo4j("")
})

// Neo4j is a server that all tests of this binary share, each in workspaces
// of its own. It asks for no password. CLEW_TEST_NEO4J_URL and
// CLEW_TEST_NEO4J_PASSWORD name one that runs already, as the command with
// does for all binaries of a run.
func Neo4j(t testing.TB) *Neo4jServer {
	t.Helper()
	skipShort(t)
	s, err := sharedNeo4j()
	check(t, err)
	return s
}

// OwnNeo4j is a server of this test alone, which it may stop and start. It
// asks for Password.
func OwnNeo4j(t testing.TB) *Neo4jServer {
	t.Helper()
	skipShort(t)
	s, err := StartNeo4j("own password of a test")
	check(t, err)
	t.Cleanup(s.Remove)
	return s
}

// Remove ends a server that StartNeo4j started, and its data.
func (s *Neo4jServer) Remove() {
	_ = s.process.cmd.Process.Kill()
	<-s.process.gone
	_ = os.RemoveAll(s.home)
}

// StartNeo4j starts a new, empty server; without a password it lets everybody
// in. It ends with Remove, or with the process.
func StartNeo4j(password string) (*Neo4jServer, error) {
	jars, err := neo4jJars()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Neo4jServer{URL: fmt.Sprintf("bolt://127.0.0.1:%d", port), User: "neo4j", Password: password, Database: "neo4j"}
	if s.home, err = tempdir.New("neo4j"); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(s.home, "conf"), 0o700); err != nil {
		return nil, err
	}
	conf := fmt.Sprintf(neo4jConf, port, port, password != "")
	if err := os.WriteFile(filepath.Join(s.home, "conf", "neo4j.conf"), []byte(conf), 0o600); err != nil {
		return nil, err
	}
	if password != "" {
		cmd := exec.Command("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jars,
			"org.neo4j.server.startup.Neo4jAdminCommand", "dbms", "set-initial-password", password)
		cmd.Env = append(os.Environ(), "NEO4J_HOME="+s.home, "NEO4J_CONF="+filepath.Join(s.home, "conf"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("set Neo4j's password: %w\n%s", err, out)
		}
	}
	return s, s.start(jars)
}

// neo4jJars is the class path of the server.
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

const neo4jConf = `server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:%d
server.bolt.advertised_address=127.0.0.1:%d
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=%t
dbms.usage_report.enabled=false
server.memory.pagecache.size=128m
db.tx_log.preallocate=false
db.shutdown_transaction_end_timeout=0s
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
`

func (s *Neo4jServer) start(jars string) error {
	cmd := exec.Command("java", "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
		"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dfile.encoding=UTF-8", "-cp", jars,
		"org.neo4j.server.CommunityEntryPoint", "--home-dir="+s.home, "--config-dir="+filepath.Join(s.home, "conf"), "--console-mode")
	cmd.Dir = s.home
	var err error
	s.process, err = launch(cmd, syscall.SIGKILL, func(line string) bool { return strings.HasSuffix(line, " Started.") })
	return err
}

// Databases is the folder of the server's databases, without its logs.
func (s *Neo4jServer) Databases() string { return filepath.Join(s.home, "data", "databases") }

// Pause stops the server's clock: it answers nobody and keeps its connections.
func (s *Neo4jServer) Pause(t testing.TB) {
	t.Helper()
	check(t, s.process.cmd.Process.Signal(syscall.SIGSTOP))
}

// Resume lets a paused server go on.
func (s *Neo4jServer) Resume(t testing.TB) {
	t.Helper()
	check(t, s.process.cmd.Process.Signal(syscall.SIGCONT))
}

// Stop shuts the server down in order.
func (s *Neo4jServer) Stop(t testing.TB) {
	t.Helper()
	check(t, s.process.stop(syscall.SIGTERM))
}

// Kill ends the server as a power cut would.
func (s *Neo4jServer) Kill(t testing.TB) {
	t.Helper()
	check(t, s.process.stop(syscall.SIGKILL))
}

// Start starts a server that was stopped, with the data and the address it had.
func (s *Neo4jServer) Start(t testing.TB) {
	t.Helper()
	jars, err := neo4jJars()
	check(t, err)
	check(t, s.start(jars))
}
