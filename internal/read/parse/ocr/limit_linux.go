package ocr

import "golang.org/x/sys/unix"

// limit bounds the memory of a process.
func limit(pid int, memory uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: memory, Max: memory}, nil) // it may have ended
}
