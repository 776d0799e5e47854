package place

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/testkit/gitserver"
)

// TestARepositoryGivesNoMoreThanItsFiles lists a repository with links, another repository, hooks, hidden files and pointers to files that are
// kept elsewhere.
func TestARepositoryGivesNoMoreThanItsFiles(t *testing.T) {
	t.Parallel()
	s := gitserver.New(t, true)
	noError(t, os.Symlink("/etc/passwd", filepath.Join(s.Work(), "passwd.txt")))
	noError(t, os.WriteFile(filepath.Join(s.Work(), ".gitattributes"), []byte("*.txt filter=lfs\n"), 0o600))
	s.Put("a.txt", "Maud Ferring cast the bell.")
	s.Put(".github/hidden.txt", "hidden")
	s.Put("picture.xyz", "what nothing reads")
	s.Put("large.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
	s.Git("update-index", "--add", "--cacheinfo", "160000,"+s.Git("rev-parse", "HEAD")+",other.txt")
	s.Git("commit", "--quiet", "--message", "Another repository")
	g, p := &Git{Network: localNetwork()}, source.Place{Address: s.Address + "/"}
	p, err := g.Check(t.Context(), p)
	noError(t, err)
	l, err := g.List(t.Context(), p, "")
	if err != nil || len(l.Items) != 2 || l.LeftOut != 3 {
		t.Fatalf("listed %+v, %v", l, err)
	}
	if c, err := g.Open(t.Context(), p, l.Items[0], ""); err != nil || c.Name != "box/a.txt" || c.Source != domain.SourceGit || c.Link != "" {
		t.Errorf("opened %+v, %v", c, err)
	}
	if _, err := g.Open(t.Context(), p, l.Items[1], ""); domain.KindOf(err) != domain.Unsupported || !strings.Contains(err.Error(), "Git LFS") {
		t.Errorf("a pointer opens with %v", err)
	}
	if _, err := g.Open(t.Context(), p, l.Items[0], l.Items[0].Stamp); !errors.Is(err, source.ErrSame) {
		t.Errorf("open an unchanged file: %v", err)
	}
	s.Sent()
	if again, err := g.List(t.Context(), p, ""); err != nil || len(again.Items) != 2 {
		t.Errorf("listed again %+v, %v", again, err)
	}
	if commands, _ := s.Sent(); commands != 1 {
		t.Errorf("a commit that is known takes %d commands, want 1", commands)
	}
}

// TestRepositoriesThatAreRefused refuses addresses that give a password away, or lead into a network that is not to be called.
func TestRepositoriesThatAreRefused(t *testing.T) {
	t.Parallel()
	g := &Git{Network: localNetwork()}
	for address, kind := range map[string]domain.Kind{
		"git@github.com:owner/repository.git": domain.Invalid, "ssh://git@example.org/a.git": domain.Invalid, "/srv/git/a.git": domain.Invalid, "file:///srv/git/a.git": domain.Invalid,
		"https://maud:bells@93.184.216.34/a.git": domain.Invalid, "http://93.184.216.34/a.git": domain.Invalid, "https://10.0.0.1/a.git": domain.Forbidden, "http://169.254.169.254/a.git": domain.Forbidden,
		"https://93.184.216.34": domain.Invalid, "https://93.184.216.34/a.git?x=1": domain.Invalid, "": domain.Invalid,
	} {
		if _, err := g.Check(t.Context(), source.Place{Address: address}); domain.KindOf(err) != kind {
			t.Errorf("%s: %v, want kind %v", address, err, kind)
		}
	}
	if _, err := g.Check(t.Context(), source.Place{Address: "https://93.184.216.34/a.git", Rules: ledger.SourceRules{Branch: "a b"}}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a branch that has no such name: %v", err)
	}
	s := gitserver.New(t, true)
	s.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "https://10.0.0.1"+r.URL.RequestURI(), http.StatusFound)
		return true
	}
	if _, err := g.List(t.Context(), source.Place{Address: s.Address}, ""); domain.KindOf(err) != domain.Forbidden || !strings.Contains(err.Error(), "public internet") {
		t.Errorf("redirected to an inner network: %v", err)
	}
	if _, err := g.List(t.Context(), source.Place{Address: s.Address, Secret: "bells"}, ""); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "redirects to") {
		t.Errorf("redirected with a token: %v", err)
	}
	strict := &Git{Network: crawl.NewFetcher(crawl.Options{})}
	if _, err := strict.List(t.Context(), source.Place{Address: "http://127.0.0.1:9/a.git"}, ""); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("what was allowed once: %v", err)
	}
}

// TestFilesAreShownByTheirHosts links files to the pages of known hosts.
func TestFilesAreShownByTheirHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/trust/handbook.git":   "https://github.com/trust/handbook/blob/c0ffee/docs/a%20b.md",
		"https://gitlab.com/trust/deep/handbook":  "https://gitlab.com/trust/deep/handbook/-/blob/c0ffee/docs/a%20b.md",
		"https://codeberg.org/trust/handbook.git": "https://codeberg.org/trust/handbook/src/commit/c0ffee/docs/a%20b.md",
		"https://git.example.org/handbook.git":    "",
	} {
		u, err := crawl.Canonical(address)
		noError(t, err)
		if got := shownAt(u, "c0ffee", "docs/a b.md"); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
