package prices

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/domain"
)

//go:embed prices.yaml
var builtIn []byte

// row is a Price in a file.
type row struct {
	Models    []string  `yaml:"models,flow"`
	From      string    `yaml:"from"`
	Input     yaml.Node `yaml:"input,omitempty"`
	Cached    yaml.Node `yaml:"cached,omitempty"`
	Output    yaml.Node `yaml:"output,omitempty"`
	Embedding yaml.Node `yaml:"embedding,omitempty"`
	Provider  string    `yaml:"provider,omitempty"`
	Checked   string    `yaml:"checked,omitempty"`
	Where     string    `yaml:"where,omitempty"`
}

type file struct {
	Currency string `yaml:"currency"`
	Prices   []row  `yaml:"prices"`
}

// Read reads a table from YAML. Errors are Invalid and say which row is wrong.
func Read(b []byte) (Table, error) {
	var f file
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return Table{}, domain.Because(domain.Invalid, err, "The prices can't be read: %v.", err)
	}
	t := Table{Currency: f.Currency}
	if t.Currency == "" {
		t.Currency = "USD"
	}
	for i, r := range f.Prices {
		p, err := r.price()
		if err != nil {
			return Table{}, domain.Because(domain.Invalid, err, "Price %d can't be used: %v", i+1, domain.InWords(err))
		}
		t.Prices = append(t.Prices, p)
	}
	return t, nil
}

func (r row) price() (Price, error) {
	p, err := Written(strings.Join(r.Models, ""), r.From, r.Input.Value, r.Cached.Value, r.Output.Value, r.Embedding.Value)
	p.Models, p.Provider, p.Checked, p.Where = r.Models, r.Provider, r.Checked, r.Where
	return p, err
}

// Check returns an Invalid error for a price that no call could have.
func (p Price) Check() error {
	if len(p.Models) == 0 || slices.Contains(p.Models, "") {
		return domain.Errorf(domain.Invalid, "It names no model.")
	}
	if _, err := time.Parse(time.DateOnly, p.From); err != nil {
		return domain.Errorf(domain.Invalid, "The day from which it holds is %q, but should be like 2026-11-23.", p.From)
	}
	if p.Input == nil && p.Output == nil && p.Embedding == nil {
		return domain.Errorf(domain.Invalid, "It has no amount: give input and output, or embedding; 0 for a model that costs nothing.")
	}
	if (p.Input == nil) != (p.Output == nil) {
		return domain.Errorf(domain.Invalid, "It needs both input and output.")
	}
	return nil
}

// Write writes a table as YAML, which Read reads back.
func Write(t Table) ([]byte, error) {
	f := file{Currency: t.Currency}
	for _, p := range t.Prices {
		f.Prices = append(f.Prices, row{
			Models: p.Models, From: p.From, Provider: p.Provider, Checked: p.Checked, Where: p.Where,
			Input: number(p.Input), Cached: number(p.Cached), Output: number(p.Output), Embedding: number(p.Embedding),
		})
	}
	b, err := yaml.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("write prices: %w", err)
	}
	return b, nil
}

func number(m *Money) yaml.Node {
	if m == nil {
		return yaml.Node{}
	}
	return yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: m.Decimal()}
}

// A Book is the built-in table with the own file before it. The file is read again
// when it has changed, so that people and other processes may write it.
type Book struct {
	path string

	mu    sync.Mutex
	read  time.Time // when the file was last changed, as it was read
	size  int64
	table Table
	own   Table
}

// NewBook returns a Book with its own prices in a file, which need not exist.
func NewBook(path string) *Book { return &Book{path: path} }

// Path returns the own file's path.
func (b *Book) Path() string { return b.path }

// Table returns the prices in force. Without an own file they are the built-in
// ones; prices in another currency than the own file's are left out: they can't be
// added up. An own file that can't be read is an Invalid error.
func (b *Book) Table() (Table, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.load()
}

func (b *Book) load() (Table, error) {
	info, err := os.Stat(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && b.table.Currency != "" && b.read.IsZero():
		return b.table, nil // the built-in one, which was read already
	case errors.Is(err, fs.ErrNotExist):
		b.own, b.size, b.read = Table{}, 0, time.Time{}
	case err != nil:
		return Table{}, unreadable(b.path, err)
	case b.table.Currency != "" && info.ModTime().Equal(b.read) && info.Size() == b.size:
		return b.table, nil
	default:
		if err := b.readOwn(info); err != nil {
			return Table{}, err
		}
	}
	t, err := Read(builtIn)
	if err != nil {
		return Table{}, err
	}
	if b.own.Currency != "" && b.own.Currency != t.Currency {
		t = Table{Currency: b.own.Currency}
	}
	b.table = Table{Currency: t.Currency, Prices: slices.Concat(b.own.Prices, t.Prices)}
	return b.table, nil
}

func (b *Book) readOwn(info fs.FileInfo) error {
	content, err := os.ReadFile(b.path)
	if err != nil {
		return unreadable(b.path, err)
	}
	if b.own, err = Read(content); err != nil {
		return unreadable(b.path, err)
	}
	for i := range b.own.Prices {
		b.own.Prices[i].Own = true
	}
	b.read, b.size = info.ModTime(), info.Size()
	return nil
}

func unreadable(path string, err error) error {
	return domain.Because(domain.Invalid, err, "The file of prices %s can't be used: %v Mend or remove it.", path, strings.TrimRight(domain.InWords(err), ".")+".")
}

// Set adds a price to the own file, in place of one for the same models and day.
// Calls before its day keep theirs.
func (b *Book) Set(p Price) error {
	if err := p.Check(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.load()
	if err != nil {
		return err
	}
	own := Table{Currency: t.Currency, Prices: slices.DeleteFunc(slices.Clone(b.own.Prices), func(old Price) bool {
		return old.From == p.From && slices.Equal(old.Models, p.Models)
	})}
	own.Prices = append(own.Prices, p)
	content, err := Write(own)
	if err != nil {
		return err
	}
	if err := b.write(content); err != nil {
		return domain.Because(domain.Invalid, err, "The price can't be written to %s: %v. The setting PRICES names another file.", b.path, err)
	}
	b.table = Table{} // even if the file's time and size are as they were
	return nil
}

func (b *Book) write(content []byte) error {
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(b.path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
