package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit/python"
)

// TestTheRetrieverOfLangChain runs the tests of clients/python against a server.
func TestTheRetrieverOfLangChain(t *testing.T) {
	t.Parallel()
	interpreter := python.Interpreter(t)
	sh := newShell(t)
	folder := t.TempDir()
	sh.must(t, "ingest", file(t, folder, "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."), file(t, folder, "bridge.md", "The Carrow Foundry cast the iron of the bridge."))
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "langchain"), "\n")
	cmd := exec.CommandContext(t.Context(), interpreter, "-B", "-m", "unittest", "-v", "test_langchain_clew")
	cmd.Dir = filepath.Join("..", "..", "clients", "python")
	cmd.Env = append(os.Environ(), "CLEW_SERVER="+sh.serve(t).url, "CLEW_TOKEN="+secret)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "OK") {
		t.Errorf("%v:\n%s", err, out)
	}
}
