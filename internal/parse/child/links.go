package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
)

// The files whose links a request asks for.
const (
	ofPage    = "page"
	ofSitemap = "sitemap"
)

// LinksOfPage returns the links in a web page. Errors are like those of Parse.
func (p *Pool) LinksOfPage(ctx context.Context, page io.Reader, size int64) (parse.Links, error) {
	return p.links(ctx, ofPage, page, size)
}

// LinksOfSitemap returns the addresses in a sitemap. Errors are like those of Parse.
func (p *Pool) LinksOfSitemap(ctx context.Context, sitemap io.Reader, size int64) (parse.Links, error) {
	return p.links(ctx, ofSitemap, sitemap, size)
}

func (p *Pool) links(ctx context.Context, of string, file io.Reader, size int64) (l parse.Links, err error) {
	if size > p.Limits.MaxBytes {
		return l, domain.Errorf(domain.TooLarge, "This file has %d bytes and the limit is %d. MAX_UPLOAD_MB changes it.", size, p.Limits.MaxBytes)
	}
	source := &source{r: io.LimitReader(file, size)}
	err = p.call(ctx, func() error { return nil }, func(w io.Writer) error {
		if err := writeJSON(w, request{Links: of, Size: size}); err != nil {
			return err
		}
		n, err := io.Copy(w, source)
		if err == nil && n < size {
			source.err = fmt.Errorf("the file ends after %d of %d bytes", n, size)
		}
		return errors.Join(err, source.err)
	}, func(r io.Reader, _ answer, _ *time.Timer) error {
		head, err := readLines(r)
		if err == nil && len(head) != 2 {
			err = malformed("%d addresses of a page itself", len(head))
		}
		if err != nil {
			return err
		}
		l.Base, l.Canonical = head[0], head[1]
		if l.Pages, err = readLines(r); err != nil {
			return err
		}
		l.Sitemaps, err = readLines(r)
		return err
	})
	if source.err != nil { // the child is not to blame
		return l, fmt.Errorf("read a file: %w", source.err)
	}
	return l, err
}

// links answers with the links in a file.
func (d desk) links(q request) error {
	data := make([]byte, q.Size)
	if _, err := io.ReadFull(d.r, data); err != nil {
		return err
	}
	var l parse.Links
	var refusal error
	if q.Links == ofSitemap {
		l, refusal = parse.LinksOfSitemap(data)
	} else {
		l = parse.LinksOfPage(data)
	}
	if err := writeJSON(d.w, answer{Failed: failureOf(refusal)}); err != nil || refusal != nil {
		return err
	}
	for _, list := range [][]string{{l.Base, l.Canonical}, l.Pages, l.Sitemaps} {
		if err := writeLines(d.w, list); err != nil {
			return err
		}
	}
	return nil
}

// writeLines writes texts without line feeds, each ended by one.
func writeLines(w io.Writer, list []string) error {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	return writeFrame(w, []byte(b.String()))
}

// readLines reads what writeLines wrote of links.
func readLines(r io.Reader) ([]string, error) {
	b, err := readFrame(r, parse.MaxLinkBytes+parse.MaxLinks)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	lines := strings.SplitN(strings.TrimSuffix(string(b), "\n"), "\n", parse.MaxLinks+1)
	if len(lines) > parse.MaxLinks {
		return nil, malformed("more than %d links", parse.MaxLinks)
	}
	return lines, nil
}
