package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// The bounds of reading one page.
const (
	pageTimeout = 2 * time.Minute
	pageMemory  = 1 << 30 // bytes of address space
	maxOutput   = 16 << 20
)

// recognised is what tesseract reads on a page.
type recognised struct {
	paragraphs []string
	words      int
	confidence float64 // mean of its words, from 0 to 100
}

// page reads a picture of a page, a PGM file. The error is that of ctx, or says
// why tesseract did not read it.
func (r *Reader) page(ctx context.Context, picture io.Reader) (recognised, error) {
	timed, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	cmd := exec.CommandContext(timed, r.program, "stdin", "stdout", "-l", r.languages, "--dpi", "300", "tsv") //nolint:gosec // both are settings
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C"}
	if folder, ok := os.LookupEnv("TESSDATA_PREFIX"); ok {
		cmd.Env = append(cmd.Env, "TESSDATA_PREFIX="+folder)
	}
	out, said := &bounded{most: maxOutput}, &bounded{most: 4096}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, said, time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return recognised{}, err
	}
	if err := cmd.Start(); err != nil {
		return recognised{}, err
	}
	limit(cmd.Process.Pid, pageMemory) // it has nothing to read yet
	_, sent := io.Copy(in, picture)
	err = errors.Join(in.Close(), cmd.Wait())
	switch {
	case ctx.Err() != nil:
		return recognised{}, ctx.Err()
	case strings.Contains(said.String(), "Failed loading language"):
		return recognised{}, domain.Errorf(domain.Unsupported, "Tesseract has no data for %s, which OCR_LANGUAGES names: install it (on Debian and Ubuntu tesseract-ocr- and the language), or change the setting.", r.languages)
	case err != nil:
		return recognised{}, fmt.Errorf("tesseract: %w: %s", err, said.String())
	case sent != nil:
		return recognised{}, sent
	}
	return parseTSV(out.String()), nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.most-b.Len())])
	return len(p), nil
}

// The columns of tesseract's table, one line a word.
const (
	columnLevel      = 0
	columnBlock      = 2
	columnParagraph  = 3
	columnLine       = 4
	columnConfidence = 10
	columnText       = 11
	levelOfWords     = "5"
)

// parseTSV reads tesseract's table.
func parseTSV(table string) (r recognised) {
	var paragraph, line string
	sum := 0.0
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.SplitN(row, "\t", columnText+1)
		if len(cells) <= columnText || cells[columnLevel] != levelOfWords {
			continue
		}
		word := strings.TrimSpace(cells[columnText])
		confidence, err := strconv.ParseFloat(cells[columnConfidence], 64)
		if word == "" || err != nil || confidence < 0 || !utf8.ValidString(word) {
			continue
		}
		sum, r.words = sum+min(confidence, 100), r.words+1
		at := cells[columnBlock] + " " + cells[columnParagraph]
		if at != paragraph {
			r.paragraphs = append(r.paragraphs, "")
		}
		last := &r.paragraphs[len(r.paragraphs)-1]
		*last = joined(*last, word, at == paragraph && cells[columnLine] != line)
		paragraph, line = at, cells[columnLine]
	}
	if r.words > 0 {
		r.confidence = sum / float64(r.words)
	}
	return r
}

// joined appends a word to a text. A hyphen at the end of a line goes before a
// small letter.
func joined(text, word string, newLine bool) string {
	first, _ := utf8.DecodeRuneInString(word)
	body := strings.TrimSuffix(text, "-")
	if before, _ := utf8.DecodeLastRuneInString(body); newLine && body != text && unicode.IsLetter(before) && unicode.IsLower(first) {
		return body + word
	}
	if text == "" {
		return word
	}
	return text + " " + word
}
