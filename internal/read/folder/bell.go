package folder

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A Bell rings when the system reports a change in a folder. It is for one goroutine.
type Bell struct {
	watcher *fsnotify.Watcher // nil if the system can't report changes
}

// NewBell returns a bell. After an error it never rings, but can be waited with.
func NewBell() (Bell, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return Bell{}, err
	}
	return Bell{watcher}, nil
}

// Close frees what the system keeps for the bell.
func (b Bell) Close() error {
	if b.watcher == nil {
		return nil
	}
	return b.watcher.Close()
}

// Hears reports whether the system reports changes to the bell.
func (b Bell) Hears() bool { return b.watcher != nil }

// mostHeard is the number of subfolders that a bell listens to.
const mostHeard = 10_000

// Listen has the system report changes in a folder, of which dir has the content, and in all subfolders that are there now. One that
// comes later is a change itself. Where the system refuses, or there are too many, changes are found only by comparing.
func (b Bell) Listen(at string, dir fs.FS) {
	if b.watcher == nil {
		return
	}
	heard := 0
	_ = Walk(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // what can't be read rings no bell
		}
		if heard++; heard > mostHeard || b.watcher.Add(filepath.Join(at, filepath.FromSlash(name))) != nil {
			return fs.SkipAll
		}
		return nil
	})
}

// Wait waits until something has changed and then nothing for as long as calm, or seven times that in all. It reports false if nothing has
// changed for as long as most, or ctx has ended.
func (b Bell) Wait(ctx context.Context, calm, most time.Duration) bool {
	latest := time.NewTimer(most)
	defer latest.Stop()
	var events chan fsnotify.Event
	var failures chan error
	if b.watcher != nil {
		events, failures = b.watcher.Events, b.watcher.Errors
	}
	quiet := time.NewTimer(most)
	quiet.Stop()
	defer quiet.Stop()
	rung := false
	for {
		select {
		case <-ctx.Done():
			return false
		case <-latest.C:
			return rung
		case <-quiet.C:
			return true
		case <-failures: //nolint:errcheck // what was missed is found by comparing
		case e := <-events:
			if filepath.Base(e.Name)[0] == '.' || e.Op == fsnotify.Chmod {
				continue
			}
		}
		quiet.Reset(calm)
		if !rung {
			rung = true
			latest.Reset(min(most, 7*calm))
		}
	}
}
