package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// probe says what a child still has of the system, in JSON.
func probe() string {
	try := func(err error) string {
		if err == nil {
			return "allowed"
		}
		return "refused"
	}
	_, etc := os.ReadFile("/etc/passwd")
	_, self := os.ReadFile("/proc/self/environ")
	_, created := os.Create("here")
	_, tcp := net.DialTimeout("tcp", "127.0.0.1:9", time.Second)
	_, udp := net.DialTimeout("udp", "127.0.0.1:9", time.Second)
	_, listen := net.Listen("tcp", "127.0.0.1:0")
	dir, _ := os.Getwd()
	found := map[string]string{
		"environment": strings.Join(os.Environ(), " "), "folder": dir,
		"read a file": try(etc), "read itself": try(self), "make a file": try(created), "remove a file": try(os.Remove("/tmp")),
		"TCP": refusal(tcp), "UDP": refusal(udp), "listen": refusal(listen),
		"start a process": try(exec.Command("/proc/self/exe", asBroken).Start()),
		"signal":          try(syscall.Kill(os.Getppid(), 0)),
	}
	var limit syscall.Rlimit
	for name, which := range map[string]int{"core": syscall.RLIMIT_CORE, "size": syscall.RLIMIT_FSIZE} {
		_ = syscall.Getrlimit(which, &limit)
		found[name] = fmt.Sprint(limit.Max)
	}
	b, _ := json.Marshal(found)
	return string(b)
}

// refusal tells a refusal by the system from one by whom it would reach.
func refusal(err error) string {
	if err != nil && (strings.Contains(err.Error(), "not permitted") || strings.Contains(err.Error(), "permission denied")) {
		return "refused"
	}
	return fmt.Sprint(err)
}

func TestAChildHasNothingOfTheSystem(t *testing.T) {
	t.Setenv("CLEW_TEST_SECRET", "hush")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	p := testPool(t)
	inherited, err := os.Open("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	inherited.Fd() // blocking, as others leave it
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, inherited.Fd(), syscall.F_SETFD, 0); errno != 0 {
		t.Fatal(errno)
	}
	text, err := p.parseString(t.Context(), domain.FormatText, deed("probe")+strings.Repeat(" ", 2000)+".")
	if err != nil {
		t.Fatal(err)
	}
	var found map[string]string
	if err := json.Unmarshal([]byte(strings.TrimSuffix(text.Content, ".")), &found); err != nil {
		t.Fatalf("%v in %s", err, text.Content)
	}
	for what, got := range found {
		want := "refused"
		switch what {
		case "environment", "folder":
			want = ""
		case "core", "size":
			want = "0"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	pid := strconv.Itoa(p.idle[0].cmd.Process.Pid)
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"NoNewPrivs:\t1\n", "Seccomp:\t2\n"} {
		if !strings.Contains(string(status), line) {
			t.Errorf("its status lacks %q", line)
		}
	}
	if environ, err := os.ReadFile("/proc/" + pid + "/environ"); err != nil || len(environ) > 0 {
		t.Errorf("its environment is %q, error %v", environ, err)
	}
	if score, err := os.ReadFile("/proc/" + pid + "/oom_score_adj"); err != nil || string(score) != "1000\n" {
		t.Errorf("its score is %q, error %v", score, err)
	}
	files, err := filepath.Glob("/proc/" + pid + "/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if to, _ := os.Readlink(f); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/sys/fs/cgroup") && !strings.HasPrefix(to, "/proc/") {
			t.Errorf("it has %s open", to)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("the temporary folder holds %v, error %v", left, err)
	}
	if dir, _ := os.Readlink("/proc/" + pid + "/cwd"); !strings.HasSuffix(dir, " (deleted)") {
		t.Errorf("its folder is %q", dir)
	}
}

// TestAChildMakesWay looks at the priority of each of its threads, after it has read a file.
func TestAChildMakesWay(t *testing.T) {
	t.Parallel()
	for task, got := range priorities(t, testPool(t).warm(t).cmd.Process.Pid) {
		if got != niceness {
			t.Errorf("thread %s of the child has the priority %d, want %d", task, got, niceness)
		}
	}
	for task, got := range priorities(t, os.Getpid()) {
		if got >= niceness {
			t.Errorf("thread %s of the program has the priority %d", task, got)
		}
	}
}

// priorities returns the niceness of a process's threads.
func priorities(t *testing.T, pid int) map[string]int {
	t.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("%d threads, error %v", len(tasks), err)
	}
	found := map[string]int{}
	for _, task := range tasks {
		id, _ := strconv.Atoi(task.Name())
		if raw, err := unix.Getpriority(unix.PRIO_PROCESS, id); err == nil { // it may have ended
			found[task.Name()] = 20 - raw // what the kernel returns is never negative
		}
	}
	return found
}

func TestLandlockAndSeccompEachSuffice(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func() error{"Landlock": func() error { return forbidFiles(everyThread) }, "seccomp": func() error { return forbidCalls(forbidden) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getenv("CLEW_TEST_CONFINE") != name {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLandlockAndSeccompEachSuffice$/^"+name+"$")
				cmd.Env = append(os.Environ(), "CLEW_TEST_CONFINE="+name)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				} else if strings.Contains(string(out), "SKIP") {
					t.Skipf("%s", out)
				}
				return
			}
			if err := do(); err != nil {
				t.Skipf("SKIP: not here: %v", err)
			}
			if _, err := os.ReadFile("/etc/passwd"); err == nil {
				t.Error("a file could be read")
			}
		})
	}
}

// TestMemoryIsBoundedByTheKernelToo lets a child grow unwatched.
func TestMemoryIsBoundedByTheKernelToo(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	c, _, err := start(t.Context(), p.Command, setup{Memory: 64 << 20, Limits: p.Limits, Tokens: 64})
	if err != nil {
		t.Fatal(err)
	}
	err = writeJSON(c.in, request{Format: domain.FormatText, Size: 6})
	if err == nil {
		_, err = c.in.WriteString(deed("grow"))
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.done:
	case <-time.After(time.Minute):
		c.kill(nil)
		t.Fatal("the child grows on")
	}
	if why := c.fate(nil); !errors.Is(why, errMemory) && !strings.Contains(why.Error(), "failed to allocate") { // as the race detector says it
		t.Errorf("it ended: %v", why)
	}
}

// TestLargeIsToldBeforeTheChildGoesOn checks that the child stands still while
// its caller notes that it is large.
func TestLargeIsToldBeforeTheChildGoesOn(t *testing.T) {
	t.Parallel()
	if raced() {
		t.Skip("the child would be too large")
	}
	p := testPool(t)
	told, pid := 0, p.warm(t).cmd.Process.Pid
	p.Timeout = 3 * time.Second
	_, err := p.Parse(t.Context(), domain.FormatText, domain.Chunking{}, strings.NewReader(deed("fill")), 6, func() error {
		told++
		deadline := time.Now().Add(30 * time.Second)
		for stateOf(pid) != "T" && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if state := stateOf(pid); state != "T" {
			t.Errorf("the child's state is %q, want T: halted", state)
		}
		return nil
	})
	if told != 1 || !strings.Contains(err.Error(), "took longer") {
		t.Errorf("told %d times, error %v", told, err)
	}
	p.Timeout = time.Minute
	broken := errors.New("the ledger is away")
	_, err = p.Parse(t.Context(), domain.FormatText, domain.Chunking{}, strings.NewReader(deed("fill")), 6, func() error { return broken })
	if err == nil || !strings.Contains(err.Error(), broken.Error()) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

// stateOf returns the letter of a process's state, "" when there is none.
func stateOf(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if _, rest, ok := strings.Cut(string(stat), ") "); ok {
		return rest[:1]
	}
	return ""
}

// runs reports whether one of a process's threads is at work.
func runs(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return slices.ContainsFunc(threads, func(thread string) bool {
		stat, _ := os.ReadFile(thread)
		_, rest, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(rest, "R")
	})
}

// parent gives a child a file that spins, and says the child's number.
func parent() {
	c, _, err := start(context.Background(), []string{os.Args[0], asChild}, setup{Memory: testMemory, Tokens: 64})
	if err == nil {
		err = writeJSON(c.in, request{Format: domain.FormatText, Size: 6})
	}
	if err == nil {
		_, err = c.in.WriteString(deed("spin"))
	}
	fmt.Println(c.cmd.Process.Pid, err)
	select {}
}

func TestAChildDiesWithItsParent(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], asParent)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "%d <nil>", &pid); err != nil {
		t.Fatal(err)
	}
	if state := stateOf(pid); state == "" {
		t.Fatalf("there is no child %d", pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for deadline := time.Now().Add(time.Minute); strings.Trim(stateOf(pid), "ZX") != ""; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the child is still in state %s", stateOf(pid))
		}
	}
}

func TestAStopEndsTheChild(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	c := p.warm(t)
	ctx, cancel := context.WithCancel(t.Context())
	file := strings.NewReader(deed("spin"))
	ended := make(chan error, 1)
	go func() {
		_, err := p.Parse(ctx, domain.FormatText, domain.Chunking{}, file, int64(file.Len()), small)
		ended <- err
	}()
	for !runs(c.cmd.Process.Pid) { // it spins
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	cancel()
	err := <-ended
	if _, died := errors.AsType[*parse.DeathError](err); died || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if state := stateOf(c.cmd.Process.Pid); state != "" {
		t.Errorf("the child is in state %s", state)
	}
	t.Logf("it took %v", time.Since(began))
}
