package child

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Apart returns how a process starts that dies with the thread that started it.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// niceness is how far processes that read files make way for others, see nice(1).
const niceness = 10

// MakeWay lowers the priority of a process, unless it is lower already. It sets that of every thread; new threads
// inherit it.
func MakeWay(pid int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // it may have ended
	for _, task := range tasks {
		if id, err := strconv.Atoi(task.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, niceness)
		}
	}
}

// halt stops a process until resume.
func (c *process) halt()   { _ = c.cmd.Process.Signal(syscall.SIGSTOP) }
func (c *process) resume() { _ = c.cmd.Process.Signal(syscall.SIGCONT) }

// meter reads a process's memory use. It is an open file, so that it never reads another process with the same number.
type meter struct{ *os.File }

func meterOf(pid int) meter {
	f, _ := os.Open("/proc/" + strconv.Itoa(pid) + "/statm") // without it, RLIMIT_DATA remains
	return meter{f}
}

// read returns the private memory of the process in bytes, or 0 if it has ended.
func (m meter) read() int64 {
	pages := statm(m.ReadAt)
	return (pages[1] - pages[2]) * int64(os.Getpagesize())
}

// statm reads the numbers of a /proc/PID/statm, in pages: size, resident,
// shared, text, library, data, dirty. See proc(5).
func statm(readAt func([]byte, int64) (int, error)) (pages [7]int64) {
	var b [128]byte
	n, _ := readAt(b[:], 0)
	for i, field := range strings.Fields(string(b[:n])) {
		if i < len(pages) {
			pages[i], _ = strconv.ParseInt(field, 10, 64)
		}
	}
	return pages
}

// confine drops the rights that a child doesn't need, and returns those that the system did not let it drop.
func confine(memory int64) (missing []string) {
	for _, step := range []struct {
		what string
		do   func(memory int64) error
	}{
		{"inherited files", closeInherited},
		{"limits", setLimits},
		{"out-of-memory score", dieFirst},
		{"seccomp", func(int64) error { return forbidCalls(forbidden) }},
		{"Landlock", func(int64) error { return forbidFiles(everyThread) }},
	} {
		if err := step.do(memory); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", step.what, err))
		}
	}
	return missing
}

// closeInherited closes the files that this program's parent left open. Go closes its own when it starts a process.
func closeInherited(int64) error {
	files, err := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		fd, _ := strconv.Atoi(f.Name())
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if fd > 2 && err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
	return err
}

// setLimits sets the limits of the kernel. What a Go program maps is more than
// it holds, so RLIMIT_DATA has room.
func setLimits(memory int64) error {
	self, err := os.Open("/proc/self/statm")
	if err != nil {
		return err
	}
	defer self.Close()
	data := statm(self.ReadAt)[5] * int64(os.Getpagesize())
	const files = 32 // the three pipes and those that the runtime opens
	for limit, most := range map[int]int64{unix.RLIMIT_DATA: data + 2*memory, unix.RLIMIT_NOFILE: files, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(limit, &unix.Rlimit{Cur: uint64(most), Max: uint64(most)}); err != nil {
			return err
		}
	}
	return nil
}

// dieFirst makes the kernel choose this process when memory runs out.
func dieFirst(int64) error { return os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// everyThread makes a system call in all threads. In a program with cgo it can't.
func everyThread(call, a, b, c uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall(call, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// forbidFiles drops every right that this kernel's Landlock knows, in the threads that a function calls in: on files and folders
// but those of allowances, on TCP ports, on other processes.
func forbidFiles(in func(call, a, b, c uintptr) error, but ...allowance) error {
	abi, err := landlock()
	if err != nil {
		return err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1}
	if abi >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0) //nolint:gosec // the kernel takes an address
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	for _, a := range but {
		if err := a.add(int(fd), attr.Handled_access_fs); err != nil {
			return err
		}
	}
	if err := in(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); err != nil {
		return err
	}
	return in(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
}

// landlock returns which version of Landlock this kernel has.
func landlock() (abi uintptr, err error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return abi, nil
}

// forbidCalls makes the kernel refuse the system calls that open
// files, reaches the network, starts processes or touches others. What the Go
// runtime may call, in this version or a later one, is not listed but left.
func forbidCalls(calls []uint32) error {
	arch, ok := arches[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("not known on %s", runtime.GOARCH)
	}
	filter := filterOf(arch, calls)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// TSYNC filters all threads, and denies all of them new privileges.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))) //nolint:gosec // the kernel takes an address
	if errno != 0 {
		return errno
	}
	return nil
}

// arches maps the processors whose calls are filtered to the kernel's names.
var arches = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// forbidden lists the calls that are refused whatever their arguments. Calls with a newer form are in forbiddenHere.
var forbidden = append([]uint32{
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_MEMFD_CREATE,
	unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_TRUNCATE, unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT,
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND,
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_OPEN,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PRLIMIT64,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_IO_URING_SETUP,
	unix.SYS_USERFAULTFD, unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_SETRLIMIT,
}, forbiddenHere...)

// filterOf returns the filter as a program of the kernel's classic BPF over its
// struct seccomp_data.
func filterOf(arch uint32, calls []uint32) []unix.SockFilter {
	const number, architecture, firstArgument = 0, 4, 16 // offsets
	const load, equal, atLeast, set, end = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	refuse := unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	allow := unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW}
	// when applies the next statements to only one call.
	when := func(call uint32, then ...unix.SockFilter) []unix.SockFilter {
		return append([]unix.SockFilter{{Code: equal, Jf: uint8(len(then)), K: call}}, then...)
	}
	program := []unix.SockFilter{
		{Code: load, K: architecture}, {Code: equal, Jt: 1, K: arch}, refuse,
		{Code: load, K: number}, {Code: atLeast, Jf: 1, K: 1 << 30}, refuse, // x32
	}
	for _, call := range calls {
		program = append(program, when(call, refuse)...)
	}
	// C libraries then use clone instead, whose flags a filter can see.
	program = append(program, when(unix.SYS_CLONE3, unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)})...)
	program = append(program, when(unix.SYS_CLONE, unix.SockFilter{Code: load, K: firstArgument},
		unix.SockFilter{Code: set, Jt: 1, K: unix.CLONE_THREAD}, refuse, allow)...)
	program = append(program, when(unix.SYS_TGKILL, unix.SockFilter{Code: load, K: firstArgument},
		unix.SockFilter{Code: equal, Jt: 1, K: uint32(os.Getpid())}, refuse, allow)...)
	return append(program, allow)
}
