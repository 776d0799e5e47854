package main

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/domain"
)

// readFile reads a file of up to most bytes, or standard input if path is -. It does
// not trust the size that the file claims: a pipe or a device has none.
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
		return nil, domain.Errorf(domain.TooLarge, "%s is larger than %d KiB, which is the limit here.", path, most>>10)
	}
	return data, nil
}

// writeFile writes a file that appears only when it is whole, or standard
// output if path is -.
func writeFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	err := atomicfile.Write(path, write)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return domain.Because(domain.Invalid, err, "%s can't be written: %v.", path, of.Err)
	}
	return err
}
