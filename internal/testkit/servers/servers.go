// Package servers starts the real servers that tests run against: each once
// for a test binary, when the first test asks for it, on 127.0.0.1 and in a
// folder of its own. They end with the process of the test.
package servers

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// errMissing marks that something has to be installed before a server starts.
var errMissing = errors.New("not installed")

// missing says what to install.
func missing(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMissing, fmt.Sprintf(format, args...))
}

// check ends the test at an error. Where a server is not installed the test is
// skipped, but in CI, where everything has to be.
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

// freePort is a port of 127.0.0.1 on which nobody listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// root is the project's folder.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the tests do not run within the project")
		}
		dir = up
	}
}
