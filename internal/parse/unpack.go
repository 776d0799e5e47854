package parse

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// A File is a file within another.
type File struct {
	Name string
	Data []byte
}

// The bounds of an archive: the files in it, in all, and how deep archives may
// lie within one another.
const (
	MaxFiles    = 2000
	maxArchives = 3
)

// Unpack calls each for the files within a file that may be read by their names,
// and returns the names of the others. Of a PDF it is the pages that are images,
// as pictures. The error is that of each, or a domain
// error as Parse returns it.
func (p *Parser) Unpack(ctx context.Context, format domain.Format, data []byte, each func(File) error) (others []string, err error) {
	if _, err := EncodingNamed(p.chosen); err != nil {
		return nil, err
	}
	u := unpacker{ctx: ctx, each: each, chosen: encodingOf(p.chosen), limits: p.limits, left: p.limits.MaxExpanded}
	if unpack := Of(format).unpack; unpack != nil {
		err = unpack(&u, data)
	}
	return u.others, err
}

type unpacker struct {
	ctx    context.Context
	each   func(File) error
	chosen *Encoding // of names; nil to guess it
	left   int64     // bytes that may still be unpacked
	limits Limits
	files  int
	others []string
}

// add passes on a file, or what is in it.
func (u *unpacker) add(name string, data []byte, depth int) error {
	if u.files++; u.files > MaxFiles {
		return domain.Errorf(domain.TooLarge, "This file holds more than %d files, which is the limit; add them in several parts.", MaxFiles)
	}
	format, known := ending(extOf(name))
	switch {
	case !known:
		u.others = append(u.others, shorten(tidyLine(name), 100))
		return nil
	case format.ID == domain.FormatArchive:
		return u.archive(data, depth+1)
	}
	return u.each(File{Name: tidyLine(name), Data: data})
}

// mail adds what is attached to a message. A damaged one has nothing attached.
func (u *unpacker) mail(data []byte) error {
	m, err := openMail(u.ctx, data, u.chosen)
	if err != nil {
		return u.ctx.Err()
	}
	for _, a := range m.attached {
		if err := u.add(a.name, a.data, 1); err != nil {
			return err
		}
	}
	return nil
}

// mailbox adds what is attached to the messages of a mailbox.
func (u *unpacker) mailbox(data []byte) error {
	for raw := range messagesOf(data) {
		if err := u.mail(raw); err != nil {
			return err
		}
	}
	return nil
}

// archive adds the files of a ZIP archive. It leaves out hidden ones.
func (u *unpacker) archive(data []byte, depth int) error {
	if depth > maxArchives {
		return domain.Errorf(domain.TooLarge, "Archives lie more than %d deep in one another here; unpack them first.", maxArchives)
	}
	if bytes.Count(data, []byte("PK\x01\x02")) > maxParts {
		return domain.Errorf(domain.TooLarge, "This archive holds more than %d files, which is the limit; add them in several parts.", MaxFiles)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if z == nil || err != nil && len(z.File) == 0 {
		return domain.Because(domain.Invalid, err, "This ZIP archive is damaged and could not be opened.")
	}
	names := zipNames(z.File, u.chosen)
	for i, f := range z.File {
		name := strings.ReplaceAll(names[i], `\`, "/")
		if f.FileInfo().IsDir() || strings.HasPrefix(path.Base(name), ".") || strings.Contains("/"+name, "/__MACOSX/") {
			continue
		}
		content, err := u.read(f, path.Base(name))
		if err != nil {
			return err
		}
		if err := u.add(path.Base(name), content, depth); err != nil {
			return err
		}
		if u.ctx.Err() != nil {
			return u.ctx.Err()
		}
	}
	return nil
}

// read returns the content of a file that may be read, nothing for any other.
func (u *unpacker) read(f *zip.File, name string) ([]byte, error) {
	if _, known := ending(extOf(name)); !known {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, domain.Errorf(domain.Invalid, "This ZIP archive is protected with a password; unpack it first.")
	}
	rd, err := f.Open()
	if err != nil {
		return nil, damagedPackage("ZIP archive", err)
	}
	limited := &budgetReader{ReadCloser: rd, kind: "ZIP archive", left: &u.left, packed: int64(f.CompressedSize64), token: -1 << 62}
	defer limited.Close()
	content, err := io.ReadAll(io.LimitReader(limited, u.limits.MaxBytes+1))
	if err != nil && !errors.Is(err, zip.ErrChecksum) {
		return nil, damagedPackage("ZIP archive", err)
	}
	if int64(len(content)) > u.limits.MaxBytes {
		return nil, domain.Errorf(domain.TooLarge, "%s in this archive is larger than %s, which is the limit.", printable(name), bytesInWords(u.limits.MaxBytes))
	}
	return content, nil
}
