package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// A long text is added in parts, each a separate document, because processing a document takes memory proportional to its
// length.
const (
	partText = 2_000_000 // bytes of a part
	maxParts = 5         // up to which a text is not split
)

// inParts reports whether a stored file is added in parts. New versions and fetched files stay whole.
func (s *Service) inParts(format domain.Format, size int64, by How) bool {
	return size > int64(maxParts*s.TextPart) && parse.Of(format).Parts && by.Of == "" && by.Link == ""
}

// addParts adds a stored text in parts, and returns the result of each.
func (s *Service) addParts(ctx context.Context, d domain.Document, by How) (results Results) {
	file, size, err := s.Files.Open(ctx, d.Workspace, d.Hash)
	if err != nil {
		return Results{{Name: d.Name, Err: err}}
	}
	defer file.Close()
	by.within = true
	err = eachPart(d.Name, size, file, by.Chunking.Encoding, s.TextPart, func(part, encoding string, r io.Reader) error {
		by.Index++
		by.Chunking.Encoding = encoding
		results = append(results, s.Add(ctx, d.Workspace, part, by, r)...)
		return nil
	})
	if err != nil {
		results = append(results, Result{Name: d.Name, Err: err})
	}
	s.dropFile(ctx, d.Workspace, d.Hash)
	return results
}

// eachPart calls each for the parts of a text, which have at most most bytes, with their names and the encoding of all, which
// may be chosen. It holds one at a time.
func eachPart(name string, size int64, text io.Reader, chosen string, most int, each func(name, encoding string, part io.Reader) error) error {
	ext := path.Ext(name)
	digits := len(strconv.FormatInt(2*size/int64(most)+1, 10))
	text, encoding, err := parse.Whole(text, chosen)
	if err != nil {
		return err
	}
	buffer, have := make([]byte, most), 0
	for number := 1; ; {
		n, err := io.ReadFull(text, buffer[have:])
		have += n
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		end := have
		if !last {
			end = partEnd(buffer)
		}
		if len(bytes.TrimSpace(buffer[:end])) > 0 {
			part := fmt.Sprintf("%s, part %0*d%s", strings.TrimSuffix(name, ext), digits, number, ext)
			if err := each(part, encoding, bytes.NewReader(buffer[:end])); err != nil {
				return err
			}
			number++
		}
		if last {
			return nil
		}
		have = copy(buffer, buffer[end:have])
	}
}

// partEnd returns where a part ends in a text that goes on: before a heading, behind an empty line or a line, or between
// words. It looks for each in the second half. Without any, the part ends between characters.
func partEnd(text []byte) int {
	half := len(text) / 2
	for _, at := range []struct {
		mark   string
		behind int
	}{{"\n# ", 1}, {"\n\n", 2}, {"\r\n\r\n", 4}, {"\n", 1}, {" ", 1}} {
		if i := bytes.LastIndex(text[half:], []byte(at.mark)); i >= 0 {
			return half + i + at.behind
		}
	}
	end := len(text) - 1
	for end > half && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}
