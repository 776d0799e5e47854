// Package git reads Git repositories over HTTP, by version 2 of Git's protocol: the folders of a
// branch's newest commit, and single files. It keeps nothing on disk and runs nothing from a
// repository: no hook, filter, submodule or program.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/clewhq/clew/internal/domain"
)

// What is read of a server at most.
const (
	mostRedirects = 5
	mostTold      = 4 << 20   // bytes of an answer that is not a pack
	mostPack      = 512 << 20 // bytes of a pack
)

// A Repository is one on a server.
type Repository struct {
	Client   *http.Client // follows no redirect
	Agent    string       // how it identifies itself
	Address  *url.URL     // without a trailing slash; after Open, the one the server redirects to
	User     string
	Password string // "" if there is none

	partial bool // the server omits files from a pack on request
}

// The service that is spoken to.
const (
	service    = "git-upload-pack"
	advertised = "application/x-" + service + "-advertisement"
	requested  = "application/x-" + service + "-request"
)

// Open asks the server what it can do, and follows it to where it has moved the repository; with a password only on the same host.
// The error is Forbidden if access is denied, NotFound if there is no repository, Invalid if what answers is none that can be read, and
// Unavailable if a later try may succeed.
func (r *Repository) Open(ctx context.Context) error {
	for range mostRedirects + 1 {
		answer, err := r.send(ctx, http.MethodGet, "/info/refs?service="+service, nil)
		if err != nil {
			return err
		}
		if to := answer.Header.Get("Location"); answer.StatusCode/100 == 3 && to != "" {
			err = r.follow(to)
			if err = errors.Join(err, answer.Body.Close()); err != nil {
				return err
			}
			continue
		}
		err = r.refused(answer)
		if err == nil && !strings.HasPrefix(answer.Header.Get("Content-Type"), advertised) {
			err = domain.Errorf(domain.Invalid, "There is no Git repository at %s. Give the address that git clone takes.", r.Address)
		}
		if err == nil {
			err = r.learn(ctx, answer.Body)
		}
		return errors.Join(err, answer.Body.Close())
	}
	return domain.Errorf(domain.Invalid, "The address redirects more than %d times.", mostRedirects)
}

// follow takes the address that a server redirects to.
func (r *Repository) follow(location string) error {
	to, err := r.Address.Parse(location)
	if err != nil {
		return domain.Because(domain.Invalid, err, "%s redirects to something that is not an address.", r.Address)
	}
	to.Path, _ = strings.CutSuffix(to.Path, "/info/refs")
	to.RawPath, to.RawQuery, to.Fragment = "", "", ""
	same := to.Scheme == r.Address.Scheme && to.Host == r.Address.Host
	if to.Scheme != "https" && !same || r.Password != "" && !same || to.User != nil {
		return domain.Errorf(domain.Invalid, "%s redirects to %s. Give that address, if it is to be trusted.", r.Address, to.Redacted())
	}
	r.Address = to
	return nil
}

// send sends a request, and returns the answer, whatever its status.
func (r *Repository) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, r.Address.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("User-Agent", r.Agent)
	q.Header.Set("Git-Protocol", "version=2")
	if body != nil {
		q.Header.Set("Content-Type", requested)
	}
	if r.Password != "" {
		q.SetBasicAuth(r.User, r.Password)
	}
	answer, err := r.Client.Do(q)
	if err != nil {
		return nil, r.unreached(ctx, err)
	}
	return answer, nil
}

// unreached explains why a server did not answer, or not to the end.
func (r *Repository) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if said, ok := errors.AsType[*domain.Error](err); ok {
		return said
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return domain.Because(domain.TooLarge, err, "%s sends more than %d MB at once, which is not read.", r.Address, large.Limit>>20)
	}
	return domain.Because(domain.Unavailable, err, "%s does not answer as a Git server. The address may be wrong, or the server busy.", r.Address.Host)
}

// refused returns the error of an answer without content.
func (r *Repository) refused(answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code == http.StatusOK:
		return nil
	case (code == http.StatusUnauthorized || code == http.StatusForbidden) && r.Password == "":
		return domain.Errorf(domain.Forbidden, "%s has no such repository, or requires signing in: give a name and a token that may read it.", r.Address.Host)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return domain.Errorf(domain.Forbidden, "%s refuses the name or the token. Give a token that may read the repository.", r.Address.Host)
	case code == http.StatusNotFound, code == http.StatusGone:
		return domain.Errorf(domain.NotFound, "There is no Git repository at %s, or the name and the token may not read it.", r.Address)
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return domain.Errorf(domain.Unavailable, "%s can't answer right now (status %d).", r.Address.Host, code)
	default:
		return domain.Errorf(domain.Invalid, "%s answers with status %d, not as a Git server.", r.Address, code)
	}
}

// learn reads what a server can do.
func (r *Repository) learn(ctx context.Context, body io.ReadCloser) error {
	l, told := lines{r: http.MaxBytesReader(nil, body, mostTold)}, []string{}
	for {
		line, err := l.next()
		if errors.Is(err, errMark) && len(told) == 0 { // after the name of the service
			continue
		}
		if errors.Is(err, errMark) {
			break
		}
		if err != nil {
			return r.unreached(ctx, err)
		}
		if !strings.HasPrefix(line, "# service=") {
			told = append(told, line)
		}
	}
	if told[0] != "version 2" {
		return domain.Errorf(domain.Invalid, "%s does not speak version 2 of Git's protocol, which is needed to follow a repository (Azure DevOps does not). Clone it to a folder below one that SOURCE_FOLDERS names, have git pull keep that up to date, and follow the folder.", r.Address.Host)
	}
	for _, line := range told {
		if features, is := strings.CutPrefix(line, "fetch="); is {
			r.partial = slices.Contains(strings.Fields(features), "filter")
		}
		if format, is := strings.CutPrefix(line, "object-format="); is && format != "sha1" {
			return domain.Errorf(domain.Invalid, "The repository at %s names its files by %s, which can't be read: only sha1 can.", r.Address, domain.Cut(format, 20))
		}
	}
	return nil
}

// ask sends a command, and returns the lines of the answer.
func (r *Repository) ask(ctx context.Context, command string, most int64, args ...string) (lines, io.Closer, error) {
	var body bytes.Buffer
	fmt.Fprintf(&body, "%04xcommand=%s\n"+delimiter, len("command=")+len(command)+5, command)
	for _, line := range args {
		fmt.Fprintf(&body, "%04x%s\n", len(line)+5, line)
	}
	body.WriteString(flush)
	answer, err := r.send(ctx, http.MethodPost, "/"+service, body.Bytes())
	if err != nil {
		return lines{}, nil, err
	}
	if err := r.refused(answer); err != nil {
		return lines{}, nil, errors.Join(err, answer.Body.Close())
	}
	return lines{r: http.MaxBytesReader(nil, answer.Body, most)}, answer.Body, nil
}

// Head returns the newest commit of a branch; for "" of the one that the repository shows first. The error is Invalid if there is none.
func (r *Repository) Head(ctx context.Context, branch string) (commit string, err error) {
	ref := "HEAD"
	if branch != "" {
		ref = "refs/heads/" + branch
	}
	l, body, err := r.ask(ctx, "ls-refs", mostTold, "ref-prefix "+ref)
	if err != nil {
		return "", err
	}
	defer body.Close()
	for {
		line, err := l.next()
		switch id, name, _ := strings.Cut(line, " "); {
		case errors.Is(err, errMark) && branch == "":
			return "", domain.Errorf(domain.Invalid, "The repository at %s is empty, or shows no branch first. Name a branch, if it has one.", r.Address)
		case errors.Is(err, errMark):
			return "", domain.Errorf(domain.Invalid, "The repository at %s has no branch %s.", r.Address, branch)
		case err != nil:
			return "", r.unreached(ctx, err)
		case name == ref && plumbing.IsHash(id):
			return id, nil
		}
	}
}

// fetch returns the objects of a pack that are of a kind, by their ids.
func (r *Repository) fetch(ctx context.Context, kept kinds, most int64, args ...string) (map[plumbing.Hash]object, error) {
	l, body, err := r.ask(ctx, "fetch", mostPack, append(args, "ofs-delta", "no-progress", "done")...)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	for line := ""; line != "packfile"; {
		if line, err = l.next(); err != nil && !errors.Is(err, errMark) {
			return nil, r.unreached(ctx, err)
		}
	}
	objects, err := unpack(ctx, &band{lines: l}, kept, most)
	if err != nil && !errors.Is(err, errTooMuch) {
		err = r.unreached(ctx, err)
	}
	return objects, err
}

// A File is one of a commit.
type File struct {
	Path string
	ID   string // of its content
}

// Files lists the files of a commit in the order of its trees, and counts the entries that it skips: links, submodules, and names that
// are not valid UTF-8. From a server that does not filter, it downloads the content of all files and discards it.
func (r *Repository) Files(ctx context.Context, commit string) (files []File, others int, err error) {
	args := []string{"want " + commit, "deepen 1"}
	if r.partial {
		args = append(args, "filter blob:none")
	}
	objects, err := r.fetch(ctx, kinds{plumbing.CommitObject, plumbing.TreeObject}, mostFolders, args...)
	if errors.Is(err, errTooMuch) {
		err = domain.Errorf(domain.TooLarge, "The repository at %s is too large: its folders have more than %d MB, or its files more than %d GB.", r.Address, mostFolders>>20, mostInflated>>30)
	}
	if err != nil {
		return nil, 0, err
	}
	said, _, _ := strings.Cut(string(objects[plumbing.NewHash(commit)].data), "\n")
	root, is := strings.CutPrefix(said, "tree ")
	if !is {
		return nil, 0, r.unreached(ctx, errPack)
	}
	w := walk{objects: objects}
	if err := w.folder(plumbing.NewHash(root), "", 0); err != nil {
		return nil, 0, r.unreached(ctx, err)
	}
	return w.files, w.others, nil
}

// Content returns the content of a file by its id. The error is TooLarge if it has more than most bytes.
func (r *Repository) Content(ctx context.Context, id string, most int64) ([]byte, error) {
	objects, err := r.fetch(ctx, kinds{plumbing.BlobObject}, most+overhead, "want "+id)
	if errors.Is(err, errTooMuch) {
		err = domain.Errorf(domain.TooLarge, "It is larger than %d MB, the limit set by MAX_UPLOAD_MB.", most/1_000_000)
	}
	if err != nil {
		return nil, err
	}
	o, is := objects[plumbing.NewHash(id)]
	if !is {
		return nil, r.unreached(ctx, errPack)
	}
	return o.data, nil
}
