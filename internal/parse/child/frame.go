package child

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// writeFrame writes b with its length before it.
func writeFrame(w io.Writer, b []byte) error {
	if err := binary.Write(w, binary.BigEndian, uint32(len(b))); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

// readFrame reads a frame of at most most bytes.
func readFrame(r io.Reader, most int) ([]byte, error) {
	var length uint32
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	if int64(length) > int64(most) {
		return nil, malformed("a frame of %d bytes where %d are allowed", length, most)
	}
	b := make([]byte, length)
	_, err := io.ReadFull(r, b)
	return b, err
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, b)
}

// maxHead is the most bytes of a frame in JSON.
const maxHead = 1 << 20

func readJSON(r io.Reader, v any) error { return readHead(r, maxHead, v) }

// readHead reads a value in JSON of at most most bytes.
func readHead(r io.Reader, most int, v any) error {
	b, err := readFrame(r, most)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return malformed("%w", err)
	}
	return nil
}

// row is a span with a number: of a page, a heading's level, a chunk's tokens.
type row struct{ Number, Start, End uint32 }

var rowSize = binary.Size(row{})

func writeRows(w io.Writer, rows []row) error {
	if err := binary.Write(w, binary.BigEndian, uint32(len(rows)*rowSize)); err != nil {
		return err
	}
	return binary.Write(w, binary.BigEndian, rows)
}

// readRows reads at most most rows.
func readRows(r io.Reader, most int) ([]row, error) {
	b, err := readFrame(r, most*rowSize)
	if err != nil {
		return nil, err
	}
	if len(b)%rowSize != 0 {
		return nil, malformed("%d bytes of rows", len(b))
	}
	rows := make([]row, len(b)/rowSize)
	_, err = binary.Decode(b, binary.BigEndian, rows)
	return rows, err
}

// malformed says what is wrong with an answer.
func malformed(format string, args ...any) error {
	return fmt.Errorf("malformed answer: "+format, args...)
}
