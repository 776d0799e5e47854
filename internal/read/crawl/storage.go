package crawl

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/clewhq/clew/internal/domain"
	readable "github.com/clewhq/clew/internal/read/parse"
)

// Storage is a server with the Amazon S3 protocol, and what may be read from it.
type Storage struct {
	Endpoint string // its address; that of Amazon in the region if empty
	Region   string
	Key      string // "" for what is public
	Secret   string
	Session  string
	Buckets  []string // that are read by order of the page, or prefixes in them
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
	if u.Path == "" {
		u.Path = "/"
	}
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

// listing is an answer of a storage that lists objects.
type listing struct {
	Contents []struct {
		Key  string
		ETag string
		Size int64
	}
	IsTruncated           bool
	NextContinuationToken string
}

// list lists the objects below a prefix, in pages: token is that of the one to go on with.
func (f *Fetcher) list(ctx context.Context, u *url.URL, token string) (l listing, err error) {
	q := url.Values{"list-type": {"2"}, "max-keys": {"1000"}, "prefix": {strings.TrimPrefix(u.Path, "/")}}
	if token != "" {
		q.Set("continuation-token", token)
	}
	answer, err := f.ask(ctx, u, "", q)
	if err != nil {
		return l, err
	}
	defer answer.Body.Close()
	if err := xml.NewDecoder(io.LimitReader(answer.Body, maxListing)).Decode(&l); err != nil {
		return l, domain.Because(domain.Unavailable, err, "%s does not list its objects as an S3 storage does. Check S3_ENDPOINT.", answer.Request.URL.Host)
	}
	return l, nil
}

// maxListing is the maximum number of bytes of a page of a list.
const maxListing = 8 << 20

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

// noBody is the hash of an empty body, as a storage wants it named.
const noBody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// ask sends a request to the storage, signed if there is a key. It returns an error for an unsuccessful response.
func (f *Fetcher) ask(ctx context.Context, u *url.URL, key string, q url.Values) (*http.Response, error) {
	s := f.Storage
	endpoint := s.Endpoint
	if endpoint == "" {
		endpoint = fmt.Sprintf("https://s3.%s.amazonaws.com", s.Region)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(endpoint, "/"), nil)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "S3_ENDPOINT is not the address of a server.")
	}
	path := "/" + u.Host
	if key != "" {
		path += "/" + key
	}
	r.URL.Path += path
	r.URL.RawPath = httpbinding.EscapePath(r.URL.Path, false)
	r.URL.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	r.Header.Set("User-Agent", f.Agent)
	r.Header.Set("X-Amz-Content-Sha256", noBody)
	if s.Key != "" {
		signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
		keys := aws.Credentials{AccessKeyID: s.Key, SecretAccessKey: s.Secret, SessionToken: s.Session}
		if err := signer.SignHTTP(ctx, keys, r, noBody, "s3", s.Region, time.Now()); err != nil {
			return nil, domain.Because(domain.Invalid, err, "The request to the storage can't be signed. Check S3_ACCESS_KEY and S3_SECRET_KEY.")
		}
	}
	answer, err := f.still.Do(r)
	if err != nil {
		return nil, unreached(ctx, r.URL, err)
	}
	if err := refusedByStorage(answer, u); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return answer, nil
}

// refusedByStorage returns the error for an unsuccessful response.
func refusedByStorage(answer *http.Response, u *url.URL) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	var why struct{ Code string }
	_ = xml.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(&why) // the status says enough
	if len(why.Code) > 60 {
		why.Code = ""
	}
	switch code := answer.StatusCode; {
	case code == http.StatusNotFound:
		return domain.Errorf(domain.NotFound, "There is nothing at %s.", u)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return domain.Errorf(domain.Forbidden, "The storage denies access to %s (%s). Check S3_ACCESS_KEY, S3_SECRET_KEY and what they may read.", u, why.Code)
	case code >= 300 && code < 400, why.Code == "AuthorizationHeaderMalformed":
		return domain.Errorf(domain.Invalid, "The bucket %s is in another region or on another server. Check S3_REGION and S3_ENDPOINT.", u.Host)
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return domain.Errorf(domain.Unavailable, "The storage can't answer right now (status %d).", code)
	default:
		return domain.Errorf(domain.Invalid, "The storage answers with status %d (%s) for %s.", code, why.Code, u)
	}
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
func (s *Service) listed(st State, u *url.URL, l listing, r *Result) {
	prefix, others := strings.TrimPrefix(u.Path, "/"), []string{}
	for _, o := range l.Contents {
		hidden := slices.ContainsFunc(strings.Split(o.Key, "/"), func(name string) bool { return strings.HasPrefix(name, ".") })
		switch {
		case !below(o.Key, prefix) || strings.HasSuffix(o.Key, "/") || hidden || o.Size == 0:
		case !readable.MayRead(o.Key), o.Size > s.Fetch.MaxBytes:
			others = append(others, o.Key)
		default:
			r.found = append(r.found, Address{URL: stored(u.Host, o.Key).String(), Token: objectTag(o.ETag)})
		}
	}
	if l.IsTruncated && l.NextContinuationToken != "" {
		more := *u
		more.Fragment = fmt.Sprint(st.Next + len(st.Found)) // so that it is another address
		r.found = append(r.found, Address{URL: more.String(), Sitemap: true, Token: l.NextContinuationToken})
	}
	if len(others) > 0 {
		r.Note = fmt.Sprintf("%s left out, too large or of a format that can't be read: %s.",
			domain.Counted(len(others), "object was", "objects were"), strings.Join(others[:min(len(others), 10)], ", "))
	}
}
