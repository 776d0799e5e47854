package child

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Confines reports whether this system can confine a program as Become does.
func Confines() bool {
	_, err := landlock()
	_, filters := arches[runtime.GOARCH]
	return err == nil && filters
}

// An allowance is a folder or a file with the rights for everything below it. A missing one allows nothing.
type allowance struct {
	path   string
	rights uint64
}

// The rights of allowances.
const (
	toRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE
	toRun   = toRead | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	toWrite = toRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ofFiles = toRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// add adds the allowance to a ruleset that handles some rights.
func (a allowance) add(ruleset int, known uint64) error {
	fd, err := unix.Open(a.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // there is nothing to allow
	}
	defer unix.Close(fd)
	var is unix.Stat_t
	if err := unix.Fstat(fd, &is); err != nil {
		return err
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: a.rights & known, Parent_fd: int32(fd)}
	if is.Mode&unix.S_IFMT != unix.S_IFDIR {
		beneath.Allowed_access &= ofFiles
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0) //nolint:gosec // the kernel takes an address
	if errno != 0 {
		return fmt.Errorf("allow %s: %w", a.path, errno)
	}
	return nil
}

// ofTools lists the forbidden calls that a program of the system needs to start, to load its libraries and to read and write
// its files. Landlock decides which. Limits it can only lower.
var ofTools = append([]uint32{unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_EXECVE, unix.SYS_SETRLIMIT}, ofToolsHere...)

// Limits on a program of the system, besides its memory.
const (
	toolSeconds = 120      // of processor time
	toolBytes   = 64 << 20 // of a file it writes
	toolFiles   = 64       // open
)

// Become runs a program of the system in place of this process, with limits and without an environment. It can read and run what
// is installed, read fonts, read and write files in the current folder, and nothing else: it opens no other file, reaches no
// network, starts no process and signals none. Memory bounds its address space in bytes. Become returns only if it fails, which
// it does before it runs anything if a right can't be dropped.
func Become(memory uint64, program string, args ...string) error {
	program, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return err
	}
	if err := closeInherited(0); err != nil {
		return err
	}
	_ = dieFirst(0) // some containers do not let a process choose
	rules := []allowance{{".", toWrite}, {filepath.Dir(program), toRun}, {"/dev/null", toWrite}}
	for _, path := range []string{"/usr", "/bin", "/lib", "/lib64", "/nix/store"} {
		rules = append(rules, allowance{path, toRun})
	}
	for _, path := range []string{"/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig", "/dev/urandom"} {
		rules = append(rules, allowance{path, toRead | unix.LANDLOCK_ACCESS_FS_READ_DIR})
	}
	runtime.LockOSThread() // only this thread continues as the program
	if err := forbidFiles(thisThread, rules...); err != nil {
		return fmt.Errorf("Landlock: %w", err)
	}
	for limit, most := range map[int]uint64{unix.RLIMIT_CPU: toolSeconds, unix.RLIMIT_FSIZE: toolBytes, unix.RLIMIT_NOFILE: toolFiles, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(limit, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	calls := slices.DeleteFunc(slices.Clone(forbidden), func(c uint32) bool { return slices.Contains(ofTools, c) })
	if err := forbidCalls(calls); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return execute(memory, program, append([]string{filepath.Base(program)}, args...), []string{"LC_ALL=C", "HOME=/nonexistent"})
}

// thisThread makes a system call in this thread.
func thisThread(call, a, b, c uintptr) error {
	if _, _, errno := unix.Syscall(call, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// execute runs a program in place of this process, with a limit of its address space. The runtime of Go holds more than that,
// so nothing may be allocated once the limit is set.
func execute(memory uint64, program string, args, environment []string) error {
	path, err := unix.BytePtrFromString(program)
	if err != nil {
		return err
	}
	argv, err := syscall.SlicePtrFromStrings(args)
	if err != nil {
		return err
	}
	envv, err := syscall.SlicePtrFromStrings(environment)
	if err != nil {
		return err
	}
	debug.SetGCPercent(-1)
	limit := unix.Rlimit{Cur: memory, Max: memory}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRLIMIT, unix.RLIMIT_AS, uintptr(unsafe.Pointer(&limit)), 0); errno != 0 { //nolint:gosec // the kernel takes addresses
		return errno
	}
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0]))) //nolint:gosec // likewise
	return errno
}
