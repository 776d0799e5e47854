package disk

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// inside is set in a process that runs one test in its own mount namespace.
const inside = "CLEW_TEST_OWN_TREE"

// Small runs f with the folder of a new file system. The size is written as
// for mount, for instance "4m". If this user may not mount one, the test runs
// again in a user namespace. If that is refused too, the test is skipped, and
// fails in CI.
func Small(t *testing.T, size string, f func(t *testing.T, dir string)) {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
	if err == nil {
		defer func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		}()
		f(t, dir)
		return
	}
	if os.Getenv(inside) == "" {
		var refused error
		if refused = again(t); refused == nil {
			return
		}
		err = errors.Join(err, refused)
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("a small file system can be mounted neither here nor in a user namespace: %v", err)
	}
	t.Skipf("left out: a small file system can be mounted neither here nor in a user namespace: %v", err)
}

// again runs the test as root of a new user namespace. It returns an error if
// the system refuses.
func again(t *testing.T) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return err
	}
	if err != nil {
		t.Fatalf("in a user namespace: %v\n%s", err, out)
	}
	return nil
}

// Fill uses all space of a file system except for the given bytes. The
// function it returns frees it again.
func Fill(t *testing.T, dir string, but int64) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	if room := int64(s.Bavail)*s.Bsize - but; room > 0 {
		if err := syscall.Fallocate(int(f.Fd()), 0, 0, room); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

// Seal makes the file system of Small read-only. The function it returns makes
// it writable again.
func Seal(t *testing.T, dir string) (open func()) {
	t.Helper()
	remount := func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	remount(syscall.MS_RDONLY)
	return func() { remount(0) }
}
