package crawl

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/clewhq/clew/internal/domain"
)

// Token is the name by which a robots.txt addresses the program.
const Token = "Clew"

const (
	robotsAge   = time.Hour        // how long the rules of a host are kept
	longestWait = 60 * time.Second // between two requests, however long a host asks for
)

// manners keeps to what hosts ask for: what is not to be fetched, and how long to
// wait between two requests.
type manners struct {
	get  func(ctx context.Context, address *url.URL) (File, error)
	now  func() time.Time
	wait func(ctx context.Context, d time.Duration) error

	mu    sync.Mutex
	hosts map[string]*host
}

type host struct {
	rules *robotstxt.Group
	read  time.Time
	next  time.Time // when it may be asked again
}

// enter returns when an address may be fetched. The error is Forbidden when its host
// asks not to, and Unavailable when it can't be asked.
func (m *manners) enter(ctx context.Context, u *url.URL, pause time.Duration) error {
	h := m.host(u)
	if h.rules == nil || m.now().Sub(h.read) > robotsAge {
		rules, err := m.rules(ctx, u)
		if err != nil {
			return err
		}
		h.rules, h.read = rules, m.now()
	}
	if !h.rules.Test(u.RequestURI()) {
		return domain.Errorf(domain.Forbidden, "%s asks programs not to fetch %s (robots.txt).", u.Host, u.Path)
	}
	pause = min(max(pause, h.rules.CrawlDelay), longestWait)
	m.mu.Lock()
	now := m.now()
	at := h.next
	if at.Before(now) {
		at = now
	}
	h.next = at.Add(pause)
	m.mu.Unlock()
	return m.wait(ctx, at.Sub(now))
}

func (m *manners) host(u *url.URL) *host {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := u.Scheme + "://" + u.Host
	if m.hosts[key] == nil {
		m.hosts[key] = &host{}
	}
	return m.hosts[key]
}

// rules returns the rules of a host, none if it has no robots.txt.
func (m *manners) rules(ctx context.Context, u *url.URL) (*robotstxt.Group, error) {
	f, err := m.get(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"})
	if ctx.Err() != nil || domain.KindOf(err) == domain.Unavailable {
		return nil, err
	}
	if err != nil { // the page itself will tell, if it is the address
		f.Data = nil
	}
	all, err := robotstxt.FromBytes(f.Data)
	if err != nil {
		all, err = robotstxt.FromBytes(nil)
	}
	if err != nil {
		return nil, err
	}
	return all.FindGroup(Token), nil
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
