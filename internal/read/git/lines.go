package git

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Lines without content.
const (
	flush     = "0000"
	delimiter = "0001"
)

// errMark is the error of next for a line without content.
var errMark = errors.New("git: a mark")

// errLine is the error of next for data that is not a line.
var errLine = errors.New("git: it sends what is no line of its protocol")

// lines are the lines of an answer, each behind its length.
type lines struct{ r io.Reader }

// next returns a line without its end. It fails with errMark at a line without content, and with what the server says is wrong.
func (l lines) next() (string, error) {
	line, err := l.raw()
	if said, is := strings.CutPrefix(string(line), "ERR "); is {
		return "", domain.Errorf(domain.Unavailable, "The Git server refuses: %s", domain.Cut(domain.OneLine(said), 200))
	}
	return strings.TrimSuffix(string(line), "\n"), err
}

func (l lines) raw() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(l.r, head[:]); err != nil {
		return nil, ended(err)
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	switch {
	case err != nil || n == 3:
		return nil, errLine
	case n < 3:
		return nil, errMark
	}
	line := make([]byte, n-4)
	_, err = io.ReadFull(l.r, line)
	return line, ended(err)
}

// ended turns the end of an answer, which comes too early, into an error.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A band is the pack within the lines of an answer, each of which says first what it is part of.
type band struct {
	lines

	rest []byte
}

// Read implements io.Reader.
func (b *band) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		line, err := b.raw()
		switch {
		case errors.Is(err, errMark):
			return 0, io.EOF
		case err != nil:
			return 0, err
		case len(line) == 0:
			return 0, errLine
		case line[0] == 1:
			b.rest = line[1:]
		case line[0] == 3:
			return 0, domain.Errorf(domain.Unavailable, "The Git server refuses: %s", domain.Cut(domain.OneLine(string(line[1:])), 200))
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
