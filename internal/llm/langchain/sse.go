package langchain

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// events gives the data of each server-sent event. Lines may be of any length.
// An event that the end of the stream cuts short is given all the same: some
// servers leave out the last blank line.
func events(r *bufio.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var data []byte
		for {
			line, err := r.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, err)
				return
			}
			line = bytes.TrimRight(line, "\r\n")
			if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				if data != nil {
					data = append(data, '\n')
				}
				data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
			}
			if len(data) > 0 && (len(line) == 0 || err != nil) {
				if !yield(data, nil) {
					return
				}
				data = nil
			}
			if err != nil {
				return
			}
		}
	}
}
