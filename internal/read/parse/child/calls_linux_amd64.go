package child

import "golang.org/x/sys/unix"

// forbiddenHere lists the forms of forbidden calls that newer processors lack.
var forbiddenHere = []uint32{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_UNLINK, unix.SYS_RMDIR, unix.SYS_MKDIR, unix.SYS_RENAME, unix.SYS_RENAMEAT,
	unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN,
}

// ofToolsHere lists the calls in forbiddenHere that a program of the system needs.
var ofToolsHere = []uint32{unix.SYS_OPEN, unix.SYS_CREAT}
