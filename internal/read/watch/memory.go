package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/domain"
)

// memory is the file with the stored state of a folder. It contains names, sizes, times and hashes, but no text.
type memory struct{ path, folder string }

func memoryOf(state, folder string) memory {
	return memory{filepath.Join(state, domain.Hash([]byte(folder))[:16]+".json"), folder}
}

// remembered is the content of the file.
type remembered struct {
	Folder string           `json:"folder"`
	Files  map[string]known `json:"files"`
}

// read returns the stored state, which is empty at first.
func (m memory) read() (map[string]known, error) {
	data, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]known{}, nil
	}
	var r remembered
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The stored state of the folder can't be read from %s: %v. Delete that file; the folder is then compared with the library again.", m.path, err)
	}
	if r.Files == nil {
		r.Files = map[string]known{}
	}
	return r.Files, nil
}

// write replaces the stored state.
func (m memory) write(files map[string]known) error {
	data, err := json.Marshal(remembered{m.folder, files})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return fmt.Errorf("remember a folder: %w", err)
	}
	err = atomicfile.Write(m.path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("remember a folder: %w", err)
	}
	return nil
}
