package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/object"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/read/source/place"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/webhooks"
)

// openCrawl opens what fetches documents from the web.
func (a *app) openCrawl(codec state.Codec) (err error) {
	allowed, unread := crawl.ParseAllowed(a.cfg.WebAllow)
	if unread != "" {
		return domain.Errorf(domain.Invalid, "WEB_ALLOW holds %q, which is not a host, address or network. Separate them by commas, for instance wiki.lan, 10.0.0.0/8.", unread)
	}
	fetch := crawl.NewFetcher(crawl.Options{Agent: agent(a.cfg.WebContact), MaxBytes: a.cfg.MaxUpload(), Allowed: allowed, Storage: a.storage()})
	a.webhooks = webhooks.New(webhooks.Params{
		Ledger: a.ledger, Costs: a.costs, Network: fetch, Random: a.env.random, Now: a.env.now, Log: a.log, Agent: agent(a.cfg.WebContact),
	})
	a.crawl, err = crawl.New(crawl.Params{
		Fetch: fetch,
		Links: a.children, Library: webLibrary{a}, Queue: a.queue, Threads: a.threads, Codec: codec, IDs: a.env.ids(), Now: a.env.now, MaxWaiting: a.cfg.WaitingDocuments,
	})
	return err
}

// storage returns the settings of the storage.
func (a *app) storage() crawl.Storage {
	buckets := strings.FieldsFunc(a.cfg.S3.Buckets, func(r rune) bool { return r == ',' || r == ' ' })
	return crawl.Storage{Server: storageOf(a.cfg), Buckets: buckets}
}

func storageOf(cfg config.Config) object.Server {
	s := cfg.S3
	return object.Server{Endpoint: s.Endpoint, Region: s.Region, Key: s.Key, Secret: s.Secret, Session: s.Session}
}

// agent returns what the program calls itself to servers on the web.
func agent(contact string) string {
	name := crawl.Token + "/" + version
	if contact != "" {
		name += " (+" + contact + ")"
	}
	return name
}

// webLibrary adds what is fetched from the web.
type webLibrary struct{ *app }

// AddFound implements crawl.Library. A file that has changed is the next version of
// the document that was fetched from its address before.
func (l webLibrary) AddFound(ctx context.Context, w domain.WorkspaceID, o crawl.Order, link string, f crawl.File) (docs []crawl.Document, existing bool, err error) {
	before, err := l.fetchedFrom(ctx, w, link)
	if err != nil {
		return nil, false, err
	}
	how := documents.How{Schema: o.Schema, Chunking: o.Chunking, Hold: o.Hold, Limited: o.Limited, Readers: o.Readers, Source: domain.SourceWeb, Link: link, LinkTag: f.Tag, Of: before.ID}
	if f.Stored() {
		how.Source = domain.SourceStorage
	}
	if !before.GoneAt.IsZero() {
		if err := l.NoteThere(ctx, w, link); err != nil {
			return nil, false, err
		}
	}
	existing = true
	for _, r := range l.documents.Add(ctx, w, f.Name, how, bytes.NewReader(f.Data)) {
		if r.Err != nil {
			err = r.Err
			continue
		}
		docs, existing = append(docs, crawl.Document{ID: r.Document.Becomes(), Run: r.Document.Run}), existing && r.Existing
	}
	if len(docs) > 0 {
		err = nil
	}
	return docs, existing, err
}

// TagOf implements crawl.Library.
func (l webLibrary) TagOf(ctx context.Context, w domain.WorkspaceID, link string) (string, error) {
	d, err := l.fetchedFrom(ctx, w, link)
	return d.LinkTag, err
}

// LinksBelow implements crawl.Library.
func (l webLibrary) LinksBelow(ctx context.Context, w domain.WorkspaceID, beginning string) ([]string, error) {
	return l.ledger.LinksBelow(ctx, w, beginning)
}

// NoteGone implements crawl.Library.
func (l webLibrary) NoteGone(ctx context.Context, w domain.WorkspaceID, link string) ([]string, error) {
	return l.ledger.NoteGone(ctx, w, link, true)
}

// NoteThere implements crawl.Library.
func (l webLibrary) NoteThere(ctx context.Context, w domain.WorkspaceID, link string) error {
	_, err := l.ledger.NoteGone(ctx, w, link, false)
	return err
}

// fetchedFrom returns the document that was fetched from an address, or the zero one if there is none.
func (l webLibrary) fetchedFrom(ctx context.Context, w domain.WorkspaceID, link string) (d domain.Document, err error) {
	found, _, err := l.ledger.Documents(ctx, w, ledger.DocumentQuery{Link: link, FactFilter: domain.FactFilter{Sources: []domain.Source{domain.SourceWeb, domain.SourceStorage}}, Limit: 1})
	if len(found) > 0 {
		d = found[0]
	}
	return d, err
}

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
