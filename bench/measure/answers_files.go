package measure

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
)

// FileQuestion is a question about files, with what is expected of its answer.
type FileQuestion struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"` // how it asks; "unanswerable" if no file answers it
	Text     string   `json:"question"`
	Half     string   `json:"half,omitempty"`    // Tuned or HeldOut; by the ID if empty
	Source   string   `json:"source,omitempty"`  // name of the file that answers it
	Also     string   `json:"also,omitempty"`    // name of another file without which Source doesn't answer it
	Near     string   `json:"near,omitempty"`    // name of the file that comes nearest to an unanswerable question
	Verdict  string   `json:"verdict,omitempty"` // yes or no: how the answer must begin
	Expected []string `json:"any,omitempty"`     // the answer must contain one of these
	Begins   bool     `json:"begins,omitempty"`  // the first quotation, or what is reckoned before it, must begin with one of them
}

// unanswerable is the kind of questions that no file answers.
const unanswerable = "unanswerable"

// half returns the half of the questions to which q belongs.
func (q FileQuestion) half() string {
	if q.Half != "" {
		return q.Half
	}
	if sha256.Sum256([]byte(q.ID))[0] < 128 {
		return Tuned
	}
	return HeldOut
}

// file names a document. Most aren't part of the set.
type file struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Path   string `json:"path"` // may contain environment variables; relative to the folder of the set
	SHA256 string `json:"sha256"`
}

const filesFile = "documents.jsonl"

// AsksFiles reports whether the questions of a folder are about files elsewhere.
func AsksFiles(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, filesFile))
	return err == nil
}

// FileAnswers ingests the files named in a folder and asks the questions of one
// half about them. Files that are absent or have another hash are left out, with
// the questions that need them.
func FileAnswers(ctx context.Context, p AnswerParams, dir string, half string) (FileScore, error) {
	all, err := readLines[FileQuestion](filepath.Join(dir, "questions.jsonl"))
	if err != nil {
		return FileScore{}, err
	}
	s := FileScore{Half: half, Replies: []FileReply{}}
	l, missing, err := readFiles(ctx, p.Params, dir, domain.Chunking{}, &s)
	if err != nil {
		return s, err
	}
	var questions []FileQuestion
	for _, q := range all {
		switch {
		case q.half() != half:
		case missing[q.Source] || missing[q.Also]:
			s.Skipped++
		default:
			questions = append(questions, q)
		}
	}
	if s.Orders, err = l.scoreOrders(ctx, p.Params, questions); err != nil {
		return s, err
	}
	return s, l.askFiles(ctx, p, questions, &s)
}

// readFiles ingests the files named in a folder, cut by how. It returns the names of
// those that are left out too.
func readFiles(ctx context.Context, p Params, dir string, how domain.Chunking, s *FileScore) (*library, map[string]bool, error) {
	files, err := readLines[file](filepath.Join(dir, filesFile))
	if err != nil {
		return nil, nil, err
	}
	l := &library{Stores: p.Stores, passage: map[domain.ChunkID]string{}}
	r := filesReader{parse.New(parse.Limits{}), chunk.NewTokenizer(), how}
	missing := map[string]bool{}
	s.Missing = []string{}
	for _, f := range files {
		data, err := f.read(dir)
		if errors.Is(err, errAbsent) {
			missing[f.Name] = true
			s.Missing = append(s.Missing, fmt.Sprintf("%s: %v", f.Name, err))
			continue
		}
		if err == nil {
			err = r.add(ctx, l, p, f, data)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", f.Name, err)
		}
		s.Documents++
	}
	return l, missing, p.Stores.Project(ctx, workspace)
}

func (l *library) askFiles(ctx context.Context, p AnswerParams, questions []FileQuestion, s *FileScore) error {
	texts := make([]Question, len(questions))
	for i, q := range questions {
		texts[i].Text = q.Text
	}
	replies, err := l.answer(ctx, p, texts, make([][]string, len(texts)))
	if err != nil {
		return err
	}
	for i, q := range questions {
		s.add(q, replies[i])
	}
	return nil
}

// errAbsent says why a file is left out.
var errAbsent = errors.New("left out")

// read returns the bytes of a file of the set in dir, unpacked.
func (f file) read(dir string) ([]byte, error) {
	path := os.ExpandEnv(f.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w, because there is no %s", errAbsent, path)
	}
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".gz") {
		unzipped, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(unzipped); err != nil {
			return nil, err
		}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("%w, because %s has changed", errAbsent, path)
	}
	return data, nil
}

// filesReader parses and splits files.
type filesReader struct {
	parser *parse.Parser
	tokens chunk.Counter
	how    domain.Chunking
}

// parse returns the text of a file, and its format.
func (r filesReader) parse(ctx context.Context, f file, data []byte) (domain.Text, domain.Format, error) {
	name := strings.TrimSuffix(filepath.Base(f.Path), ".gz")
	format, err := parse.Detect(name, data)
	if err != nil {
		name += ".txt"
		if format, err = parse.Detect(name, data); err != nil {
			return domain.Text{}, "", err
		}
	}
	text, err := r.parser.Parse(ctx, name, format, data)
	return text, format, err
}

func (r filesReader) add(ctx context.Context, l *library, p Params, f file, data []byte) error {
	text, format, err := r.parse(ctx, f, data)
	if err != nil {
		return err
	}
	d := domain.Document{
		Workspace: workspace, ID: domain.NewDocumentID(workspace, f.SHA256), Name: f.Name, Title: cmp.Or(text.Title, f.Name),
		Format: format, Size: int64(len(data)), Hash: f.SHA256, Status: domain.DocumentReady,
	}
	chunks, err := chunk.Split(ctx, d.ID, text, chunk.Options{Tokens: r.how.Tokens, By: r.how.By, Counter: r.tokens})
	if err != nil {
		return err
	}
	for _, c := range chunks {
		l.passage[c.ID] = f.Name
	}
	return l.publish(ctx, p.Mine, d, text, chunks)
}
