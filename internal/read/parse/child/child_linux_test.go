package child

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
)

// The commands of this test binary as a child.
const (
	asChild  = "child"  // hostile, when a file says so
	asBroken = "broken" // ends before it begins
	asParent = "parent" // has a child of its own, and says its number
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case asChild:
		if err := Serve(&hostile{os.Stdin}, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case asBroken:
		fmt.Fprintln(os.Stderr, "no luck")
		os.Exit(1)
	case asParent:
		parent()
	case asTool:
		fmt.Fprintln(os.Stderr, Become(4<<30, os.Args[0], asProbe))
		os.Exit(1)
	case asProbe:
		fmt.Println(probeTool())
	default:
		os.Exit(m.Run())
	}
}

// hostile stands before a child's parser and does what a file says, as a parser
// with a defect might.
type hostile struct{ r io.Reader }

func (h *hostile) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	for what, do := range deeds {
		if bytes.Contains(b[:n], []byte(deed(what))) {
			copy(b[bytes.Index(b[:n], []byte(deed(what))):n], do())
		}
	}
	return n, err
}

func deed(what string) string { return "!" + what + "!" }

var stdout = os.Stdout // Serve replaces the variable

var deeds = map[string]func() string{
	"spin": func() string {
		for { //nolint:revive,staticcheck // spins
		}
	},
	"grow": func() string { return hold(1 << 20) },
	"fill": func() string { return hold(testMemory / (1 << 20) * 6 / 10) },
	"overflow": func() string {
		debug.SetMaxStack(1 << 20)
		return fmt.Sprint(deeper(1))
	},
	"race": func() string {
		m := map[int]int{}
		for range 8 {
			go func() {
				for i := range 1 << 30 {
					m[i&1] = i
				}
			}()
		}
		select {}
	},
	"exit":    func() string { os.Exit(3); return "" },
	"garbage": func() string { fmt.Fprint(stdout, "what is this?"); select {} },
	"large frame": func() string {
		_ = writeJSON(stdout, answer{})
		_, _ = stdout.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
		return flood(stdout)
	},
	"flood":        func() string { return flood(stdout) },
	"flood stderr": func() string { return flood(os.Stderr) },
	"probe":        probe,
}

func deeper(n int) int { return deeper(n+1) + 1 } //nolint:staticcheck // overflows the stack

// hold holds so many megabytes for ever.
func hold(megabytes int) string {
	var held [][]byte
	for range megabytes {
		held = append(held, bytes.Repeat([]byte{1}, 1<<20))
	}
	for { //nolint:revive,staticcheck // spins
		runtime.KeepAlive(held)
	}
}

// flood writes ten gigabytes.
func flood(w io.Writer) string {
	for range 10 << 10 {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
	}
	select {}
}

const testMemory = 256 << 20

func testPool(t testing.TB, change ...func(*Options)) *Pool {
	t.Helper()
	o := Options{
		Command: []string{os.Args[0], asChild}, Memory: testMemory, Timeout: time.Minute,
		Limits: parse.Limits{MaxBytes: 50 << 20, MaxPages: 100, MaxChars: 10_000_000}, Tokens: 64, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&o)
	}
	p := New(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// warm starts a child, however long that takes, and returns it.
func (p *Pool) warm(t *testing.T) *process {
	t.Helper()
	if _, err := p.parseString(t.Context(), domain.FormatText, "abc"); err != nil {
		t.Fatal(err)
	}
	return p.idle[0]
}

// TestABusyChildIsWaitedFor has a caller come while the only child is busy: it gets
// that child, and starts none.
func TestABusyChildIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	p.wait = time.Hour
	c := p.warm(t)
	if got, _ := p.pop(true); got != c {
		t.Fatal("the idle child is not used")
	}
	if got, begin := p.pop(true); got != nil || begin {
		t.Fatal("a caller starts a child while another is busy")
	}
	got := make(chan *process)
	go func() {
		next, err := p.take(t.Context())
		if err != nil {
			t.Error(err)
		}
		got <- next
	}()
	p.put(c)
	p.release()
	if next := <-got; next != c {
		t.Error("the child that became idle is not used")
	}
	p.put(c)
	p.release()
	p.busy = 1
	if idle, _ := p.pop(true); idle != c {
		t.Error("an idle child is not used beside a busy one")
	}
	if _, begin := p.pop(false); !begin {
		t.Error("nobody starts a child who has waited long enough")
	}
	p.put(c)
}

// raced reports whether the race detector is on. It takes several times the
// memory.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func small() error { return nil }

func (p *Pool) parseString(ctx context.Context, format domain.Format, s string) (domain.Text, error) {
	return p.Parse(ctx, format, domain.Chunking{}, strings.NewReader(s), int64(len(s)), small)
}

const letter = "# A bridge\n\nTobias Quennell built the *Velm Bridge*.\n\n## Later\n\nHe was born in Osterby. 東京は大きい。\n"

// TestSameAsInProcess checks that a child answers what the parser and the
// splitter answer here.
func TestSameAsInProcess(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	tokens := chunk.NewTokenizer()
	for _, file := range []struct {
		format domain.Format
		data   string
	}{
		{domain.FormatMarkdown, letter},
		{domain.FormatMarkdown, strings.Repeat(letter+"\n", 200)},
		{domain.FormatText, strings.Repeat("One sentence follows another. ", 3000)},
		{domain.FormatText, " \n "},
		{domain.FormatHTML, "<html><title>T</title><body><h1>One</h1><p>two</p><table><tr><td>3<td>4</table></body></html>"},
		{domain.FormatText, "caf\xe9 on the corner, windows text"},
		{domain.FormatTable, "Item,Price\nScrews,3.50\n\n" + strings.Repeat("Nails,4\n", 100)},
		{domain.FormatRecords, strings.Repeat(`{"text":"One sentence follows another."}`+"\n", 300)},
		{domain.FormatTranscript, "00:00:00,000 --> 00:00:03,500\nThe harbour was\n\n00:00:03,500 --> 00:00:05,000\nbuilt of stone.\n"},
	} {
		want, err := parse.New(p.Limits).Parse(t.Context(), "file", file.format, []byte(file.data))
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.parseString(t.Context(), file.format, file.data)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("error %v (-here +child)\n%s", err, diff)
		}
		pieces, err := chunk.Split(t.Context(), "d", want, chunk.Options{Tokens: p.Tokens, Counter: tokens})
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := p.Split(t.Context(), "d", got, domain.Chunking{}, small)
		if diff := gocmp.Diff(pieces, chunks); diff != "" || err != nil {
			t.Errorf("chunks: error %v (-here +child)\n%s", err, diff)
		}
	}
	if n := len(p.idle); n != 1 {
		t.Errorf("%d children are idle, want the one that did everything", n)
	}
}

func TestAChildKeepsStruckText(t *testing.T) {
	t.Parallel()
	for keep, want := range map[bool]string{false: "It is 650.", true: "It is ~~400~~ 650."} {
		p := testPool(t, func(o *Options) { o.KeepStruck = keep })
		got, err := p.parseString(t.Context(), domain.FormatMarkdown, "It is ~~400~~650.")
		if err != nil || got.Content != want {
			t.Errorf("kept %v: %q, error %v; want %q", keep, got.Content, err, want)
		}
	}
}

// TestAnArchiveIsUnpackedByAChild unpacks a file, one that is none, and one that
// nobody waits for, by the same child.
func TestAnArchiveIsUnpackedByAChild(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"a.txt", "b.psd", "deep/c.md"} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "in "+name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	unpack := func(data []byte, each func(string, io.Reader) error) ([]string, error) {
		return p.Unpack(t.Context(), domain.FormatArchive, domain.Chunking{}, bytes.NewReader(data), int64(len(data)), each)
	}
	var got []string
	others, err := unpack(packed.Bytes(), func(name string, r io.Reader) error {
		text, err := io.ReadAll(r)
		got = append(got, name+": "+string(text))
		return err
	})
	if diff := gocmp.Diff([]string{"a.txt: in a.txt", "c.md: in deep/c.md"}, got); diff != "" || err != nil || !slices.Equal(others, []string{"b.psd"}) {
		t.Errorf("error %v, others %q (-want +got):\n%s", err, others, diff)
	}
	_, err = unpack([]byte("PK no archive"), func(string, io.Reader) error { return nil })
	if message, _ := domain.MessageOf(err); domain.KindOf(err) != domain.Invalid || !strings.Contains(message, "damaged") {
		t.Errorf("error %v, want one of the file", err)
	}
	if n := len(p.idle); n != 1 {
		t.Errorf("%d children are idle, want the one that did everything", n)
	}
	full, began := errors.New("enough"), time.Now()
	if _, err := unpack(packed.Bytes(), func(string, io.Reader) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if took := time.Since(began); took >= maxEnding {
		t.Errorf("it took %v to give up: a child that nobody reads was waited for", took)
	}
}

func TestErrorsOfTheParserComeThrough(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	for _, data := range []string{"", "not a PDF", "%PDF-1.4\n1 0 obj\n"} {
		_, want := parse.New(p.Limits).Parse(t.Context(), "file", domain.FormatPDF, []byte(data))
		_, got := p.parseString(t.Context(), domain.FormatPDF, data)
		if domain.KindOf(got) != domain.KindOf(want) || domain.InWords(got) != domain.InWords(want) || domain.KindOf(got) != domain.Invalid {
			t.Errorf("%q: %v: %v, want %v: %v", data, domain.KindOf(got), got, domain.KindOf(want), want)
		}
	}
	if _, err := p.Parse(t.Context(), domain.FormatText, domain.Chunking{}, nil, p.Limits.MaxBytes+1, small); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("a file over the limit: %v", err)
	}
	if n := len(p.idle); n != 1 {
		t.Errorf("%d children are idle, want one that is none the worse", n)
	}
}

func TestErrorOfTheFileIsNotTheChilds(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	lost := errors.New("the disk is gone")
	_, err := p.Parse(t.Context(), domain.FormatText, domain.Chunking{}, io.MultiReader(strings.NewReader("abc"), failing{lost}), 10, small)
	if _, died := errors.AsType[*parse.DeathError](err); died || !errors.Is(err, lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
	_, err = p.Parse(t.Context(), domain.FormatText, domain.Chunking{}, strings.NewReader("abc"), 10, small)
	if _, died := errors.AsType[*parse.DeathError](err); died || err == nil || !strings.Contains(err.Error(), "3 of 10") {
		t.Errorf("a short file: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestHostileFilesEndTheirChild gives children files that break the parser, and
// then one that doesn't.
func TestHostileFilesEndTheirChild(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what    string
		timeout time.Duration
		kind    domain.Kind
		says    string
	}{
		{"grow", 0, domain.TooLarge, "needs more memory than PARSE_MEMORY_MB allows (256 MB)"},
		{"spin", 2 * time.Second, domain.TooLarge, "took longer than PARSE_TIMEOUT allows (2s)"},
		{"overflow", 0, domain.Invalid, "crashed the process"},
		{"race", 0, domain.Invalid, "crashed the process"},
		{"exit", 0, domain.Invalid, "crashed the process"},
		{"garbage", 0, domain.Invalid, "crashed the process"},
		{"large frame", 0, domain.Invalid, "crashed the process"},
		{"flood", 0, domain.Invalid, "crashed the process"},
		{"flood stderr", 2 * time.Second, domain.TooLarge, "took longer"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			p := testPool(t)
			p.warm(t)
			p.Timeout = cmp.Or(tt.timeout, p.Timeout)
			_, err := p.parseString(t.Context(), domain.FormatText, deed(tt.what))
			if _, died := errors.AsType[*parse.DeathError](err); !died || domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v of kind %v, want a death of kind %v that says %q", err, domain.KindOf(err), tt.kind, tt.says)
			}
			p.Timeout = time.Minute
			if text, err := p.parseString(t.Context(), domain.FormatText, "the next one"); err != nil || text.Content != "the next one" {
				t.Errorf("the next file: %q, %v", text.Content, err)
			}
		})
	}
}

func TestAChildThatCannotStartIsNotTheFilesFault(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{os.Args[0], asBroken}, {filepath.Join(t.TempDir(), "nothing")}} {
		p := testPool(t, func(o *Options) { o.Command = command })
		_, err := p.parseString(t.Context(), domain.FormatText, "abc")
		if _, died := errors.AsType[*parse.DeathError](err); died || !domain.Temporary(err) || domain.Away(err) {
			t.Errorf("error %v of kind %v, want one to try again a few times", err, domain.KindOf(err))
		}
	}
}

func TestChildrenAreReplaced(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	pid := func() int { return p.idle[len(p.idle)-1].cmd.Process.Pid }
	read := func() int {
		if _, err := p.parseString(t.Context(), domain.FormatText, "abc"); err != nil {
			t.Fatal(err)
		}
		if len(p.idle) == 0 {
			return 0
		}
		return pid()
	}
	first := read()
	if second := read(); second != first {
		t.Errorf("the second file had process %d, the first %d", second, first)
	}
	p.idle[0].uses = maxUses - 1
	if last := read(); last != 0 {
		t.Errorf("process %d is kept after %d documents", last, maxUses)
	}
	if other := read(); other == first {
		t.Error("the process was not replaced")
	}
	c := p.idle[0]
	c.kill(nil) // as the system may while it is idle
	<-c.done
	if other := read(); other == c.cmd.Process.Pid {
		t.Error("a dead process was used")
	}
	c = p.idle[0]
	p.expire(c)
	<-c.done
	if len(p.idle) != 0 {
		t.Errorf("%d children are idle", len(p.idle))
	}
}

// BenchmarkOverhead compares parsing and splitting in a child with the same
// here.
func BenchmarkOverhead(b *testing.B) {
	tokens := chunk.NewTokenizer()
	for _, size := range []struct {
		name  string
		times int
	}{{"2 KB", 20}, {"200 KB", 2000}} {
		data := strings.Repeat(letter+"\n", size.times)
		b.Run(size.name+"/here", func(b *testing.B) {
			for b.Loop() {
				text, err := parse.New(parse.Limits{}).Parse(b.Context(), "file", domain.FormatMarkdown, []byte(data))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := chunk.Split(b.Context(), "d", text, chunk.Options{Tokens: 256, Counter: tokens}); err != nil {
					b.Fatal(err)
				}
			}
		})
		run := func(b *testing.B, fresh bool) {
			p := testPool(b, func(o *Options) { o.Tokens = 256 })
			for b.Loop() {
				text, err := p.parseString(b.Context(), domain.FormatMarkdown, data)
				if err != nil {
					b.Fatal(err)
				}
				if _, err = p.Split(b.Context(), "d", text, domain.Chunking{}, small); err != nil {
					b.Fatal(err)
				}
				if fresh {
					p.expire(p.idle[0])
				}
			}
		}
		b.Run(size.name+"/child", func(b *testing.B) { run(b, false) })
		b.Run(size.name+"/new child", func(b *testing.B) { run(b, true) })
	}
}
