// Package tempdir makes temporary folders for servers that a test binary starts once and never stops.
package tempdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// New makes a folder for a server or browser that ends with this process. A test binary has no end at which to
// remove it, so New removes the folders that earlier processes made under the same name.
// The folder is in memory where that has room.
func New(name string) (string, error) {
	prefix, parent := "clew-test-"+name+"-", root()
	old, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return "", err
	}
	for _, dir := range old {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		if pid, err := strconv.Atoi(number); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
	return os.MkdirTemp(parent, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
}
