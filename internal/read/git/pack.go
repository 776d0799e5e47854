package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/clewhq/clew/internal/domain"
)

// The bounds of packs and commits.
const (
	mostInflated = 4 << 30  // bytes read from a pack
	overhead     = 512      // bytes that an object takes in addition to its content
	mostFolders  = 64 << 20 // bytes of the folders in a commit
	mostFiles    = 100_000
	deepest      = 100 // nested folders
)

type kinds []plumbing.ObjectType

// An object is one of a pack that is kept.
type object struct {
	kind plumbing.ObjectType
	data []byte
}

// errTooMuch is the error of unpack for objects with more bytes than are wanted.
var errTooMuch = errors.New("git: too much")

// errPack is the error for a pack that is damaged or incomplete.
var errPack = errors.New("git: the pack is damaged or incomplete")

// unpack reads a pack and returns its objects of some kinds by their ids, which it computes. An object stored as a
// difference must follow its base, as the request asked. The error is errTooMuch for objects of more than most bytes.
func unpack(ctx context.Context, r io.Reader, kept kinds, most int64) (map[plumbing.Hash]object, error) {
	scanner := packfile.NewScanner(r)
	_, n, err := scanner.Header()
	if err != nil {
		return nil, err
	}
	at, ids, left := map[int64]object{}, map[plumbing.Hash]object{}, int64(mostInflated)
	for range n {
		h, err := scanner.NextObjectHeader()
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, ended(err)
		}
		if left -= h.Length + overhead; h.Length < 0 || left < 0 {
			return nil, errTooMuch
		}
		base, o := object{}, object{kind: h.Type}
		if h.Type.IsDelta() {
			if base = at[h.OffsetReference]; h.Type == plumbing.REFDeltaObject {
				base = ids[h.Reference]
			}
			o.kind = base.kind
		}
		if !slices.Contains(kept, o.kind) {
			continue // the scanner skips it
		}
		if o.data, err = content(scanner, h, base, most); err != nil {
			return nil, ended(err)
		}
		if most -= int64(len(o.data)) + overhead; most < 0 {
			return nil, errTooMuch
		}
		at[h.Offset], ids[plumbing.ComputeHash(o.kind, o.data)] = o, o
	}
	return ids, nil
}

// content returns the content of a pack's object, at most most bytes long, which may be stored as a difference to base.
func content(scanner *packfile.Scanner, h *packfile.ObjectHeader, base object, most int64) ([]byte, error) {
	if h.Length > most {
		return nil, errTooMuch
	}
	var b bytes.Buffer
	if n, _, err := scanner.NextObject(&b); err != nil || n != h.Length {
		return nil, errors.Join(errPack, err)
	}
	if !h.Type.IsDelta() {
		return b.Bytes(), nil
	}
	_, n := binary.Uvarint(b.Bytes()) // the size of the base
	size, m := binary.Uvarint(b.Bytes()[max(n, 0):])
	switch {
	case n <= 0 || m <= 0:
		return nil, errPack
	case size > uint64(most):
		return nil, errTooMuch
	}
	return packfile.PatchDelta(base.data, b.Bytes())
}

// The ids of objects.
const (
	idBytes   = 20
	emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" // the tree of an empty folder, which a pack need not include
)

// A walk goes through the folders of a commit.
type walk struct {
	objects map[plumbing.Hash]object
	files   []File
	others  int // links, other repositories, and names that are not text
	seen    int
}

func (w *walk) folder(id plumbing.Hash, at string, depth int) error {
	o := w.objects[id]
	if o.kind != plumbing.TreeObject && id.String() != emptyTree || depth > deepest {
		return errPack
	}
	for data := o.data; len(data) > 0; {
		mode, rest, cut := bytes.Cut(data, []byte(" "))
		name, rest, ends := bytes.Cut(rest, []byte{0})
		if !cut || !ends || len(rest) < idBytes {
			return errPack
		}
		if w.seen++; w.seen > mostFiles {
			return domain.Errorf(domain.TooLarge, "The repository has more than %s files and folders, which are not read.", domain.Thousands(mostFiles))
		}
		id := plumbing.Hash(rest[:idBytes])
		data = rest[idBytes:]
		within := path.Join(at, string(name))
		switch {
		case !utf8.Valid(name) || bytes.ContainsAny(name, "/\\") || len(bytes.Trim(name, ".")) == 0:
			w.others++
		case string(mode) == "40000":
			if err := w.folder(id, within, depth+1); err != nil {
				return err
			}
		case strings.HasPrefix(string(mode), "100"):
			w.files = append(w.files, File{within, id.String()})
		default:
			w.others++
		}
	}
	return nil
}
