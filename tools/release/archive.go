package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// An entry is a file in an archive: its name there, where it is, and its mode.
type entry struct {
	name, from string
	mode       fs.FileMode
}

// writeTar writes a compressed tar file in which nothing tells of the machine.
func writeTar(to string, files []entry, at time.Time) error {
	return create(to, func(f io.Writer) error {
		packed, err := gzip.NewWriterLevel(f, gzip.BestCompression)
		if err != nil {
			return err
		}
		w := tar.NewWriter(packed)
		for _, e := range files {
			info, err := os.Stat(e.from)
			if err != nil {
				return err
			}
			head := &tar.Header{Name: e.name, Size: info.Size(), Mode: int64(e.mode), ModTime: at, Format: tar.FormatUSTAR}
			if err := w.WriteHeader(head); err != nil {
				return err
			}
			if err := copyFile(w, e.from); err != nil {
				return err
			}
		}
		return errors.Join(w.Close(), packed.Close())
	})
}

// writeZip writes a zip file in which nothing tells of the machine.
func writeZip(to string, files []entry, at time.Time) error {
	return create(to, func(f io.Writer) error {
		w := zip.NewWriter(f)
		w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(out, flate.BestCompression)
		})
		for _, e := range files {
			head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
			head.SetMode(e.mode)
			part, err := w.CreateHeader(head)
			if err != nil {
				return err
			}
			if err := copyFile(part, e.from); err != nil {
				return err
			}
		}
		return w.Close()
	})
}

func create(to string, write func(io.Writer) error) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func copyFile(w io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
