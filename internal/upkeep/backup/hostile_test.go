package backup_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/heap"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/upkeep/backup"
)

// entry is an entry of a forged archive.
type entry struct {
	name, content string
	kind          byte // 0 for a regular file
	link          string
}

const (
	head = `{"format":1,"schema":7,"tables":[{"name":"workspaces","columns":[{"name":"id","kind":"text"},{"name":"head","kind":"integer"}]}]}`
	tail = `{"rows":{"workspaces":1},"files":0}`
)

// forged returns an archive of entries with correct checksums.
func forged(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var sums strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(e.content)), e.name)
	}
	return packed(t, append(entries, entry{name: "SHA256SUMS", content: sums.String()})...)
}

func packed(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.content)), Mode: 0o777}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	first, rows, last := entry{name: "clew-backup.json", content: head}, entry{name: "tables/workspaces/000001.jsonl", content: "[\"default\",3]\n"}, entry{name: "clew-end.json", content: tail}
	if _, err := backup.Verify(t.Context(), bytes.NewReader(forged(t, first, rows, last)), false); err != nil {
		t.Fatalf("an intact archive: %v", err)
	}
	hash := strings.Repeat("ab", 32)
	for name, archive := range map[string][]byte{
		"nothing":               {},
		"no archive":            []byte("clew clew clew clew"),
		"an empty tar":          packed(t),
		"a path that climbs":    forged(t, first, entry{name: "files/../../etc/passwd", content: "x"}, rows, last),
		"an absolute path":      forged(t, first, entry{name: "/etc/passwd", content: "x"}, rows, last),
		"a link":                forged(t, first, entry{name: "files/61/" + hash, kind: tar.TypeSymlink, link: "/etc/passwd"}, rows, last),
		"a device":              forged(t, first, entry{name: "files/61/" + hash, kind: tar.TypeChar}, rows, last),
		"a folder":              forged(t, first, entry{name: "files/61", kind: tar.TypeDir}, rows, last),
		"a file of other bytes": forged(t, first, rows, entry{name: "files/61/" + hash, content: "x"}, entry{name: "clew-end.json", content: `{"rows":{"workspaces":1},"files":1}`}),
		"rows of no table":      forged(t, first, entry{name: "tables/secrets/000001.jsonl", content: "[1]\n"}, rows, last),
		"a left out table": forged(t, entry{name: "clew-backup.json", content: strings.Replace(head, "workspaces", "goose_db_version", 1)},
			entry{name: "clew-end.json", content: `{}`}),
		"a name of SQL": forged(t, entry{name: "clew-backup.json", content: strings.Replace(head, "workspaces", `x\"; DROP TABLE users; --`, 1)},
			entry{name: "clew-end.json", content: `{}`}),
		"a short row":             forged(t, first, entry{name: rows.name, content: "[\"default\"]\n"}, last),
		"a row of no JSON":        forged(t, first, entry{name: rows.name, content: "default\n"}, last),
		"a nested value":          forged(t, first, entry{name: rows.name, content: "[[[[]]],3]\n"}, last),
		"too few rows":            forged(t, first, last),
		"two headers":             forged(t, first, first, rows, last),
		"no header":               forged(t, rows, last),
		"no end":                  forged(t, first, rows),
		"rows behind a file":      forged(t, first, entry{name: "files/61/" + hashOf("x"), content: "x"}, rows, entry{name: "clew-end.json", content: `{"rows":{"workspaces":1},"files":1}`}),
		"something after the end": forged(t, first, rows, last, rows),
		"no checksums":            packed(t, first, rows, last),
		"wrong checksums":         packed(t, first, rows, last, entry{name: "SHA256SUMS", content: "0  x\n"}),
		"missing checksums":       packed(t, first, rows, last, entry{name: "SHA256SUMS"}),
		"more after the sums":     append(forged(t, first, rows, last)[:0:0], packed(t, first, rows, last, entry{name: "SHA256SUMS"}, rows)...),
	} {
		_, err := backup.Verify(t.Context(), bytes.NewReader(archive), false)
		if domain.KindOf(err) != domain.Invalid || !strings.Contains(domain.InWords(err), "Nothing was changed") {
			t.Errorf("%s: got error %v of kind %v", name, err, domain.KindOf(err))
		}
	}
}

func TestDecompressionBombIsRefused(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, h := range []*tar.Header{{Name: "clew-backup.json", Size: int64(len(head))}, {Name: "tables/workspaces/000001.jsonl", Size: 1 << 30}} {
		h.Typeflag = tar.TypeReg
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size < 1<<20 {
			io.WriteString(w, head)
		}
	}
	line := []byte(`["` + strings.Repeat("a", 1<<20) + `",1]` + "\n")
	for range 100 { // MiB, more than a small archive may unpack to
		w.Write(line)
	}
	z.Close()
	_, err = backup.Verify(t.Context(), &b, false)
	if domain.KindOf(err) != domain.TooLarge {
		t.Errorf("got error %v", err)
	}
}

// TestDamageIsFound changes a byte of the archive, or truncates it, at many
// positions. Some changes leave no damage: a match that copies zeros from
// elsewhere unpacks to the same bytes.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	_, from := source(t)
	archive, _ := write(t, from)
	intact, err := unpacked(archive)
	if err != nil {
		t.Fatal(err)
	}
	step := max(len(archive)/150, 1)
	for at := 0; at < len(archive); at += step {
		for name, damaged := range map[string][]byte{
			"cut":     archive[:at],
			"changed": append(append(bytes.Clone(archive[:at]), archive[at]^0x55), archive[at+1:]...),
		} {
			_, err := backup.Verify(t.Context(), bytes.NewReader(damaged), false)
			kind := domain.KindOf(err)
			if kind == domain.Invalid || kind == domain.TooLarge || kind == domain.Conflict {
				continue
			}
			if content, bad := unpacked(damaged); err != nil || bad != nil || !bytes.Equal(content, intact) {
				t.Errorf("%s at %d of %d: got error %v of kind %v", name, at, len(archive), err, kind)
			}
		}
	}
	if _, err := backup.Verify(t.Context(), bytes.NewReader(archive[:len(archive)-1]), false); domain.KindOf(err) != domain.Invalid {
		t.Errorf("the last byte cut off: got error %v", err)
	}
}

func unpacked(archive []byte) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(archive), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(z)
}

// TestHostileArchivesAreBounded reads archives that are packed well, and looks at the
// memory which that takes.
func TestHostileArchivesAreBounded(t *testing.T) { //nolint:paralleltest // what runs beside it would be measured too
	race.Skip(t)
	first, empty := entry{name: "clew-backup.json", content: head}, sha256.Sum256(nil)
	files := []entry{first}
	for i := range 300_000 {
		files = append(files, entry{name: fmt.Sprintf("files/%08x/%x", i, empty)})
	}
	parts := []entry{first}
	for range 300_000 {
		parts = append(parts, entry{name: "tables/workspaces/000001.jsonl"})
	}
	row := func(n int) []entry {
		return []entry{first, {name: "tables/workspaces/000001.jsonl", content: `["` + strings.Repeat("a", n) + `",3]` + "\n"}}
	}
	for name, entries := range map[string][]entry{
		"files without bytes": files, "parts without rows": parts, "a long row": row(200 << 20),
		"many values": {first, {name: "tables/workspaces/000001.jsonl", content: "[" + strings.Repeat("0,", 20<<20) + "3]\n"}},
		"tables":      {{name: "clew-backup.json", content: `{"tables":[` + strings.Repeat("{},", 5<<20) + "{}]}"}},
		"counts":      {first, {name: "clew-end.json", content: `{"gone":[` + strings.Repeat("{},", 1<<20) + "{}]}"}},
		"nested":      {first, {name: "clew-end.json", content: strings.Repeat("[", 3<<20)}},
	} {
		archive := packed(t, entries...)
		took := heap.Peak(func() {
			if _, err := backup.Verify(t.Context(), bytes.NewReader(archive), false); domain.KindOf(err) != domain.Invalid && domain.KindOf(err) != domain.TooLarge {
				t.Errorf("%s: error %v", name, err)
			}
		})
		if most := int64(250<<20 + 8*len(archive)); took > most {
			t.Errorf("%s: %d MB for %d KB", name, took>>20, len(archive)>>10)
		}
	}
}
