package main

import (
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/read/source/place"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// openSources opens what follows sources, after what fetches from the web.
func (a *app) openSources(codec state.Codec) (err error) {
	roots := strings.FieldsFunc(a.cfg.SourceFolders, func(r rune) bool { return r == ',' })
	for i, root := range roots {
		if roots[i] = filepath.Clean(strings.TrimSpace(root)); !filepath.IsAbs(roots[i]) {
			return domain.Errorf(domain.Invalid, "SOURCE_FOLDERS holds %q, but should list whole paths of folders, such as /srv/scans, separated by commas.", root)
		}
	}
	a.sources, err = source.New(source.Params{
		Ledger: a.ledger, Documents: a.documents, Schemas: a.schemas, Queue: a.queue, Vault: a.vault(), Threads: a.threads, Codec: codec, IDs: a.env.ids(), Now: a.env.now,
		Log: a.log, MaxBytes: a.cfg.MaxUpload(),
		Kinds: map[string]source.Kind{
			source.OfFolder: place.Folder{Roots: roots}, source.OfSite: place.Site{Web: a.crawl}, source.OfFeed: place.Feed{Web: a.crawl}, source.OfBucket: place.Bucket{Storage: a.crawl.Fetch}, source.OfMail: place.Mail{Network: a.crawl.Fetch},
			source.OfGit: &place.Git{Network: a.crawl.Fetch},
		},
	})
	return err
}
