package documents_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
)

const ws domain.WorkspaceID = "w1"

// bench is an empty store; left counts its files, partial ones included.
type bench struct {
	documents.FileStore
	left func() int
}

// testStore runs the suite of stores of uploaded files on those that open returns. The function returned
// with a store counts its files, partial ones included.
func testStore(t *testing.T, open func(t *testing.T) (documents.FileStore, func() int)) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, bench){
		"kept under its hash":             keptOnce,
		"workspaces are apart":            apart,
		"a head is bounded":               head,
		"exactly the limit is taken":      limit,
		"what is not kept leaves nothing": refused,
		"large files":                     large,
		"the same file twice at once":     together,
		"kept by a hash that is known":    known,
		"removed while it is read":        removed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, left := open(t)
			test(t, bench{files, left})
		})
	}
}

// put stores content.
func (b bench) put(t *testing.T, w domain.WorkspaceID, content string) documents.Stored {
	t.Helper()
	s, err := b.Put(t.Context(), w, strings.NewReader(content), 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// holds checks the content of a file.
func (b bench) holds(t *testing.T, w domain.WorkspaceID, hash, want string) {
	t.Helper()
	got, err := b.Read(t.Context(), w, hash)
	if err != nil || string(got) != want {
		t.Errorf("got %.20q of %d bytes, error %v; want %.20q of %d", got, len(got), err, want, len(want))
	}
	r, size, err := b.Open(t.Context(), w, hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(want) > 1<<16 { // TestReader reads byte by byte, which takes minutes
		whole, err := io.ReadAll(iotest.HalfReader(r))
		if err != nil || string(whole) != want || size != int64(len(want)) {
			t.Errorf("Open says %d bytes, read got %d, error %v; want %d", size, len(whole), err, len(want))
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("after the end: got %d bytes, error %v; want none", n, err)
		}
		for _, at := range []int{1<<20 - 3, 5, len(want) - 2} { // over the end of a row, and back
			part := make([]byte, min(7, len(want)-at))
			to, err := r.Seek(int64(at), io.SeekStart)
			if _, bad := io.ReadFull(r, part); err != nil || bad != nil || to != int64(at) || string(part) != want[at:at+len(part)] {
				t.Errorf("from byte %d: at %d, %q, errors %v, %v; want %q", at, to, part, err, bad, want[at:at+len(part)])
			}
		}
		return
	}
	if err := iotest.TestReader(r, []byte(want)); err != nil || size != int64(len(want)) {
		t.Errorf("Open says %d bytes, error %v; want %d", size, err, len(want))
	}
}

func wantKind(t *testing.T, err error, k domain.Kind) {
	t.Helper()
	if err == nil || domain.KindOf(err) != k {
		t.Errorf("got error %v of kind %d, want kind %d", err, domain.KindOf(err), k)
	}
}

func keptOnce(t *testing.T, b bench) {
	for range 2 { // the same content twice makes one file
		s := b.put(t, ws, "copper and tin")
		if s.Hash != domain.Hash([]byte("copper and tin")) || s.Size != 14 {
			t.Fatalf("got %+v", s)
		}
		b.holds(t, ws, s.Hash, "copper and tin")
	}
	if n := b.left(); n != 1 {
		t.Errorf("got %d files, want 1", n)
	}
	hash := domain.Hash([]byte("copper and tin"))
	for range 2 { // removing a missing file is no error
		if err := b.Remove(t.Context(), ws, hash); err != nil {
			t.Error(err)
		}
	}
	_, err := b.Read(t.Context(), ws, hash)
	wantKind(t, err, domain.NotFound)
	_, _, err = b.Open(t.Context(), ws, hash)
	wantKind(t, err, domain.NotFound)
	if n := b.left(); n != 0 {
		t.Errorf("got %d files, want none", n)
	}
}

func apart(t *testing.T, b bench) {
	s := b.put(t, "one", "secret")
	_, err := b.Read(t.Context(), "two", s.Hash)
	wantKind(t, err, domain.NotFound)
	if err := b.Remove(t.Context(), "two", s.Hash); err != nil {
		t.Error(err)
	}
	b.holds(t, "one", s.Hash, "secret")
}

func head(t *testing.T, b bench) {
	s, err := b.Put(t.Context(), ws, iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 10_000))), 1<<20)
	if err != nil || s.Size != 10_000 {
		t.Errorf("got size %d, error %v", s.Size, err)
	}
}

func limit(t *testing.T, b bench) {
	if _, err := b.Put(t.Context(), ws, strings.NewReader(strings.Repeat("x", 100)), 100); err != nil {
		t.Error(err)
	}
}

func refused(t *testing.T, b bench) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		r    io.Reader
		kind domain.Kind
		says string
	}{
		{"too large", t.Context(), strings.NewReader(strings.Repeat("x", 3<<20)), domain.TooLarge, "MAX_UPLOAD_MB"},
		{"broken reader", t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), domain.Invalid, "broke off after 4 bytes"},
		{"gone reader", over, strings.NewReader("whole"), domain.Invalid, "broke off"},
	} {
		_, err := b.Put(tt.ctx, ws, tt.r, 2<<20)
		if domain.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got error %v", tt.name, err)
		}
		if n := b.left(); n > 0 {
			t.Errorf("%s: got %d leftover files, want none", tt.name, n)
		}
	}
}

func large(t *testing.T, b bench) {
	for _, size := range []int{0, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 17} {
		content := strings.Repeat("0123456789abcde\n", size/16+1)[:size]
		b.holds(t, ws, b.put(t, ws, content).Hash, content)
	}
}

func together(t *testing.T, b bench) {
	content := strings.Repeat("at once ", 300_000)
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() { b.put(t, ws, content) })
	}
	senders.Wait()
	b.holds(t, ws, domain.Hash([]byte(content)), content)
	if n := b.left(); n != 1 {
		t.Errorf("got %d files, want 1", n)
	}
}

func known(t *testing.T, b bench) {
	hash := domain.Hash([]byte("bronze"))
	if err := b.Keep(t.Context(), ws, hash, strings.NewReader("bronze")); err != nil {
		t.Fatal(err)
	}
	b.holds(t, ws, hash, "bronze")
	other := domain.Hash([]byte("iron"))
	if err := b.Keep(t.Context(), ws, other, iotest.ErrReader(io.ErrUnexpectedEOF)); err == nil {
		t.Error("a partial file was kept")
	}
	_, err := b.Read(t.Context(), ws, other)
	wantKind(t, err, domain.NotFound)
}

// removed reads a file while it is being removed: to the end or NotFound, never
// a part of it.
func removed(t *testing.T, b bench) {
	content := bytes.Repeat([]byte("still here "), 300_000)
	s := b.put(t, ws, string(content))
	r, _, err := b.Open(t.Context(), ws, s.Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, 10); err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(t.Context(), ws, s.Hash); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err == nil && len(rest) != len(content)-10 {
		t.Errorf("got %d more bytes and no error, want %d", len(rest), len(content)-10)
	}
}
