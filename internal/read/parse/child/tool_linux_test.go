package child

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// The commands of this test binary that becomes a program of the system, and is one.
const (
	asTool  = "tool"
	asProbe = "probe-tool"
)

// probeTool says what a program that was confined still has of the system, in JSON.
func probeTool() string {
	try := func(err error) string {
		if err == nil {
			return "allowed"
		}
		return "refused"
	}
	read := func(path string) string {
		_, err := os.ReadFile(path)
		return try(err)
	}
	_, tcp := net.DialTimeout("tcp", "127.0.0.1:9", time.Second)
	_, udp := net.DialTimeout("udp", "127.0.0.1:9", time.Second)
	_, list := os.ReadDir(".")
	_, root := os.ReadDir("/")
	found := map[string]string{
		"environment": os.Getenv("CLEW_TEST_SECRET"),
		"its file":    read("in"), "its result": try(os.WriteFile("out", nil, 0o600)), "over its file": try(os.WriteFile("in", nil, 0o600)),
		"another file": read("../secret"), "the password file": read("/etc/passwd"), "its environment": read("/proc/self/environ"), "its parent": read(fmt.Sprintf("/proc/%d/cmdline", os.Getppid())),
		"a file beside its folder": try(os.WriteFile("../made", nil, 0o600)), "a folder": try(os.Mkdir("made", 0o700)), "a link": try(os.Symlink("/etc/passwd", "link")),
		"remove its file": try(os.Remove("in")), "list its folder": try(list), "list the root": try(root), "a library": read(libraryFile()),
		"TCP": refusal(tcp), "UDP": refusal(udp),
		"start a process": try(exec.Command("/bin/true").Start()), "signal": try(syscall.Kill(os.Getppid(), 0)),
	}
	for name, which := range map[string]int{"core": syscall.RLIMIT_CORE, "size": syscall.RLIMIT_FSIZE, "memory": syscall.RLIMIT_AS, "seconds": syscall.RLIMIT_CPU} {
		var limit syscall.Rlimit
		_, _, _ = syscall.RawSyscall(syscall.SYS_GETRLIMIT, uintptr(which), uintptr(unsafe.Pointer(&limit)), 0) //nolint:gosec // the newer call sets limits too, and is refused
		found[name] = fmt.Sprint(limit.Max)
	}
	b, _ := json.Marshal(found)
	return string(b)
}

// libraryFile returns a file that is installed on every system.
func libraryFile() string {
	names, _ := filepath.Glob("/usr/bin/*")
	return append(names, "/usr/bin")[0]
}

// TestAToolHasItsFolderOnly has this test binary stand for a program of the system.
func TestAToolHasItsFolderOnly(t *testing.T) {
	t.Parallel()
	if !Confines() {
		t.Skip("SKIP: this system has no Landlock")
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "secret"), filepath.Join(folder, "in")} {
		if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], asTool)
	cmd.Dir, cmd.Env = folder, []string{"CLEW_TEST_SECRET=hush"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v, output %q, %v", err, out, cmd.Stderr)
	}
	var found map[string]string
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	want := map[string]string{
		"environment": "", "its file": "allowed", "its result": "allowed", "over its file": "allowed", "a library": "allowed",
		"core": "0", "size": fmt.Sprint(toolBytes), "memory": fmt.Sprint(4 << 30), "seconds": fmt.Sprint(toolSeconds),
	}
	for what, got := range found {
		if w, known := want[what]; known && got != w || !known && got != "refused" {
			t.Errorf("%s: %q, want %q", what, got, w)
		}
	}
}
