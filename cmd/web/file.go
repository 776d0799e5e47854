package main

import (
	"io"
	"os"

	"github.com/clewhq/clew/internal/domain"
)

// readFile reads a file of at most so many bytes, or standard input if path is -. It
// does not trust the size that the file claims: a pipe or a device has none.
func readFile(path string, stdin io.Reader, most int64) ([]byte, error) {
	from := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, domain.Because(domain.Invalid, err, "%s can't be read: %v.", path, err)
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "%s can't be read: %v.", path, err)
	}
	if int64(len(data)) > most {
		return nil, domain.Errorf(domain.TooLarge, "%s is larger than %d KiB, the most that is read here.", path, most>>10)
	}
	return data, nil
}
