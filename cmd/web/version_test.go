package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestTheVersionIsTold reads it where people look: in commands that need no
// library, from the doctor and on the page Health.
func TestTheVersionIsTold(t *testing.T) {
	t.Parallel()
	sh := newShellWithoutData(t)
	line := sh.must(t, "version")
	told := regexp.MustCompile(`^clew version (dev \(commit ([0-9a-f]{12}|unknown), ` + runtime.Version() + `, ` + runtime.GOOS + `/` + runtime.GOARCH + `\))\n$`).FindStringSubmatch(line)
	if told == nil {
		t.Fatalf("clew version prints %q", line)
	}
	if out := sh.must(t, "--version"); out != line {
		t.Errorf("clew --version prints %q, clew version %q", out, line)
	}
	if _, err := os.Stat(sh.data); err == nil {
		t.Error("asking for the version makes a data folder")
	}
	if out := sh.must(t, "doctor"); !strings.Contains(out, "Program: clew "+told[1]) {
		t.Errorf("the doctor says %q", out)
	}
	if _, page := sh.serve(t).get(t, "/health"); !strings.Contains(page, "Clew "+told[1]) {
		t.Errorf("the page Health lacks %q", told[1])
	}
}
