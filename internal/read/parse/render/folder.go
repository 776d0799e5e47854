package render

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
)

// folders matches the names of the folders in which programs draw.
const folders = "clew-render-*"

// reserve makes a folder and holds it until held is closed.
func reserve() (path string, held io.Closer, err error) {
	for range 3 { // Sweep of another process may remove a folder before it is held
		if path, err = os.MkdirTemp("", folders); err != nil {
			return "", nil, err
		}
		if held, err = hold(path); err == nil {
			return path, held, nil
		}
	}
	return "", nil, err
}

// Sweep removes the folders of processes that were killed. Each holds a copy of a file.
func Sweep(log *slog.Logger) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), folders)) // the pattern is well formed
	for _, path := range left {
		held, err := hold(path)
		if err != nil { // a running process draws in it, or another user's did
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			log.Warn("remove a folder that a killed process left behind", "path", path, "err", err)
		}
		_ = held.Close()
	}
}
