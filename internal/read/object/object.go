// Package object talks to storages with the Amazon S3 protocol: it builds and signs requests, and
// describes errors in the answers.
package object

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/clewhq/clew/internal/domain"
)

// A Server is a storage and the key to it.
type Server struct {
	Endpoint string // its address; "" means Amazon's in the region
	Region   string
	Key      string // "" for public objects
	Secret   string
	Session  string
}

// Content is the body of a request.
type Content struct {
	io.Reader
	Size int64
	Hash string // hexadecimal SHA-256, checked by the server
}

// nothing is the hash of an empty body, as a storage wants it named.
const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Request returns a request about an object, or a bucket if key is "", signed if there
// is a key to the storage.
func (s Server) Request(ctx context.Context, method, bucket, key string, q url.Values, body Content, headers ...string) (*http.Request, error) {
	endpoint := cmp.Or(s.Endpoint, fmt.Sprintf("https://s3.%s.amazonaws.com", s.Region))
	body.Hash = cmp.Or(body.Hash, nothing)
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(endpoint, "/"), body.Reader)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "S3_ENDPOINT is not the address of a server.")
	}
	r.ContentLength = body.Size
	if body.Size == 0 {
		r.Body = http.NoBody
	}
	path := "/" + bucket
	if key != "" {
		path += "/" + key
	}
	r.URL.Path += path
	r.URL.RawPath = httpbinding.EscapePath(r.URL.Path, false)
	r.URL.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	r.Header.Set("X-Amz-Content-Sha256", body.Hash)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if s.Key == "" {
		return r, nil
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	keys := aws.Credentials{AccessKeyID: s.Key, SecretAccessKey: s.Secret, SessionToken: s.Session}
	if err := signer.SignHTTP(ctx, keys, r, body.Hash, "s3", s.Region, time.Now()); err != nil {
		return nil, domain.Because(domain.Invalid, err, "The request to the storage can't be signed. Check S3_ACCESS_KEY and S3_SECRET_KEY.")
	}
	return r, nil
}

// A Listing is a page of the objects below a prefix.
type Listing struct {
	Contents []struct {
		Key          string
		ETag         string
		Size         int64
		LastModified time.Time
	}
	IsTruncated           bool
	NextContinuationToken string
}

// Below returns the query for a page of the objects below a prefix; token is that of
// the page to go on with.
func Below(prefix, token string) url.Values {
	q := url.Values{"list-type": {"2"}, "max-keys": {"1000"}, "prefix": {prefix}}
	if token != "" {
		q.Set("continuation-token", token)
	}
	return q
}

// maxListing is the maximum number of bytes of a page of a list.
const maxListing = 8 << 20

// ReadListing reads the answer to such a query.
func ReadListing(answer *http.Response) (l Listing, err error) {
	if err := xml.NewDecoder(io.LimitReader(answer.Body, maxListing)).Decode(&l); err != nil {
		return l, domain.Because(domain.Unavailable, err, "%s does not list its objects as an S3 storage does. Check S3_ENDPOINT.", answer.Request.URL.Host)
	}
	return l, nil
}

// Refused returns the error for an unsuccessful response about u.
func Refused(answer *http.Response, u *url.URL) error {
	if answer.StatusCode >= 200 && answer.StatusCode < 300 {
		return nil
	}
	var why struct{ Code string }
	_ = xml.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(&why) // the status is enough
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
