package servers

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/testkit/tempdir"
	"github.com/clewhq/clew/migrations"
)

// A PostgresServer is a running Postgres.
type PostgresServer struct {
	home, bin string
	port      int
	account   *syscall.Credential // the user of its processes; nil for this process's own
	process   *process
	databases atomic.Int64
}

// postgresPassword is the password of the server's only account.
const postgresPassword = "password of the tests"

// template is the migrated database that is copied for each test.
const template = "clew_template"

var sharedPostgres = sync.OnceValues(newPostgres)

// Postgres opens a migrated, empty database for this test alone, on a server
// that all tests of this binary share.
func Postgres(t testing.TB) *postgres.DB {
	t.Helper()
	return OpenPostgres(t, PostgresURL(t))
}

// PostgresURL returns the address of such a database, for tests that open it
// themselves, or several times.
func PostgresURL(t testing.TB) string {
	t.Helper()
	skipShort(t)
	s, err := sharedPostgres()
	check(t, err)
	return s.Database(t, template)
}

// EmptyPostgresURL returns the address of a database without tables.
func EmptyPostgresURL(t testing.TB) string {
	t.Helper()
	skipShort(t)
	s, err := sharedPostgres()
	check(t, err)
	return s.Database(t, "template0")
}

// OpenPostgres opens the database at address until the test ends.
func OpenPostgres(t testing.TB, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(context.Background(), address, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// OwnPostgres starts a server for this test alone, which may stop and start it.
func OwnPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	skipShort(t)
	s, err := newPostgres()
	check(t, err)
	t.Cleanup(func() {
		_ = s.process.cmd.Process.Signal(syscall.SIGQUIT)
		<-s.process.gone
		_ = os.RemoveAll(s.home)
	})
	return s
}

// URL returns the address of a database of the server.
func (s *PostgresServer) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("clew", postgresPassword),
		Host: fmt.Sprintf("127.0.0.1:%d", s.port), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Database creates a copy of the database like, drops it when the test ends,
// and returns its address.
func (s *PostgresServer) Database(t testing.TB, like string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.databases.Add(1))
	check(t, s.admin(`CREATE DATABASE `+name+` TEMPLATE `+like))
	t.Cleanup(func() {
		if err := s.admin(`DROP DATABASE ` + name + ` WITH (FORCE)`); err != nil {
			t.Log(err) // the test has stopped the server
		}
	})
	return s.URL(name)
}

// Migrated creates a migrated database and returns its address.
func (s *PostgresServer) Migrated(t testing.TB) string {
	t.Helper()
	return s.Database(t, template)
}

// admin runs a statement in the server's own database.
func (s *PostgresServer) admin(statement string) error {
	db, err := postgres.Open(context.Background(), s.URL("postgres"), postgres.Options{Connections: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Writer.Exec(statement)
	return err
}

// newPostgres makes and starts a server with a migrated template.
func newPostgres() (*PostgresServer, error) {
	s := &PostgresServer{}
	var err error
	if s.bin, err = postgresPrograms(); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	if s.home, err = tempdir.New("postgres"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // Postgres refuses to run as root
		if s.account, err = ordinary(s.home); err != nil {
			return nil, err
		}
	}
	if err := s.initialise(); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, s.makeTemplate()
}

// postgresPrograms returns the folder of initdb and postgres.
func postgresPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // as in Debian
	if err != nil || len(found) == 0 {
		return "", missing("tests on Postgres need its server (Debian: postgresql)")
	}
	return filepath.Dir(slices.Max(found)), nil
}

// initialise creates the server's files.
func (s *PostgresServer) initialise() error {
	secret := filepath.Join(s.home, "password")
	if err := os.WriteFile(secret, []byte(postgresPassword), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(s.bin, "initdb"), "--pgdata="+s.data(), "--username=clew", "--pwfile="+secret,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	cmd.Dir = s.home
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func (s *PostgresServer) data() string { return filepath.Join(s.home, "data") }

// start starts the server, without syncing to disk. It gets SIGQUIT when the
// test's process ends: Postgres then exits at once and frees its shared memory.
func (s *PostgresServer) start() (err error) {
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-p", fmt.Sprint(s.port), "-k", s.home,
		"-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300", "-c", "shared_buffers=64MB",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "log_min_messages=log", "-c", "lc_messages=C")
	cmd.Dir = s.home
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account}
	s.process, err = launch(cmd, syscall.SIGQUIT, func(line string) bool { return strings.Contains(line, "ready to accept connections") })
	return err
}

// makeTemplate migrates the database that tests copy.
func (s *PostgresServer) makeTemplate() error {
	if err := s.admin(`CREATE DATABASE ` + template + ` TEMPLATE template0`); err != nil {
		return err
	}
	db, err := postgres.Open(context.Background(), s.URL(template), postgres.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	return migrations.Up(context.Background(), db.Writer)
}

// Stop shuts the server down without waiting for its clients.
func (s *PostgresServer) Stop(t testing.TB) {
	t.Helper()
	check(t, s.process.stop(syscall.SIGINT))
}

// Kill ends the server without a shutdown, like a power cut.
func (s *PostgresServer) Kill(t testing.TB) {
	t.Helper()
	check(t, s.process.stop(syscall.SIGQUIT))
}

// Start starts a stopped server again, with its data and address.
func (s *PostgresServer) Start(t testing.TB) {
	t.Helper()
	check(t, s.start())
}
