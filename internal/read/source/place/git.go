package place

import (
	"bytes"
	"cmp"
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/git"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/source"
)

// Git follows the files of a branch of a Git repository, or those below a folder of it. It reads over HTTP what the newest commit
// holds, and nothing else: links, other repositories within it and what is hidden are left out.
type Git struct {
	Network *crawl.Fetcher

	mu   sync.Mutex
	seen []*commit // of the branches read last, latest first
}

// A branch is a branch of a repository, with credentials to read it.
type branch struct{ address, name, user, secret string }

// A commit is the newest known commit of a branch.
type commit struct {
	branch branch

	mu     sync.Mutex
	repo   git.Repository
	id     string
	files  []git.File
	others int
	ids    map[string]string // of the files, by their paths
}

// Traits implements source.Kind.
func (*Git) Traits() source.Traits { return source.Traits{Complete: true, Locks: true} }

// Check implements source.Kind.
func (g *Git) Check(ctx context.Context, p source.Place) (source.Place, error) {
	p.Address = strings.TrimRight(strings.TrimSpace(p.Address), "/")
	if p.Address != "" && !strings.Contains(p.Address, ":") {
		p.Address = "https://" + p.Address
	}
	u, err := crawl.Canonical(p.Address)
	if err != nil || u.RawQuery != "" || u.Path == "/" {
		return p, domain.Because(domain.Invalid, err, "%q is not the address of a repository. Write it as git clone takes it over HTTPS, without a name or a password: https://example.org/owner/repository.git.", domain.Cut(p.Address, 100))
	}
	p.Address = u.String()
	if p.Rules.Folder = strings.Trim(path.Clean("/"+p.Rules.Folder), "/"); strings.ContainsAny(p.Rules.Branch, " \t\r\n\x00:?*[\\^~") || len(p.Rules.Branch) > mostTitle {
		return p, domain.Errorf(domain.Invalid, "%q is not the name of a branch.", domain.Cut(p.Rules.Branch, 100))
	}
	if err := g.Network.Reach(ctx, u.Hostname()); err != nil || u.Scheme == "https" {
		return p, err
	}
	inner, err := g.Network.Inner(ctx, u.Hostname())
	if err == nil && !inner {
		err = domain.Errorf(domain.Invalid, "What %s sends could be changed on its way. Write https:// in place of http://.", u.Host)
	}
	return p, err
}

// What a look at a repository takes at most, and of how many places the newest commit is kept.
const (
	gitTimeout  = 5 * time.Minute
	keptCommits = 8
)

// commit returns the cached newest commit of a place, which is empty until renew has read it.
func (g *Git) commit(p source.Place) *commit {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := &commit{branch: branch{p.Address, p.Rules.Branch, cmp.Or(p.Rules.User, "git"), p.Secret}} // hosts with tokens accept any name
	if i := slices.IndexFunc(g.seen, func(known *commit) bool { return known.branch == c.branch }); i >= 0 {
		c = g.seen[i]
		g.seen = slices.Delete(g.seen, i, i+1)
	}
	g.seen = slices.Insert(g.seen, 0, c)
	g.seen = g.seen[:min(len(g.seen), keptCommits)]
	return c
}

// renew asks for the newest commit, and for its files unless they are known. c.mu is held.
func (g *Git) renew(ctx context.Context, c *commit, p source.Place) error {
	p, err := g.Check(ctx, p) // the allowed places may have changed
	if err != nil {
		return err
	}
	u, err := url.Parse(p.Address)
	if err != nil {
		return err
	}
	client := *g.Network.Client()
	client.Timeout = gitTimeout
	repo := git.Repository{Client: &client, Agent: g.Network.Agent, Address: u, User: c.branch.user, Password: c.branch.secret}
	if err := repo.Open(ctx); err != nil {
		return err
	}
	id, err := repo.Head(ctx, c.branch.name)
	if err != nil {
		return err
	}
	files, others := c.files, c.others
	if id != c.id {
		if files, others, err = repo.Files(ctx, id); err != nil {
			return err
		}
	}
	c.repo, c.id, c.files, c.others, c.ids = repo, id, files, others, make(map[string]string, len(files))
	for _, f := range files {
		c.ids[f.Path] = f.ID
	}
	return nil
}

// List implements source.Kind. The stamp of a file is the id of its content.
func (g *Git) List(ctx context.Context, p source.Place, _ string) (l source.Listing, err error) {
	c := g.commit(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := g.renew(ctx, c, p); err != nil {
		return l, err
	}
	l.LeftOut = c.others
	for _, f := range c.files {
		switch {
		case p.Rules.Folder != "" && !strings.HasPrefix(f.Path, p.Rules.Folder+"/"), strings.Contains("/"+f.Path, "/."):
		case !parse.MayRead(f.Path) || leavesOut(p, "/"+f.Path):
			l.LeftOut++
		default:
			l.Items = append(l.Items, source.Item{Name: f.Path, Stamp: f.ID})
		}
	}
	return l, nil
}

// pointer is the beginning of the placeholder of a file that Git LFS stores elsewhere.
const pointer = "version https://git-lfs.github.com/spec/"

// Open implements source.Kind.
func (g *Git) Open(ctx context.Context, p source.Place, i source.Item, stamp string) (source.Content, error) {
	repo, commit, id, err := g.find(ctx, p, i)
	if err != nil {
		return source.Content{}, err
	}
	if id == stamp {
		return source.Content{}, source.ErrSame
	}
	data, err := repo.Content(ctx, id, g.Network.MaxBytes)
	if err != nil {
		return source.Content{}, err
	}
	if bytes.HasPrefix(data, []byte(pointer)) {
		return source.Content{}, domain.Errorf(domain.Unsupported, "Git LFS keeps this file, and the repository has only a pointer to it. Add the file by hand, or store it in the repository itself.")
	}
	name := path.Join(strings.TrimSuffix(path.Base(p.Address), ".git"), i.Name)
	return source.Content{Name: name, Source: domain.SourceGit, Link: shownAt(repo.Address, commit, i.Name), Stamp: id, Body: inMemory(data)}, nil
}

// find returns the id of a file, and the commit that has it. An older commit does if it has the file as it was listed.
func (g *Git) find(ctx context.Context, p source.Place, i source.Item) (repo git.Repository, commit, id string, err error) {
	c := g.commit(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if id = c.ids[i.Name]; id == "" || id != i.Stamp {
		if err := g.renew(ctx, c, p); err != nil {
			return repo, "", "", err
		}
		if id = c.ids[i.Name]; id == "" {
			return repo, "", "", domain.Errorf(domain.NotFound, "%s is not in the repository any more.", i.Name)
		}
	}
	return c.repo, c.id, id, nil
}

// fileOf maps hosts to the path element between repository and commit in the addresses of files.
var fileOf = map[string]string{"github.com": "blob", "gitlab.com": "-/blob", "codeberg.org": "src/commit", "bitbucket.org": "src"}

// shownAt returns the address at which the host of a repository shows a file, or "" if the host is not known.
func shownAt(repo *url.URL, commit, file string) string {
	way, known := fileOf[repo.Host]
	if !known {
		return ""
	}
	return repo.Scheme + "://" + repo.Host + strings.TrimSuffix(repo.EscapedPath(), ".git") + "/" + way + "/" + commit + (&url.URL{Path: "/" + file}).EscapedPath()
}
