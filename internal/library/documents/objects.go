package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/object"
)

// Objects is a FileStore in a bucket of a storage with the Amazon S3 protocol.
type Objects struct {
	server object.Server
	at     *url.URL // of the bucket and the prefix
	folder string   // for uploads in progress
	client *http.Client
}

var _ FileStore = (*Objects)(nil)

// storageTimeout is how long the storage may take to begin its answer.
const storageTimeout = time.Minute

// NewObjects returns a store below an address such as s3://bucket/prefix. Uploads pass
// through folder, which is created if necessary: only then their hash is known.
func NewObjects(server object.Server, address, folder string) (*Objects, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "s3" || at.Host == "" {
		return nil, domain.Errorf(domain.Invalid, "FILES_URL should be an address such as s3://bucket/prefix.")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, storageError(err)
	}
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: storageTimeout, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // signatures are valid for one address
	}
	return &Objects{server, at, folder, client}, nil
}

// Put implements FileStore. The storage verifies the hash of what arrives, and stores the whole object or nothing.
func (o *Objects) Put(ctx context.Context, w domain.WorkspaceID, r io.Reader, limit int64) (s Stored, err error) {
	err = withTemp(o.folder, "upload-*", func(temp *os.File) error {
		if s, err = receive(ctx, temp, r, limit); err != nil {
			return err
		}
		return o.send(context.WithoutCancel(ctx), w, s.Hash, temp, s)
	})
	if err != nil {
		return Stored{}, storageError(err)
	}
	return s, nil
}

// Keep implements FileStore.
func (o *Objects) Keep(ctx context.Context, w domain.WorkspaceID, hash string, r io.Reader) error {
	return storageError(withTemp(o.folder, "upload-*", func(temp *os.File) error {
		sum := sha256.New()
		n, err := io.Copy(io.MultiWriter(temp, sum), r)
		if err != nil {
			return err
		}
		return o.send(ctx, w, hash, temp, Stored{hex.EncodeToString(sum.Sum(nil)), n})
	}))
}

// withTemp calls work with a temporary file and removes the file.
func withTemp(folder, pattern string, work func(*os.File) error) error {
	temp, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return err
	}
	_ = os.Remove(temp.Name())   // so that a killed process leaves nothing
	defer os.Remove(temp.Name()) // for systems where an open file can't be removed
	defer temp.Close()
	return work(temp)
}

// send stores a file, whose content is as described, under a hash.
func (o *Objects) send(ctx context.Context, w domain.WorkspaceID, hash string, file *os.File, s Stored) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	answer, err := o.ask(ctx, http.MethodPut, o.key(w, hash), nil, object.Content{Reader: io.NopCloser(file), Size: s.Size, Hash: s.Hash})
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// key returns the name of a file in the bucket. A name that is safe there is made of the
// id of the workspace, as in a folder.
func (o *Objects) key(w domain.WorkspaceID, hash string) string {
	prefix := strings.Trim(o.at.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return prefix + hex.EncodeToString([]byte(w)) + "/" + hash
}

// ask sends a request. The error is NotFound for a file that is not there.
func (o *Objects) ask(ctx context.Context, method, key string, q url.Values, body object.Content, headers ...string) (*http.Response, error) {
	r, err := o.server.Request(ctx, method, o.at.Host, key, q, body, headers...)
	if err != nil {
		return nil, err
	}
	answer, err := o.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, domain.Because(domain.Unavailable, err, "The storage of the uploaded files (%s) does not answer. Check FILES_URL and S3_ENDPOINT.", o.at)
	}
	err = object.Refused(answer, o.at)
	switch {
	case err == nil:
		return answer, nil
	case answer.StatusCode == http.StatusInsufficientStorage:
		err = domain.Because(domain.Exhausted, err, "The storage of the uploaded files is full. Free some space and try again.")
	case domain.KindOf(err) == domain.Forbidden: // the server's, not the person's
		err = domain.Because(domain.Unavailable, err, "%s", domain.InWords(err))
	case domain.KindOf(err) == domain.NotFound && q == nil && method != http.MethodPut:
		err = gone(err)
	case domain.KindOf(err) == domain.NotFound:
		err = domain.Because(domain.Invalid, err, "There is no bucket %s for the uploaded files. Create it, or name another in FILES_URL.", o.at.Host)
	}
	return nil, errors.Join(err, answer.Body.Close())
}

// Read implements FileStore.
func (o *Objects) Read(ctx context.Context, w domain.WorkspaceID, hash string) ([]byte, error) {
	answer, err := o.ask(ctx, http.MethodGet, o.key(w, hash), nil, object.Content{})
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(answer.Body)
	return b, errors.Join(err, answer.Body.Close())
}

// Open implements FileStore.
func (o *Objects) Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error) {
	answer, err := o.ask(ctx, http.MethodHead, o.key(w, hash), nil, object.Content{})
	if err != nil {
		return nil, 0, err
	}
	if err := answer.Body.Close(); err != nil {
		return nil, 0, err
	}
	return &objectReader{ctx: ctx, objects: o, key: o.key(w, hash), size: answer.ContentLength}, answer.ContentLength, nil
}

// Remove implements FileStore.
func (o *Objects) Remove(ctx context.Context, w domain.WorkspaceID, hash string) error {
	return o.remove(ctx, o.key(w, hash))
}

func (o *Objects) remove(ctx context.Context, key string) error {
	answer, err := o.ask(ctx, http.MethodDelete, key, nil, object.Content{})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove an uploaded file: %w", err)
	}
	return answer.Body.Close()
}

// Clear implements FileStore.
func (o *Objects) Clear(ctx context.Context, w domain.WorkspaceID) error {
	for {
		page, err := o.list(ctx, o.key(w, ""), "")
		if err != nil || len(page.Contents) == 0 {
			return err
		}
		for _, c := range page.Contents {
			if err := o.remove(ctx, c.Key); err != nil {
				return err
			}
		}
	}
}

// Each implements FileStore.
func (o *Objects) Each(ctx context.Context, w domain.WorkspaceID, do func(hash string, stored time.Time) error) error {
	prefix := o.key(w, "")
	for token := ""; ; {
		page, err := o.list(ctx, prefix, token)
		if err != nil {
			return err
		}
		for _, c := range page.Contents {
			if err := do(strings.TrimPrefix(c.Key, prefix), c.LastModified); err != nil {
				return err
			}
		}
		if token = page.NextContinuationToken; !page.IsTruncated || token == "" {
			return nil
		}
	}
}

func (o *Objects) list(ctx context.Context, prefix, token string) (object.Listing, error) {
	answer, err := o.ask(ctx, http.MethodGet, "", object.Below(prefix, token), object.Content{})
	if err != nil {
		return object.Listing{}, err
	}
	defer answer.Body.Close()
	return object.ReadListing(answer)
}

// Answers returns why the storage can't be used, nil if it can.
func (o *Objects) Answers(ctx context.Context, w domain.WorkspaceID) error {
	_, err := o.list(ctx, o.key(w, ""), "")
	return err
}

// objectReader reads an object from wherever it was sought.
type objectReader struct {
	ctx      context.Context //nolint:containedctx // that of Open
	objects  *Objects
	key      string
	at, size int64
	body     io.ReadCloser // from at; nil until it is read
}

// Read implements io.Reader.
func (r *objectReader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.body == nil {
		answer, err := r.objects.ask(r.ctx, http.MethodGet, r.key, nil, object.Content{}, "Range", fmt.Sprintf("bytes=%d-", r.at)) //nolint:bodyclose // Close does
		if err != nil {
			return 0, err
		}
		r.body = answer.Body
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	if errors.Is(err, io.EOF) {
		if err = nil; r.at < r.size {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// Seek implements io.Seeker.
func (r *objectReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	if offset == r.at {
		return offset, nil
	}
	r.at = offset
	return offset, r.Close()
}

// Close implements io.Closer.
func (r *objectReader) Close() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.body = nil
	return err
}
