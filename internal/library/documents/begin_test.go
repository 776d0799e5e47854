package documents

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestAFileOnDiskIsRefusedUnread adds files that are too large, or of a kind that can't
// be read, and looks how far they were read.
func TestAFileOnDiskIsRefusedUnread(t *testing.T) {
	t.Parallel()
	s := &Service{Params: Params{MaxUpload: 1 << 20}}
	for _, tt := range []struct {
		name   string
		begins byte
		size   int64
		kind   domain.Kind
		read   int64
	}{
		{"too large", 'x', 1<<20 + 1, domain.TooLarge, 0},
		{"of another kind", 0, 1 << 20, domain.Invalid, headBytes},
		{"as large as may be", 'x', 1 << 20, 0, headBytes},
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := errors.Join(f.Truncate(tt.size), writeAt(f, tt.begins)); err != nil {
			t.Fatal(err)
		}
		_, _, _, err = s.begin("a.txt", f)
		at, _ := f.Seek(0, io.SeekCurrent)
		if tt.kind == 0 && err != nil || tt.kind != 0 && domain.KindOf(err) != tt.kind || at != tt.read {
			t.Errorf("%s: %v after %d bytes", tt.name, err, at)
		}
	}
}

func writeAt(f *os.File, b byte) error {
	_, err := f.WriteAt(bytes.Repeat([]byte{b}, headBytes), 0)
	return err
}
