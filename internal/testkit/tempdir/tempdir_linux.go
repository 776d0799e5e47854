package tempdir

import (
	"os"
	"syscall"
)

// memory is a file system in memory, which most Linux systems have.
const memory = "/dev/shm"

// enough is the room, in bytes, that a few servers of tests need at once.
const enough = 2 << 30

// root returns the folder in which folders are made: in memory if it has room. A database of Postgres
// is 300 files, and on a disk the system needs ten times the processor time to create them.
func root() string {
	var free syscall.Statfs_t
	if err := syscall.Statfs(memory, &free); err != nil || int64(free.Bavail)*free.Bsize < enough {
		return os.TempDir()
	}
	return memory
}
