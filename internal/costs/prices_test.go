package costs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
)

func amount(t *testing.T, text string) *Money {
	t.Helper()
	m, err := ParseMoney(text)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

func pricesOfTest(t *testing.T) Table {
	t.Helper()
	return Table{Currency: "USD", Prices: []Price{
		{Models: []string{"own"}, From: "2026-11-01", Input: amount(t, "9"), Output: amount(t, "9"), Own: true},
		{Models: []string{"big", "big-v*"}, From: "2026-01-01", Input: amount(t, "2"), Cached: amount(t, "0.5"), Output: amount(t, "8")},
		{Models: []string{"big"}, From: "2026-06-01", Input: amount(t, "1"), Output: amount(t, "4")},
		{Models: []string{"big-mini"}, From: "2026-01-01", Input: amount(t, "0.1"), Output: amount(t, "0.4")},
		{Models: []string{"vectors"}, From: "2026-01-01", Embedding: amount(t, "0.02")},
		{Models: []string{"own-20261101-long"}, From: "2026-01-01", Input: amount(t, "1"), Output: amount(t, "1")},
		{Models: []string{"own*"}, From: "2026-01-01", Input: amount(t, "1"), Output: amount(t, "1")},
		{Models: []string{"local"}, From: "2026-01-01", Input: amount(t, "0"), Output: amount(t, "0")},
	}}
}

func TestCost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		usage domain.Usage
		day   string
		want  string
		known bool
	}{
		"input and output":                    {domain.Usage{Model: "big", Input: 1_000_000, Output: 500_000}, "2026-03-01", "6.00", true},
		"a part of the input was kept":        {domain.Usage{Model: "big", Input: 1_000_000, Cached: 400_000}, "2026-03-01", "1.40", true},
		"kept, without a price of its own":    {domain.Usage{Model: "big", Input: 1_000_000, Cached: 400_000}, "2026-06-01", "1.00", true},
		"more kept than sent":                 {domain.Usage{Model: "big", Input: 10, Cached: 20}, "2026-03-01", "0.000005", true},
		"the day before a new price":          {domain.Usage{Model: "big", Input: 1_000_000}, "2026-05-31", "2.00", true},
		"its first day":                       {domain.Usage{Model: "big", Input: 1_000_000}, "2026-06-01", "1.00", true},
		"before all prices":                   {domain.Usage{Model: "big", Input: 1}, "2025-12-31", "0.00", false},
		"a dated name":                        {domain.Usage{Model: "big-2026-02-02", Input: 1_000_000}, "2026-07-01", "1.00", true},
		"a version that is no date":           {domain.Usage{Model: "big-v2", Input: 1_000_000}, "2026-07-01", "2.00", true},
		"another model with the same start":   {domain.Usage{Model: "big-mini", Input: 1_000_000}, "2026-07-01", "0.10", true},
		"capitals":                            {domain.Usage{Model: "Big-Mini", Input: 1_000_000}, "2026-07-01", "0.10", true},
		"no such model":                       {domain.Usage{Model: "big-maxi", Input: 1}, "2026-07-01", "0.00", false},
		"no such model, no token":             {domain.Usage{Model: "big-maxi"}, "2026-07-01", "0.00", true},
		"no such model, from the record":      {domain.Usage{Model: "big-maxi", Input: 7, Recorded: true}, "2026-07-01", "0.00", true},
		"from the record":                     {domain.Usage{Model: "big", Input: 1_000_000, Recorded: true}, "2026-07-01", "0.00", true},
		"embedding":                           {domain.Usage{Model: "vectors", Embedded: 1_000_000}, "2026-07-01", "0.02", true},
		"a kind of token without a price":     {domain.Usage{Model: "vectors", Input: 10, Embedded: 1_000_000}, "2026-07-01", "0.00", false},
		"free":                                {domain.Usage{Model: "local", Input: 1_000_000, Output: 3}, "2026-07-01", "0.00", true},
		"half a millionth is rounded up":      {domain.Usage{Model: "big", Cached: 1, Input: 1}, "2026-03-01", "0.000001", true},
		"less is rounded down":                {domain.Usage{Model: "big-mini", Input: 4}, "2026-03-01", "0.00", true},
		"an own price, though others fit too": {domain.Usage{Model: "own", Input: 1_000_000}, "2026-11-01", "9.00", true},
		"before the own price":                {domain.Usage{Model: "own", Input: 1_000_000}, "2026-10-31", "1.00", true},
	} {
		if got, known := pricesOfTest(t).Cost(tt.usage, tt.day); got.Decimal() != tt.want || known != tt.known {
			t.Errorf("%s: %s, known %t, want %s, %t", name, got.Decimal(), known, tt.want, tt.known)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	one := domain.Usage{Model: "big", Input: 1_000_000}
	strange := domain.Usage{Model: "strange", Input: 1}
	for _, tt := range []struct {
		of          []domain.Usage
		long, short string
	}{
		{nil, "$0.00", "$0.00"},
		{[]domain.Usage{one, one}, "$4.00", "$4.00"},
		{[]domain.Usage{strange, {Model: "odd", Output: 1}, strange}, "cost unknown: no price for odd, strange", "unknown"},
		{[]domain.Usage{one, strange}, "more than $2.00: no price for strange", "> $2.00"},
	} {
		got := pricesOfTest(t).Sum("2026-03-01", tt.of...)
		if got.String() != tt.long || got.Short() != tt.short {
			t.Errorf("%q, %q, want %q, %q", got, got.Short(), tt.long, tt.short)
		}
		var apart Amount
		for _, u := range tt.of {
			apart = apart.Plus(pricesOfTest(t).Sum("2026-03-01", u))
		}
		if len(tt.of) > 0 && apart.String() != tt.long {
			t.Errorf("summed one by one: %q, want %q", apart, tt.long)
		}
	}
}

func TestMoneyInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		m        Money
		currency string
		want     string
	}{
		{0, "USD", "$0.00"},
		{1, "USD", "$0.000001"},
		{2_100, "USD", "$0.0021"},
		{2_149, "USD", "$0.0021"},
		{2_150, "USD", "$0.0022"},
		{99_999, "USD", "$0.100"},
		{100_000, "USD", "$0.10"},
		{5_004_999, "USD", "$5.00"},
		{5_005_000, "USD", "$5.01"},
		{1_234_567_891_000, "EUR", "€1,234,567.89"},
		{-1_500_000, "USD", "−$1.50"},
		{1_500_000, "CHF", "1.50 CHF"},
	} {
		if got := tt.m.In(tt.currency); got != tt.want {
			t.Errorf("%d is %q, want %q", tt.m, got, tt.want)
		}
	}
}

// TestMoneyInAColumn has four places below a dollar.
func TestMoneyInAColumn(t *testing.T) {
	t.Parallel()
	for m, want := range map[Money]string{
		0: "$0.00", 1: "< $0.0001", 50: "$0.0001", 490: "$0.0005", 5_000: "$0.0050", 123_456: "$0.1235", 1_000_000: "$1.00", 12_345_678: "$12.35",
	} {
		if got := m.Fine("USD"); got != want {
			t.Errorf("%d is %q, want %q", m, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Money{
		"5": 5_000_000, "$8.00": 8_000_000, " €1,200.5 ": 1_200_500_000, "0.000001": 1, ".5": 500_000, "0": 0, "0.1": 100_000,
	} {
		got, err := ParseMoney(text)
		if err != nil || got != want {
			t.Errorf("%q is %d, error %v, want %d", text, got, err, want)
		}
		if again, err := ParseMoney(got.Decimal()); err != nil || again != got {
			t.Errorf("%q, written as %q, is %d, error %v", text, got.Decimal(), again, err)
		}
	}
	for _, text := range []string{"", "-1", "+1", "1e3", "five", "1.2.3", "0.0000001", "2000000000", "99999999999999999999", "0x10", "1_0"} {
		if got, err := ParseMoney(text); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%q is %d, error %v", text, got, err)
		}
	}
}

// TestBuiltIn reads the table that ships, and asks it for models of each provider.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	all, err := readTable(builtIn)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Prices {
		if p.Provider == "" || p.Where == "" || p.Checked < p.From {
			t.Errorf("%v: provider %q, where %q, from %s, checked %s", p.Models, p.Provider, p.Where, p.From, p.Checked)
		}
	}
	for model, want := range map[string]string{
		"gpt-4o-mini-2024-07-18": "0.15", "gpt-4o": "2.50", "gpt-4.1-2025-04-14": "2.00", "claude-sonnet-4-5-20250929": "3.00", "claude-haiku-5-5": "0.10", "claude-opus-4-20250514": "15.00",
	} {
		if p, ok := all.Of(model, "2026-11-23"); !ok || p.Input.Decimal() != want {
			t.Errorf("%s: %+v, want an input of %s", model, p, want)
		}
	}
	before, _ := all.Of("claude-sonnet-5-5", "2026-10-06")
	after, _ := all.Of("claude-sonnet-5-5", "2026-10-07")
	if before.Cached.Decimal() != "0.20" || after.Cached.Decimal() != "0.10" {
		t.Errorf("kept input cost %s before the change, %s after", before.Cached.Decimal(), after.Cached.Decimal())
	}
	for _, model := range []string{"gpt-4o-audio", "qwen3:8b", ""} {
		if p, ok := all.Of(model, "2026-11-23"); ok {
			t.Errorf("%q has the price %+v", model, p)
		}
	}
}

// memory keeps prices for the processes of a test.
type memory struct {
	mu   sync.Mutex
	text string
}

func (m *memory) Prices(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text, nil
}

func (m *memory) SetPrices(_ context.Context, former, text string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.text != former {
		return false, nil
	}
	m.text = text
	return true, nil
}

// TestPricesAreKeptForAllProcesses sets prices in several processes at once, one of which has a file from an earlier version.
func TestPricesAreKeptForAllProcesses(t *testing.T) {
	t.Parallel()
	kept, file := &memory{}, filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(file, []byte("currency: EUR\nprices:\n- {models: [old], from: 2026-01-01, input: 1, output: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(1e9, 0)
	later := func() time.Time { clock = clock.Add(freshFor); return clock }
	serve, worker := newBook(file, kept, later), newBook(filepath.Join(t.TempDir(), "none"), kept, later)
	of := func(b *Book, model string) string {
		all, err := b.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all.Sum("2026-11-23", domain.Usage{Model: model, Input: 1_000_000}).String()
	}
	if got := of(worker, "old"); got != "cost unknown: no price for old" {
		t.Errorf("before: %s", got)
	}
	for range 2 {
		if err := serve.Adopt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := of(worker, "old"); got != "€1.00" {
			t.Errorf("a worker has %s", got)
		}
		if err := worker.Set(t.Context(), Price{Models: []string{"old"}, From: "2026-02-01", Input: amount(t, "3"), Output: amount(t, "3")}); err != nil {
			t.Fatal(err)
		}
		if got, here := of(serve, "old"), of(worker, "old"); got != "€3.00" || here != got {
			t.Errorf("after a change %s and %s", got, here)
		}
		kept.mu.Lock()
		kept.text = strings.ReplaceAll(kept.text, "2026-02-01", "2027-02-01") // so that the first holds again
		kept.mu.Unlock()
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			b := newBook(filepath.Join(t.TempDir(), "none"), kept, time.Now)
			if err := b.Set(t.Context(), Price{Models: []string{fmt.Sprint("m", i)}, From: "2026-01-01", Input: amount(t, "2"), Output: amount(t, "2")}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		if got := of(serve, fmt.Sprint("m", i)); got != "€2.00" {
			t.Errorf("a price that was set beside others is %s", got)
		}
	}
}

func TestAnOwnFile(t *testing.T) {
	t.Parallel()
	book := newBook(filepath.Join(t.TempDir(), "prices.yaml"), &memory{}, time.Now)
	usage := domain.Usage{Model: "gpt-4o", Input: 1_000_000}
	cost := func(day string) string {
		all, err := book.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all.Sum(day, usage, domain.Usage{Model: "qwen3:8b", Input: 5}).String()
	}
	if got := cost("2026-11-23"); got != "more than $2.50: no price for qwen3:8b" {
		t.Errorf("without a file: %s", got)
	}
	for _, p := range []Price{
		{Models: []string{"gpt-4o"}, From: "2026-11-23", Input: amount(t, "1"), Output: amount(t, "2")},
		{Models: []string{"gpt-4o"}, From: "2026-11-23", Input: amount(t, "1.25"), Output: amount(t, "2")}, // a slip of the hand, mended
		{Models: []string{"qwen*"}, From: "2026-01-01", Input: amount(t, "0"), Output: amount(t, "0")},
	} {
		if err := book.Set(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if got, before := cost("2026-11-23"), cost("2026-11-22"); got != "$1.25" || before != "$2.50" {
		t.Errorf("with own prices %s, the day before %s", got, before)
	}
	all, err := book.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if own := all.Prices[:3]; !own[0].Own || !own[1].Own || own[2].Own {
		t.Errorf("own prices %+v", own)
	}
	again, err := newBook(filepath.Join(t.TempDir(), "none"), book.kept, time.Now).Table(t.Context())
	if diff := cmp.Diff(all, again, cmpopts.IgnoreUnexported(Table{})); diff != "" || err != nil {
		t.Errorf("read by another process, error %v (-here +there):\n%s", err, diff)
	}
	if p, _ := all.Of("qwen3:8b", "2026-11-23"); !p.Free() {
		t.Errorf("%+v is not free", p)
	}
}

// TestTheOwnFileIsReadAgain writes the file by hand, as a person does.
func TestTheOwnFileIsReadAgain(t *testing.T) {
	t.Parallel()
	book := newBook(filepath.Join(t.TempDir(), "prices.yaml"), &memory{}, time.Now)
	for i, tt := range []struct{ content, want string }{
		{"prices:\n- {models: [m], from: 2026-01-01, input: 1, output: 1}\n", "$1.00"},
		{"prices:\n- {models: [m], from: 2026-01-01, input: 2, output: 2}\n", "$2.00"},
		{"currency: EUR\nprices:\n- {models: [m], from: 2026-01-01, input: 2, output: 2}\n", "€2.00"},
		{"", "cost unknown: no price for m"},
	} {
		if err := os.WriteFile(book.Path(), []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)
		if err := os.Chtimes(book.Path(), at, at); err != nil {
			t.Fatal(err)
		}
		all, err := book.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := all.Sum("2026-11-23", domain.Usage{Model: "m", Input: 1_000_000}).String(); got != tt.want {
			t.Errorf("after %q: %s, want %s", tt.content, got, tt.want)
		}
		if _, ok := all.Of("gpt-4o", "2026-11-23"); ok != (all.Currency == "USD") {
			t.Errorf("in %s the built-in prices in dollars hold: %t", all.Currency, ok)
		}
	}
}

func TestAWrongFileIsRefusedInWords(t *testing.T) {
	t.Parallel()
	book := newBook(filepath.Join(t.TempDir(), "prices.yaml"), &memory{}, time.Now)
	for content, want := range map[string]string{
		"prices: 5": "can't be read",
		"price: []": "price",
		"prices:\n- {from: 2026-01-01, input: 1}":                          "names no model",
		"prices:\n- {models: [m], input: 1, output: 1}":                    "should be like 2026-11-23",
		"prices:\n- {models: [m], from: 2026-01-01}":                       "has no amount",
		"prices:\n- {models: [m], from: 2026-01-01, input: 1}":             "needs both",
		"prices:\n- {models: [m], from: 2026-01-01, input: -1, output: 1}": "not an amount of money",
	} {
		if err := os.WriteFile(book.Path(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := book.Table(t.Context())
		if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), book.Path()) {
			t.Errorf("%s: %v", content, err)
		}
		if err := book.Set(t.Context(), Price{Models: []string{"m"}, From: "2026-01-01", Embedding: amount(t, "1")}); err == nil {
			t.Errorf("%s: a price was written over it", content)
		}
	}
}

func TestSteady(t *testing.T) {
	t.Parallel()
	table := Table{Prices: []Price{{From: "2026-11-10"}, {From: "2026-10-01"}, {From: "2026-11-10"}, {From: "2026-11-01"}, {From: "2026-11-30"}, {From: "2026-12-01"}}}
	want := [][2]string{{"2026-11-01", "2026-11-09"}, {"2026-11-10", "2026-11-29"}, {"2026-11-30", "2026-11-30"}}
	if got := table.Steady("2026-11-01", "2026-11-30"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestTheTableIsReadOnce: every page with a run on it prices the run.
func TestTheTableIsReadOnce(t *testing.T) {
	b := newBook(filepath.Join(t.TempDir(), "prices.yaml"), &memory{}, time.Now)
	read := func() Table {
		got, err := b.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	built := len(read().Prices)
	if n := testing.AllocsPerRun(10, func() { read() }); n > 50 {
		t.Errorf("%.0f allocations without an own file", n)
	}
	own := "currency: USD\nprices:\n  - {models: [x], from: 2026-01-01, input: 1, output: 2}\n"
	if err := os.WriteFile(b.Path(), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := len(read().Prices); n != built+1 {
		t.Errorf("%d prices with an own file, want %d", n, built+1)
	}
	if err := os.Remove(b.Path()); err != nil {
		t.Fatal(err)
	}
	if n := len(read().Prices); n != built {
		t.Errorf("%d prices without it, want %d", n, built)
	}
}
