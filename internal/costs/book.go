package costs

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
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

// readTable reads a table from YAML. Errors are Invalid and say which row is wrong.
func readTable(b []byte) (Table, error) {
	var f file
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return Table{}, domain.Because(domain.Invalid, err, "The prices can't be read: %v.", err)
	}
	t := Table{Currency: f.Currency}
	t.Currency = cmp.Or(t.Currency, "USD")
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
		return domain.Errorf(domain.Invalid, "Its first day is %q, but should be like 2026-11-23.", p.From)
	}
	if p.Input == nil && p.Output == nil && p.Embedding == nil {
		return domain.Errorf(domain.Invalid, "It has no amount: give input and output, or embedding; 0 for a model that costs nothing.")
	}
	if (p.Input == nil) != (p.Output == nil) {
		return domain.Errorf(domain.Invalid, "It needs both input and output.")
	}
	return nil
}

// writeTable writes a table as YAML, which readTable reads back.
func writeTable(t Table) ([]byte, error) {
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

// keeper is where the prices are that people set, for all processes: one text, or "" if there is none.
type keeper interface {
	Prices(ctx context.Context) (string, error)
	// SetPrices replaces the former text and returns true, unless the text has changed in the meantime.
	SetPrices(ctx context.Context, former, text string) (bool, error)
}

// A Book is the built-in table with the prices that people set before it, and a file between the two. What is kept is
// looked at again after a second, and the file is read again when it has changed, so that all processes have the same prices.
type Book struct {
	path string
	kept keeper
	now  domain.Clock

	mu    sync.Mutex
	seen  time.Time // when the stored text was last checked
	read  time.Time // modification time of the file as read
	size  int64
	file  Table
	text  string // the stored text, as read
	set   Table
	table Table // combined; without a currency until it is built
}

// newBook returns a Book with the prices that are kept, and those of a file, which need not exist and is never written.
func newBook(path string, kept keeper, now func() time.Time) *Book {
	return &Book{path: path, kept: kept, now: now}
}

// freshFor is how long what is kept is not looked at again: a page prices many runs.
const freshFor = time.Second

// Path returns the file's path.
func (b *Book) Path() string { return b.path }

// Table returns the current prices, all in one currency so that they can be added up: those in another currency than
// the source of higher rank are left out. It returns an Invalid error if the file can't be read.
func (b *Book) Table(ctx context.Context) (Table, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.load(ctx)
}

func (b *Book) load(ctx context.Context) (Table, error) {
	if err := b.readKept(ctx); err != nil {
		return Table{}, err
	}
	if err := b.readFile(); err != nil {
		return Table{}, err
	}
	if b.table.Currency != "" {
		return b.table, nil
	}
	t, err := readTable(builtIn)
	if err != nil {
		return Table{}, err
	}
	all := b.set
	for _, next := range []Table{b.file, t} {
		if all.Currency = cmp.Or(all.Currency, next.Currency); all.Currency == next.Currency {
			all.Prices = slices.Concat(all.Prices, next.Prices)
		}
	}
	b.table = Table{Currency: all.Currency, Prices: all.Prices}
	return b.table, nil
}

func (b *Book) readKept(ctx context.Context) error {
	now := b.now()
	if !b.seen.IsZero() && now.Sub(b.seen) < freshFor {
		return nil
	}
	text, err := b.kept.Prices(ctx)
	if err != nil {
		return err
	}
	if b.seen = now; text == b.text {
		return nil
	}
	t, err := readTable([]byte(text))
	if err != nil {
		return fmt.Errorf("read the prices that are kept: %w", err)
	}
	if text == "" {
		t = Table{}
	}
	b.text, b.set, b.table = text, ours(t), Table{}
	return nil
}

func (b *Book) readFile() error {
	info, err := os.Stat(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !b.read.IsZero() {
			b.file, b.size, b.read, b.table = Table{}, 0, time.Time{}, Table{}
		}
		return nil
	case err != nil:
		return unreadable(b.path, err)
	case info.ModTime().Equal(b.read) && info.Size() == b.size:
		return nil
	}
	content, err := os.ReadFile(b.path)
	if err != nil {
		return unreadable(b.path, err)
	}
	t, err := readTable(content)
	if err != nil {
		return unreadable(b.path, err)
	}
	b.file, b.read, b.size, b.table = ours(t), info.ModTime(), info.Size(), Table{}
	return nil
}

func ours(t Table) Table {
	for i := range t.Prices {
		t.Prices[i].Own = true
	}
	return t
}

func unreadable(path string, err error) error {
	return domain.Because(domain.Invalid, err, "The price file %s can't be used: %v Fix or remove it.", path, strings.TrimRight(domain.InWords(err), ".")+".")
}

// Set keeps a price, in place of one for the same models and day. Calls before its day keep theirs.
func (b *Book) Set(ctx context.Context, p Price) error {
	if err := p.Check(); err != nil {
		return err
	}
	return b.change(ctx, func(kept Table) Table {
		kept.Prices = slices.DeleteFunc(slices.Clone(kept.Prices), func(old Price) bool {
			return old.From == p.From && slices.Equal(old.Models, p.Models)
		})
		kept.Prices = append(kept.Prices, p)
		return kept
	})
}

// Adopt keeps what is in the file, unless prices are kept already, so that processes without the file have them.
func (b *Book) Adopt(ctx context.Context) error {
	b.mu.Lock()
	_, err := b.load(ctx)
	file, done := b.file, b.text != "" || len(b.file.Prices) == 0
	b.mu.Unlock()
	if err != nil || done {
		return err
	}
	return b.change(ctx, func(kept Table) Table {
		if len(kept.Prices) > 0 {
			return kept // by another process
		}
		return file
	})
}

// change applies a change to the latest stored prices.
func (b *Book) change(ctx context.Context, to func(kept Table) Table) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		b.seen = time.Time{}
		all, err := b.load(ctx)
		if err != nil {
			return err
		}
		kept := to(Table{Currency: all.Currency, Prices: b.set.Prices})
		content, err := writeTable(kept)
		if err != nil {
			return err
		}
		done, err := b.kept.SetPrices(ctx, b.text, string(content))
		b.seen = time.Time{}
		if done || err != nil {
			return err
		}
	}
}

// NewBook returns the prices that are kept in the ledger, for all processes and workspaces, with those of a file.
func NewBook(l *ledger.Ledger, path string, now func() time.Time) *Book {
	return newBook(path, kept{l}, now)
}

// SetPrice sets a price, see [Book.Set]. It holds for all workspaces: what waits in any of them because a model
// had none tries again at once.
func (s *Service) SetPrice(ctx context.Context, p Price) error {
	if err := s.Prices.Set(ctx, p); err != nil {
		return err
	}
	return s.Queue.RetryEverywhere(ctx)
}

// kept implements keeper. It reads and writes one row.
type kept struct{ ledger *ledger.Ledger }

// pricesSetting names the setting that holds the prices set by people, for the whole installation.
const pricesSetting = "prices"

// Prices implements keeper.
func (k kept) Prices(ctx context.Context) (string, error) {
	text, _, err := k.ledger.Setting(ctx, domain.Installation, pricesSetting)
	return text, err
}

// SetPrices implements keeper.
func (k kept) SetPrices(ctx context.Context, former, text string) (bool, error) {
	return k.ledger.ChangeSetting(ctx, domain.Installation, pricesSetting, former, text)
}
