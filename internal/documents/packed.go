package documents

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
)

// A Result is the outcome of adding a file, or a file within one.
type Result struct {
	Name string
	Added
	Err error // why it was refused
}

// AddFile adds a file as AddBy does, together with what is in it: instead of an archive each of its files, and beside mail
// what is attached to it. A very long text is added in parts. There is a result for each of them.
func (s *Service) AddFile(ctx context.Context, w domain.WorkspaceID, name string, by How, r io.Reader) []Result {
	safe, stored, err := s.receive(ctx, w, name, by.Source, r)
	if err != nil {
		return []Result{{Name: name, Err: err}}
	}
	var results []Result
	format, err := parse.Detect(safe, stored.Head)
	if err == nil && s.inParts(format, stored.Size, by) {
		return s.addParts(context.WithoutCancel(ctx), w, safe, by, stored)
	}
	if err != nil || format != domain.FormatArchive {
		added, err := s.addStored(ctx, w, safe, by, stored)
		results = []Result{{Name: safe, Added: added, Err: err}}
		if err != nil || !parse.Of(format).Packs {
			return results
		}
	}
	ctx = context.WithoutCancel(ctx)
	within := by
	within.Source, within.Index = domain.SourceArchive, 0
	within.Named, within.Of = Apart, "" // folders within may have files of one name
	if format != domain.FormatArchive {
		within.Source = domain.SourceMail
	}
	others, err := s.unpack(ctx, w, format, by.Chunking, stored, func(inner string, r io.Reader) error {
		within.Index++
		added, err := s.AddBy(ctx, w, inner, within, r)
		results = append(results, Result{Name: inner, Added: added, Err: err})
		return nil
	})
	if format != domain.FormatArchive {
		others = nil // the text of a mail names what is attached
	} else {
		s.dropFile(ctx, w, stored.Hash)
	}
	return append(results, s.leftOver(safe, len(results), others, err)...)
}

// unpack calls each for the files within a stored file.
func (s *Service) unpack(ctx context.Context, w domain.WorkspaceID, format domain.Format, how domain.Chunking, stored Stored, each func(name string, r io.Reader) error) ([]string, error) {
	file, size, err := s.Files.Open(ctx, w, stored.Hash)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return s.Parser.Unpack(ctx, format, how, file, size, each)
}

// leftOver says what was not added of the files within a file, of which some were.
func (s *Service) leftOver(name string, some int, others []string, err error) (left []Result) {
	if err != nil {
		left = append(left, Result{Name: name, Err: err})
	}
	if n := len(others); n > 0 {
		files := fmt.Sprintf("%s in %s", domain.Counted(n, "file", "files"), name)
		why := domain.Errorf(domain.Unsupported, "Their kind cannot be read: %s.", strings.Join(others[:min(n, 10)], ", "))
		left = append(left, Result{Name: files, Err: why})
	}
	if some+len(left) == 0 {
		left = append(left, Result{Name: name, Err: domain.Errorf(domain.Invalid, "%s holds no file.", name)})
	}
	return left
}
