package crawl

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Token is the program's name in robots.txt files.
const Token = "Clew"

const (
	robotsAge   = time.Hour        // how long the rules of a host are kept
	maxRobots   = 500 << 10        // bytes read from a robots.txt, the minimum that RFC 9309 requires
	longestWait = 60 * time.Second // between two requests, even if a host asks for longer
	maxHosts    = 64               // hosts whose rules are kept
)

// manners respects the wishes of hosts: what not to fetch, and how long to wait between two requests. It is safe for
// concurrent use.
type manners struct {
	get  func(ctx context.Context, address *url.URL) ([]byte, error)
	now  domain.Clock
	wait func(ctx context.Context, d time.Duration) error

	mu    sync.Mutex
	hosts map[string]*host
}

// host holds the rules of a host. Its lock is held while its robots.txt is fetched.
type host struct {
	mu    chan struct{} // contains a value while locked
	rules rules
	read  time.Time // when the rules were read

	next time.Time // when the host may be asked again; guarded by manners.mu
}

// enter returns once an address may be fetched. The error is Forbidden if its host disallows it, and Unavailable if the
// host can't be asked.
func (m *manners) enter(ctx context.Context, u *url.URL, pause time.Duration) error {
	h := m.host(u)
	r, err := m.rules(ctx, h, u)
	if err != nil {
		return err
	}
	if !r.allows(u.RequestURI()) {
		return domain.Errorf(domain.Forbidden, "%s asks programs not to fetch %s (robots.txt).", u.Host, u.Path)
	}
	pause = min(max(pause, r.delay), longestWait)
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

// host returns the record of an address's host. When there are too many records it
// drops the least recently used one.
func (m *manners) host(u *url.URL) *host {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := u.Scheme + "://" + u.Host
	if h := m.hosts[key]; h != nil {
		return h
	}
	if len(m.hosts) >= maxHosts {
		oldest := ""
		for k, h := range m.hosts {
			if before := m.hosts[oldest]; oldest == "" || h.next.Before(before.next) || h.next.Equal(before.next) && k < oldest {
				oldest = k
			}
		}
		delete(m.hosts, oldest)
	}
	h := &host{mu: make(chan struct{}, 1), next: m.now()}
	m.hosts[key] = h
	return h
}

// rules returns the rules of a host, fetching them if they are unknown or old. A host without a robots.txt has none.
func (m *manners) rules(ctx context.Context, h *host, u *url.URL) (rules, error) {
	select {
	case h.mu <- struct{}{}:
		defer func() { <-h.mu }()
	case <-ctx.Done():
		return rules{}, ctx.Err()
	}
	if !h.read.IsZero() && m.now().Sub(h.read) <= robotsAge {
		return h.rules, nil
	}
	data, err := m.get(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"})
	if ctx.Err() != nil || domain.KindOf(err) == domain.Unavailable {
		return rules{}, err
	}
	if err != nil { // if it is the address, the page itself will fail too
		data = nil
	}
	h.rules, h.read = readRules(string(data)), m.now()
	return h.rules, nil
}

// rules are a host's rules for this program.
type rules struct {
	list  []rule
	delay time.Duration
}

type rule struct {
	pattern string // see normal
	allow   bool
}

// readRules reads a robots.txt as RFC 9309 has it: the rules of all groups that name this
// program, or else of those for all programs. It also reads Crawl-delay.
func readRules(text string) rules {
	var ours, others rules
	named, all, begun, us := false, false, true, false
	text = strings.TrimPrefix(text, "\uFEFF")
	for len(text) > 0 {
		var line string
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			line, text = text, ""
		}
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		if key == "user-agent" {
			if begun {
				named, all, begun = false, false, false
			}
			is := strings.EqualFold(product(value), Token)
			named, all, us = named || is, all || strings.HasPrefix(value, "*"), us || is
			continue
		}
		if key != "allow" && key != "disallow" && key != "crawl-delay" {
			continue // it belongs to no group
		}
		begun = true
		if named {
			ours.add(key, value)
		}
		if all {
			others.add(key, value)
		}
	}
	if us {
		return ours
	}
	return others
}

// product returns the name of a program without its version.
func product(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return r != '-' && r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

func (r *rules) add(key, value string) {
	switch {
	case key == "crawl-delay":
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
			r.delay = time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second))
		}
	case value != "":
		r.list = append(r.list, rule{normal(value), key == "allow"})
	}
}

// allows reports whether a path with its query may be fetched: the longest pattern that
// matches decides, and of two that are as long the one that allows.
func (r rules) allows(path string) bool {
	path = normal(path)
	longest, allow := -1, true
	for _, rule := range r.list {
		if n := len(rule.pattern); (n > longest || n == longest && rule.allow) && matches(rule.pattern, path) {
			longest, allow = n, rule.allow
		}
	}
	return allow
}

// matches reports whether a path begins as a pattern says, in which * stands for anything
// and $ at the end for the end of the path. The parts between stars are looked for from left
// to right, each where it comes first, so that nothing is looked at twice.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	part, rest, star := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, part) {
		return false
	}
	for path = path[len(part):]; star; {
		part, rest, star = strings.Cut(rest, "*")
		if whole && !star {
			return strings.HasSuffix(path, part)
		}
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	return !whole || path == ""
}

// normal returns a path or a pattern in the form in which they are compared: characters that
// need no escape without one, all others with one in capitals.
func normal(s string) string {
	plain := func(c byte) bool {
		return c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				if i += 2; plain(byte(n)) {
					b.WriteByte(byte(n))
				} else {
					b.WriteString("%" + strings.ToUpper(s[i-1:i+1]))
				}
				continue
			}
		}
		if c <= ' ' || c >= 0x7F {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)+0x100, 16)[1:]))
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
