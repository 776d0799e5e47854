package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clewhq/clew/bench/measure"
)

// writeLarge writes one text of so many megabytes: the passages, over and over, with
// a number that makes each time another text.
func writeLarge(passages []measure.Passage, path string, megabytes int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	for n, size := 0, 0; size < megabytes*1_000_000; n++ {
		p := passages[n%len(passages)]
		written, err := fmt.Fprintf(out, "%s (%d)\n\n%s\n\n", p.Title, n, p.Text)
		if err != nil {
			return err
		}
		size += written
	}
	return out.Flush()
}

// measureLarge reads one large text until some of its chunks are done, interrupts
// that, and prints what it took.
func (m *model) measureLarge(ctx context.Context, clew string, passages []measure.Passage, dir string, megabytes int) error {
	text := filepath.Join(dir, "large.txt")
	if err := writeLarge(passages, text, megabytes); err != nil {
		return err
	}
	m.calls.Store(0)
	began := time.Now()
	cmd := exec.CommandContext(ctx, clew, "ingest", "--data", filepath.Join(dir, "large"), text)
	cmd.Env = append(append(os.Environ(), m.settings()...), fmt.Sprint("MAX_UPLOAD_MB=", megabytes+10))
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	first, err := m.await(ctx, 1, ended)
	if err == nil {
		_, err = m.await(ctx, enough, ended)
	}
	if err != nil {
		return err
	}
	stopped := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-ended: //nolint:errcheck // it is the status of what was interrupted
	case <-ctx.Done():
		return ctx.Err()
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("this system does not say how much memory a process used")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Printf("\none text of %d MB: first chunks sent after %.1f s; after %d calls %.1f s and %.1f CPU s; peak %.0f MB; interrupted within %.1f s\n", megabytes,
		first.Sub(began).Seconds(), enough, stopped.Sub(began).Seconds(), cpu.Seconds(), float64(used.Maxrss)/1000, time.Since(stopped).Seconds())
	return nil
}

// enough is how many calls a large text is read for.
const enough = 200

// await returns when so many calls of extraction were made, or with an error when
// the program has ended before.
func (m *model) await(ctx context.Context, calls int64, ended <-chan error) (time.Time, error) {
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case err := <-ended:
			return time.Time{}, fmt.Errorf("it ended after %d calls: %w", m.calls.Load(), err)
		case <-tick.C:
		}
		if m.calls.Load() >= calls {
			tick.Stop()
			return time.Now(), nil
		}
	}
}
