package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cloudwego/eino/compose"
)

var ctx = context.Background()

// works are the available works.
type works struct {
	folder string
	ready  map[string]func() float64
}

// get returns a prepared work of a size, or nil if there is none.
func (w *works) get(work string, size int) func() float64 {
	key := fmt.Sprint(work, size)
	if w.ready[key] == nil {
		w.ready[key] = w.build(work, size)
	}
	return w.ready[key]
}

func (w *works) build(work string, size int) func() float64 {
	switch work {
	case "linear":
		return run(chain(size, 0), 0)
	case "idle":
		return run(chain(10, size), 0)
	case "wide":
		return run(wide(size), 0)
	case "resume":
		return w.resume(size)
	case "killed":
		return w.killed(size, 0)
	case "killed_slow":
		return w.killed(size, 10*time.Millisecond)
	case "kept":
		return w.kept
	}
	return nil
}

func run[I, O any](r compose.Runnable[I, O], in I) func() float64 {
	return func() float64 {
		must(r.Invoke(ctx, in))
		return 0
	}
}

// resume continues a run that has collected messages, does a step and stops
// again. Its store is in memory, because eino provides no durable one.
func (w *works) resume(messages int) func() float64 {
	g := growing(messages, endless, nil, compose.WithCheckPointStore(memory{}), compose.WithInterruptBeforeNodes([]string{"ask"}))
	do := func() float64 {
		_, err := g.Invoke(ctx, 0, compose.WithCheckPointID("t"))
		if _, ok := compose.ExtractInterruptInfo(err); !ok {
			check(fmt.Errorf("the run has not stopped: %w", err))
		}
		return 0
	}
	do()
	return do
}

// killed kills its own process in call 500; each call takes a while.
func (w *works) killed(size int, while time.Duration) func() float64 {
	return func() float64 {
		calls := 0
		g := growing(size, 0, func() {
			if calls++; calls == 500 {
				check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
				select {}
			}
			time.Sleep(while)
		}, compose.WithCheckPointStore(folder(w.folder)))
		must(g.Invoke(ctx, 0, compose.WithCheckPointID("killed")))
		return 0
	}
}

// kept returns how many calls survived in a killed process.
func (w *works) kept() float64 {
	_, found, err := folder(w.folder).Get(ctx, "killed")
	check(err)
	if found {
		check(errors.New("a checkpoint was written: count what it has"))
	}
	return 0
}

// memory is a checkpoint store.
type memory map[string][]byte

func (m memory) Get(_ context.Context, id string) ([]byte, bool, error) {
	data, ok := m[id]
	return data, ok, nil
}

func (m memory) Set(_ context.Context, id string, data []byte) error {
	m[id] = data
	return nil
}

// folder is a checkpoint store that a process leaves behind.
type folder string

func (f folder) Get(_ context.Context, id string) ([]byte, bool, error) {
	data, err := os.ReadFile(filepath.Join(string(f), id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func (f folder) Set(_ context.Context, id string, data []byte) error {
	return os.WriteFile(filepath.Join(string(f), id), data, 0o600)
}
