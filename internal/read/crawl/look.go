package crawl

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	readable "github.com/clewhq/clew/internal/read/parse"
)

// Links holds the links of a page, and its canonical address if that is another one on the same host.
type Links struct {
	To        []*url.URL
	Canonical *url.URL
}

// Page fetches a file with the manners of a crawl, at most rate requests to its host in a second, and the links of a page.
// Errors are like those of [Fetcher.Get]; a file of a format that can't be read is refused after its first bytes.
func (s *Service) Page(ctx context.Context, address, tag string, rate float64) (f File, l Links, err error) {
	if f, err = s.politely(ctx, address, tag, rate, accepts(Address{Depth: 1})); err != nil || !isPage(f.Type) {
		return f, l, err
	}
	p, err := s.readPage(ctx, f)
	if domain.Temporary(err) || ctx.Err() != nil {
		return f, l, err
	}
	return f, Links{p.links, p.canonical}, nil // a page whose links can't be read is still a page
}

// Text fetches a file of text, such as a feed, with the manners of a crawl. It refuses none by its format.
func (s *Service) Text(ctx context.Context, address, tag string, rate float64) (File, error) {
	return s.politely(ctx, address, tag, rate, nil)
}

// Beginning fetches the first bytes of a file with the manners of a crawl, at most most. Its name is left out.
func (s *Service) Beginning(ctx context.Context, address string, most int64) (File, error) {
	u, err := Canonical(address)
	if err != nil {
		return File{}, err
	}
	if err := s.manners.enter(ctx, u, time.Second); err != nil {
		return File{}, err
	}
	return s.Fetch.beginning(ctx, u, most)
}

// Sitemap returns the addresses that a sitemap lists, and those of further sitemaps.
func (s *Service) Sitemap(ctx context.Context, address string, rate float64) (pages, sitemaps []*url.URL, err error) {
	f, err := s.politely(ctx, address, "", rate, nil)
	if err != nil {
		return nil, nil, err
	}
	return s.readSitemap(ctx, f)
}

func (s *Service) politely(ctx context.Context, address, tag string, rate float64, accept func(File) error) (File, error) {
	u, err := Canonical(address)
	if err != nil {
		return File{}, err
	}
	if err := s.manners.enter(ctx, u, time.Duration(float64(time.Second)/rate)); err != nil {
		return File{}, err
	}
	return s.Fetch.Get(ctx, u, tag, accept)
}

// CheckBucket returns the address of a storage that S3_BUCKETS names in its one form. The error is Invalid or Forbidden.
func (f *Fetcher) CheckBucket(address string) (*url.URL, error) {
	u, err := parseStored(address)
	if err == nil && !f.Storage.allows(u) {
		err = domain.Errorf(domain.Forbidden, "%s may not be read from the page. Add it to S3_BUCKETS.", u)
	}
	return u, err
}

// An Object is one of a storage.
type Object struct {
	Address string
	Tag     string
	Size    int64
}

// Objects lists the objects below an address of a storage that can be read, in pages: token is that of the page to go on with.
func (f *Fetcher) Objects(ctx context.Context, address, token string) (all []Object, next string, err error) {
	u, err := parseStored(address)
	if err != nil {
		return nil, "", err
	}
	l, err := f.list(ctx, u, token)
	for _, o := range l.Contents {
		if below(o.Key, strings.TrimPrefix(u.Path, "/")) && !unread(o.Key) && o.Size > 0 && readable.MayRead(o.Key) {
			all = append(all, Object{stored(u.Host, o.Key).String(), objectTag(o.ETag), o.Size})
		}
	}
	if l.IsTruncated {
		next = l.NextContinuationToken
	}
	return all, next, err
}

// Object fetches an object of a storage.
func (f *Fetcher) Object(ctx context.Context, address string) (File, error) {
	u, err := parseStored(address)
	if err != nil {
		return File{}, err
	}
	return f.object(ctx, u)
}

// unread reports whether a key is of a folder or hidden.
func unread(key string) bool {
	return strings.HasSuffix(key, "/") || slices.ContainsFunc(strings.Split(key, "/"), func(name string) bool { return strings.HasPrefix(name, ".") })
}
