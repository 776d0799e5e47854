package place

import (
	"context"
	"net/url"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
)

// Bucket follows the objects below a prefix of a storage with the S3 protocol. The keys are those of the installation, so
// only what S3_BUCKETS names can be followed.
type Bucket struct{ Storage *crawl.Fetcher }

// Traits implements source.Kind.
func (Bucket) Traits() source.Traits { return source.Traits{Complete: true} }

// Check implements source.Kind.
func (b Bucket) Check(_ context.Context, p source.Place) (source.Place, error) {
	u, err := b.Storage.CheckBucket(p.Address)
	if err == nil {
		p.Address = u.String()
	}
	return p, err
}

// List implements source.Kind.
func (b Bucket) List(ctx context.Context, p source.Place, at string) (l source.Listing, err error) {
	if p, err = b.Check(ctx, p); err != nil { // S3_BUCKETS may have changed
		return l, err
	}
	all, next, err := b.Storage.Objects(ctx, p.Address, at)
	for _, o := range all {
		if u, bad := url.Parse(o.Address); bad != nil || leavesOut(p, u.Path) || o.Size > b.Storage.MaxBytes {
			l.LeftOut++
			continue
		}
		l.Items = append(l.Items, source.Item{Name: o.Address, Stamp: o.Tag, Size: o.Size})
	}
	l.Next = next
	return l, err
}

// Open implements source.Kind.
func (b Bucket) Open(ctx context.Context, _ source.Place, i source.Item, _ string) (source.Content, error) {
	f, err := b.Storage.Object(ctx, i.Name)
	if err != nil {
		return source.Content{}, err
	}
	return source.Content{Name: f.Name, Source: domain.SourceStorage, Link: i.Name, Stamp: f.Tag, Body: inMemory(f.Data)}, nil
}
