// Package servers starts the real servers that tests run against: each once per test binary, when the
// first test needs it, on 127.0.0.1 and in its own folder. They end with the test process.
package servers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// errMissing marks errors about programs that are not installed.
var errMissing = errors.New("not installed")

// missing returns an errMissing that names what to install.
func missing(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMissing, fmt.Sprintf(format, args...))
}

// check ends the test on an error. If a server is not installed it skips the
// test, except in CI.
func check(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, errMissing) && os.Getenv("CI") != "true":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// skipShort skips the test under go test -short, which starts no server.
func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("go test -short starts no server")
	}
}

// freePort returns an unused port of 127.0.0.1 below those that the system hands out:
// it gives none of these to another program before the server listens, or while it is
// started again.
func freePort() (port int, err error) {
	for range 100 {
		port = 12_000 + rand.IntN(20_000)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// root returns the folder of the project, from bench too, which is a module of its own.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "internal", "testkit")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the tests do not run within the project")
		}
		dir = up
	}
}
