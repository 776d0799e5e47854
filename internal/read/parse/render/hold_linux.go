package render

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// hold locks a folder until the result is closed or the process ends. It fails if another process holds it, or it no
// longer exists.
func hold(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Lstat(path) // it may have been removed before it was locked
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
