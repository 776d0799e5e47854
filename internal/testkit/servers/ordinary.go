package servers

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// ordinary returns an unprivileged account, for a server that refuses to run
// as root, and gives it the folder home.
func ordinary(home string) (*syscall.Credential, error) {
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(home, int(uid), int(gid))
}
