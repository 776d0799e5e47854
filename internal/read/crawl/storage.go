package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/object"
	readable "github.com/clewhq/clew/internal/read/parse"
)

// Storage is a server with the Amazon S3 protocol, and what may be read from it.
type Storage struct {
	object.Server
	Buckets []string // buckets, or prefixes in them, that may be read through the page
}

// isStored reports whether an address is one of a storage.
func isStored(address string) bool { return strings.HasPrefix(address, storedScheme) }

const storedScheme = "s3://"

// stored returns the address of an object, or of all below a prefix.
func stored(bucket, key string) *url.URL {
	return &url.URL{Scheme: "s3", Host: bucket, Path: "/" + key}
}

// Stored reports whether a file is an object of a storage.
func (f File) Stored() bool { return f.Address.Scheme == "s3" }

// parseStored returns an address of a storage.
func parseStored(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "s3" || u.Host == "" || strings.ContainsAny(u.Host, ":/@") || u.User != nil || u.RawQuery != "" {
		return nil, domain.Because(domain.Invalid, err, "%q is not the address of a storage. Write s3://bucket/prefix.", domain.Cut(s, 100))
	}
	if len(s) > maxAddress {
		return nil, domain.Errorf(domain.Invalid, "The address has more than %d characters.", maxAddress)
	}
	u.Fragment, u.RawFragment = "", ""
	u.Path = cmp.Or(u.Path, "/")
	return u, nil
}

// allows reports whether an address may be read by order of the page.
func (s Storage) allows(u *url.URL) bool {
	return slices.ContainsFunc(s.Buckets, func(b string) bool { return below(u.Host+u.Path, strings.TrimSuffix(b, "/")) })
}

// below reports whether a path is a folder or lies within it.
func below(path, folder string) bool {
	return folder == "" || strings.HasSuffix(folder, "/") && strings.HasPrefix(path, folder) || path == folder || strings.HasPrefix(path, folder+"/")
}

// list lists the objects below a prefix, in pages: token is that of the one to go on with.
func (f *Fetcher) list(ctx context.Context, u *url.URL, token string) (l object.Listing, err error) {
	answer, err := f.ask(ctx, u, "", object.Below(strings.TrimPrefix(u.Path, "/"), token))
	if err != nil {
		return l, err
	}
	defer answer.Body.Close()
	return object.ReadListing(answer)
}

// object fetches an object.
func (f *Fetcher) object(ctx context.Context, u *url.URL) (File, error) {
	answer, err := f.ask(ctx, u, strings.TrimPrefix(u.Path, "/"), nil)
	if err != nil {
		return File{}, err
	}
	defer answer.Body.Close()
	file := File{Address: u, Name: u.Host + u.Path, Tag: objectTag(answer.Header.Get("ETag"))}
	body, head, err := f.begin(answer, u)
	if err == nil && len(head) > 0 {
		_, err = readable.Detect(file.Name, head)
	}
	if err != nil {
		return File{}, err
	}
	file.Data, err = f.read(ctx, body, u)
	return file, err
}

// objectTag returns the tag of the version that a storage names.
func objectTag(etag string) string {
	if etag = strings.Trim(etag, `"`); etag == "" || len(etag) > 200 {
		return ""
	}
	return byTag + " " + etag
}

// ask sends a request to the storage. It returns an error for an unsuccessful response.
func (f *Fetcher) ask(ctx context.Context, u *url.URL, key string, q url.Values) (*http.Response, error) {
	r, err := f.Storage.Request(ctx, http.MethodGet, u.Host, key, q, object.Content{}, "User-Agent", f.Agent)
	if err != nil {
		return nil, err
	}
	answer, err := f.still.Do(r)
	if err != nil {
		return nil, unreached(ctx, r.URL, err)
	}
	if err := object.Refused(answer, u); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return answer, nil
}

// visitStored lists objects, or adds one that is not known in the version that the
// storage lists.
func (s *Service) visitStored(ctx context.Context, st State, a Address, r Result) (Result, error) {
	u, err := parseStored(a.URL)
	if err != nil {
		return r, err
	}
	r.Address = u.String()
	if a.Sitemap {
		l, err := s.Fetch.list(ctx, u, a.Token)
		if err != nil {
			r.Err = err
			return r, ctx.Err()
		}
		s.listed(st, u, l, &r)
		return r, nil
	}
	if a.Known {
		return s.stillStored(ctx, st, u, r)
	}
	tag, err := s.Library.TagOf(ctx, st.Workspace, a.URL)
	if err != nil {
		return r, err
	}
	if tag != "" && tag == a.Token {
		r.Existing, r.Name = true, u.Host+u.Path
		return r, s.Library.NoteThere(ctx, st.Workspace, a.URL)
	}
	f, err := s.Fetch.object(ctx, u)
	if domain.KindOf(err) == domain.NotFound {
		return s.gone(ctx, st, r, err)
	}
	if err != nil {
		r.Err = err
		return r, ctx.Err()
	}
	r.Name = f.Name
	r.Documents, r.Existing, err = s.Library.AddFound(ctx, st.Workspace, st.Order, a.URL, f)
	if domain.Temporary(err) || ctx.Err() != nil {
		return r, err
	}
	r.Err = err
	return r, nil
}

// stillStored looks whether an object is still there that the list lacks.
func (s *Service) stillStored(ctx context.Context, st State, u *url.URL, r Result) (Result, error) {
	answer, err := s.Fetch.ask(ctx, u, strings.TrimPrefix(u.Path, "/"), nil)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return s.gone(ctx, st, r, err)
	case err != nil:
		r.Err = err
		return r, ctx.Err()
	}
	return r, errors.Join(answer.Body.Close(), s.Library.NoteThere(ctx, st.Workspace, r.Address))
}

// listed records the objects of a list that can be read, and of the others why not.
func (s *Service) listed(st State, u *url.URL, l object.Listing, r *Result) {
	prefix, others := strings.TrimPrefix(u.Path, "/"), []string{}
	for _, o := range l.Contents {
		switch {
		case !below(o.Key, prefix) || unread(o.Key) || o.Size == 0:
		case !readable.MayRead(o.Key), o.Size > s.Fetch.MaxBytes:
			others = append(others, o.Key)
		default:
			r.found = append(r.found, Address{URL: stored(u.Host, o.Key).String(), Token: objectTag(o.ETag)})
		}
	}
	if l.IsTruncated && l.NextContinuationToken != "" {
		more := *u
		more.Fragment = fmt.Sprint(st.Next + len(st.Found)) // so that it is a different address
		r.found = append(r.found, Address{URL: more.String(), Sitemap: true, Token: l.NextContinuationToken})
	}
	if len(others) > 0 {
		r.Note = fmt.Sprintf("%s left out, too large or of a format that can't be read: %s.",
			domain.Counted(len(others), "object was", "objects were"), strings.Join(others[:min(len(others), 10)], ", "))
	}
}
