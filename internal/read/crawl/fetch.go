package crawl

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	readable "github.com/clewhq/clew/internal/read/parse"
)

const (
	connectTimeout = 10 * time.Second
	maxRedirects   = 5
	headBytes      = 4096 // first bytes of a file, which show its kind
)

// Options configure a Fetcher. All but Agent and MaxBytes may be zero.
type Options struct {
	Agent    string // how it identifies itself to servers
	MaxBytes int64  // of a file
	Allowed  Allowed
	Storage  Storage
	Timeout  time.Duration                                                // of one answer; 0 means 60 s
	Lookup   func(ctx context.Context, host string) ([]netip.Addr, error) // nil means the system's
}

// A Fetcher fetches files from the web. It is safe for concurrent use.
type Fetcher struct {
	Options
	client *http.Client
	still  *http.Client // follows no redirect: a signature is valid for one address
	guard  guard
}

// NewFetcher returns a Fetcher. It uses no proxy, keeps no cookies, and follows
// redirects only to addresses that it would fetch.
func NewFetcher(o Options) *Fetcher {
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	g := guard{o.Allowed, o.Lookup}
	client := &http.Client{
		Timeout:   cmp.Or(o.Timeout, time.Minute),
		Transport: &http.Transport{DialContext: g.dial, TLSHandshakeTimeout: connectTimeout, MaxResponseHeaderBytes: 1 << 17, MaxIdleConnsPerHost: 1, IdleConnTimeout: 30 * time.Second},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return domain.Errorf(domain.Invalid, "The address redirects more than %d times.", maxRedirects)
			}
			_, err := Canonical(r.URL.String())
			return err
		},
	}
	still := *client
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Fetcher{o, client, &still, g}
}

// Client returns a client that calls only addresses that may be fetched, and follows no redirect.
func (f *Fetcher) Client() *http.Client { return f.still }

// Reach fails with kind Forbidden for a host that may not be called, and with kind Invalid for one that has no address.
func (f *Fetcher) Reach(ctx context.Context, host string) error {
	answers, err := f.guard.answers(ctx, host)
	if err != nil {
		return domain.Because(domain.Invalid, err, "%s can't be found.", host)
	}
	for _, ip := range answers {
		if err := f.guard.check(host, ip); err != nil {
			return err
		}
	}
	return nil
}

// Inner reports whether a host is on no public network, so that only WEB_ALLOW lets it be called.
func (f *Fetcher) Inner(ctx context.Context, host string) (bool, error) {
	answers, err := f.guard.answers(ctx, host)
	return err == nil && !slices.ContainsFunc(answers, public), err
}

// A File is the content of an address.
type File struct {
	Address *url.URL // where it was found, after redirects
	Name    string   // with an ending for its format
	Type    string   // its media type
	Data    []byte
	Tag     string // the server's name for this version, to ask for a newer one
}

// ErrUnchanged is the error of a file that is as it was.
var ErrUnchanged = errors.New("unchanged")

// Get fetches a file. tag is that of the version that is known, if any: the error is
// ErrUnchanged if it is the latest. Other errors say what is wrong with the address,
// or are Unavailable. accept sees the file's first bytes before the rest is fetched, and may refuse it; nil accepts all.
func (f *Fetcher) Get(ctx context.Context, address *url.URL, tag string, accept func(begun File) error) (File, error) {
	answer, found, err := f.call(ctx, address, tag)
	if err != nil {
		return File{}, err
	}
	defer answer.Body.Close()
	file := File{Address: found, Tag: tagOf(answer.Header)}
	body, head, err := f.begin(answer, address)
	if err != nil {
		return File{}, err
	}
	file.Type = mediaType(answer.Header.Get("Content-Type"), head)
	file.Name = nameOf(found, file.Type, answer.Header.Get("Content-Disposition"))
	if accept != nil && len(head) > 0 {
		file.Data = head
		if err := accept(file); err != nil {
			return File{}, err
		}
	}
	file.Data, err = f.read(ctx, body, address)
	return file, err
}

// beginning fetches the first bytes of a file, at most most. Errors are like those of Get.
func (f *Fetcher) beginning(ctx context.Context, address *url.URL, most int64) (File, error) {
	answer, found, err := f.call(ctx, address, "")
	if err != nil {
		return File{}, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return File{}, unreached(ctx, address, err)
	}
	return File{Address: found, Type: mediaType(answer.Header.Get("Content-Type"), data[:min(len(data), headBytes)]), Data: data}, nil
}

// call requests a file, and returns the response with its final address.
func (f *Fetcher) call(ctx context.Context, address *url.URL, tag string) (*http.Response, *url.URL, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("User-Agent", f.Agent)
	switch kind, value, _ := strings.Cut(tag, " "); kind {
	case byTag:
		r.Header.Set("If-None-Match", value)
	case byTime:
		r.Header.Set("If-Modified-Since", value)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return nil, nil, unreached(ctx, address, err)
	}
	err = refused(answer, address)
	var found *url.URL
	if err == nil {
		found, err = Canonical(answer.Request.URL.String())
	}
	if err != nil {
		return nil, nil, errors.Join(err, answer.Body.Close())
	}
	return answer, found, nil
}

// begin returns the file of a response and its first bytes, unless the server says that it is too large.
func (f *Fetcher) begin(answer *http.Response, address *url.URL) (body *bufio.Reader, head []byte, err error) {
	if answer.ContentLength > f.MaxBytes {
		return nil, nil, f.tooLarge(address)
	}
	body = bufio.NewReaderSize(answer.Body, headBytes)
	head, _ = body.Peek(headBytes) // an error recurs when the rest is read
	return body, head, nil
}

func (f *Fetcher) tooLarge(address *url.URL) error {
	return domain.Errorf(domain.TooLarge, "%s is larger than %d MB, the limit set by MAX_UPLOAD_MB.", address, f.MaxBytes/1_000_000)
}

// read returns a file, unless it exceeds the limit.
func (f *Fetcher) read(ctx context.Context, body io.Reader, address *url.URL) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, f.MaxBytes+1))
	if err != nil {
		return nil, unreached(ctx, address, err)
	}
	if int64(len(data)) > f.MaxBytes {
		return nil, f.tooLarge(address)
	}
	return data, nil
}

// The kinds of tag.
const (
	byTag  = "etag"
	byTime = "time"
)

func tagOf(h http.Header) string {
	if tag := h.Get("ETag"); tag != "" && len(tag) < 200 {
		return byTag + " " + tag
	}
	if at := h.Get("Last-Modified"); at != "" && len(at) < 100 {
		return byTime + " " + at
	}
	return ""
}

// unreached explains why a server did not answer.
func unreached(ctx context.Context, address *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if said, ok := errors.AsType[*domain.Error](err); ok {
		return said
	}
	return domain.Because(domain.Unavailable, err, "%s does not answer. The address may be wrong, or the server busy.", address.Host)
}

// refused returns the error of an answer without the file.
func refused(answer *http.Response, address *url.URL) error {
	switch code := answer.StatusCode; {
	case code == http.StatusNotModified:
		return ErrUnchanged
	case code == http.StatusOK:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return domain.Errorf(domain.NotFound, "There is nothing at %s.", address)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return domain.Errorf(domain.Forbidden, "%s requires signing in.", address)
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return domain.Errorf(domain.Unavailable, "%s can't answer right now (status %d).", address.Host, code)
	default:
		return domain.Errorf(domain.Invalid, "%s answers with status %d instead of a file.", address, code)
	}
}

// mediaType returns the media type of a file, as its server states it or else by its content.
func mediaType(stated string, data []byte) string {
	kind, _, err := mime.ParseMediaType(stated)
	if err != nil || kind == "application/octet-stream" || kind == "binary/octet-stream" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	}
	return kind
}

// nameOf names a file by what its server calls it, or by the end of its address. A
// page is named by its whole path, because many end in the same word.
func nameOf(u *url.URL, kind, disposition string) string {
	if _, params, err := mime.ParseMediaType(disposition); err == nil && params["filename"] != "" {
		return params["filename"]
	}
	ending := readable.EndingOf(kind)
	name := strings.Trim(u.Path, "/")
	if ending != ".html" {
		name = path.Base("/" + name)
	}
	name = strings.ReplaceAll(name, "/", " ")
	if ext := strings.ToLower(path.Ext(name)); ext == ".htm" || ext == ".xhtml" || ext == ".html" || ext == ".php" || ext == ".aspx" || ext == ending {
		name = strings.TrimSuffix(name, path.Ext(name))
	} else if ending == "" || ending == ".txt" && ext != "" { // source code and the like
		ending = ""
	}
	if name == "" || name == "." {
		name = u.Hostname()
	} else if ending == ".html" {
		name = u.Hostname() + " " + name
	}
	return name + ending
}

func isPage(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }

// Canonical returns an address on the web in the one form in which addresses are
// compared: without fragment, default port, name, password and what campaigns add.
func Canonical(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, domain.Because(domain.Invalid, err, "%q is not the address of a page. Write one that begins with https://.", domain.Cut(s, 100))
	}
	if u.User != nil {
		return nil, domain.Errorf(domain.Invalid, "Addresses that contain a name or password are not fetched.")
	}
	if len(s) > maxAddress {
		return nil, domain.Errorf(domain.Invalid, "The address has more than %d characters.", maxAddress)
	}
	u.Host = strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; strings.HasSuffix(u.Host, port) {
		u.Host = strings.TrimSuffix(u.Host, port)
	}
	u.Fragment, u.RawFragment = "", ""
	u.Path = cmp.Or(u.Path, "/")
	if q := u.Query(); len(q) > 0 {
		for key := range q {
			if strings.HasPrefix(key, "utm_") || key == "gclid" || key == "fbclid" {
				q.Del(key)
			}
		}
		u.RawQuery = q.Encode()
	}
	return u, nil
}

// maxAddress is the maximum number of bytes of an address.
const maxAddress = 2000

// Folder returns the path of a page's folder.
func Folder(u *url.URL) string {
	if strings.HasSuffix(u.Path, "/") {
		return u.Path
	}
	return strings.TrimSuffix(path.Dir(u.Path), "/") + "/"
}

// Allowed lists the hosts and networks that may be called although they are not on the public internet.
type Allowed struct {
	Hosts    []string
	Networks []netip.Prefix
}

// ParseAllowed reads a list of hosts, addresses and networks, separated by commas.
func ParseAllowed(list string) (a Allowed, unread string) {
	for item := range strings.SplitSeq(list, ",") {
		item = strings.ToLower(strings.TrimSpace(item))
		if item == "" {
			continue
		}
		if p, err := netip.ParsePrefix(item); err == nil {
			a.Networks = append(a.Networks, p.Masked())
		} else if ip, err := netip.ParseAddr(item); err == nil {
			a.Networks = append(a.Networks, netip.PrefixFrom(ip, ip.BitLen()))
		} else if strings.ContainsAny(item, "/: ") {
			return a, item
		} else {
			a.Hosts = append(a.Hosts, item)
		}
	}
	return a, ""
}

// closed lists special networks besides those that netip recognises: of carriers, of tests and documentation, and those
// that tunnel to an IPv4 address.
var closed = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10")

func prefixes(list ...string) []netip.Prefix {
	return lists.Map(list, netip.MustParsePrefix)
}

// public reports whether an address is on the public internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(closed, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// guard dials addresses on the public internet, and those that are allowed.
type guard struct {
	allowed Allowed
	lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
}

// check fails with kind Forbidden for an address that may not be called.
func (g guard) check(host string, ip netip.Addr) error {
	if public(ip) || slices.Contains(g.allowed.Hosts, strings.ToLower(host)) ||
		slices.ContainsFunc(g.allowed.Networks, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) }) {
		return nil
	}
	return domain.Errorf(domain.Forbidden, "%s is not on the public internet, so it is not fetched. List it in WEB_ALLOW to allow it.", host)
}

// answers returns the addresses of a host.
func (g guard) answers(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	return g.lookup(ctx, host)
}

// dial connects to the first address of a host that answers. Every answer of the
// name's server must be allowed: one that names an inner address among outer ones is
// not to be trusted with any. What is dialled is an address that was checked, and
// the socket checks it once more.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	answers, err := g.answers(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, ip := range answers {
		if err := g.check(host, ip); err != nil {
			return nil, err
		}
	}
	d := net.Dialer{Timeout: connectTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		dialled, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return g.check(host, dialled.Addr())
	}}
	err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	for _, ip := range answers {
		var conn net.Conn
		if conn, err = d.DialContext(ctx, network, net.JoinHostPort(ip.String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// A Reader reads the links of untrusted files.
type Reader interface {
	LinksOfPage(ctx context.Context, page io.Reader, size int64) (readable.Links, error)
	LinksOfSitemap(ctx context.Context, sitemap io.Reader, size int64) (readable.Links, error)
}

// A page holds the links of a web page.
type page struct {
	links     []*url.URL
	canonical *url.URL // the page's preferred address on the same host; nil for its own
}

// readPage returns the links of a page that may be followed.
func (s *Service) readPage(ctx context.Context, f File) (p page, err error) {
	l, err := s.Links.LinksOfPage(ctx, bytes.NewReader(f.Data), int64(len(f.Data)))
	base := f.Address
	if to := resolved(base, l.Base); to != nil && l.Base != "" {
		base = to
	}
	for _, link := range l.Pages[:min(len(l.Pages), maxLinks)] {
		if to := resolved(base, link); to != nil {
			p.links = append(p.links, to)
		}
	}
	if to := resolved(base, l.Canonical); to != nil && l.Canonical != "" && to.Host == f.Address.Host && to.String() != f.Address.String() {
		p.canonical = to
	}
	return p, err
}

// maxLinks is the maximum number of links of a page that are followed.
const maxLinks = 5000

// resolved returns the address of a link on a page, or nil if it can't be fetched.
func resolved(base *url.URL, link string) *url.URL {
	to, err := base.Parse(link)
	if err != nil {
		return nil
	}
	if to, err = Canonical(to.String()); err != nil {
		return nil
	}
	return to
}

// readSitemap returns the addresses in a sitemap, and those of further sitemaps. The error says what is wrong with it.
func (s *Service) readSitemap(ctx context.Context, f File) (pages, sitemaps []*url.URL, err error) {
	l, err := s.Links.LinksOfSitemap(ctx, bytes.NewReader(f.Data), int64(len(f.Data)))
	if domain.KindOf(err) == domain.Invalid {
		err = domain.Because(domain.Invalid, err, "%s is not a sitemap, or it is damaged: it contains no list of addresses in XML.", f.Address)
	}
	return parsed(l.Pages), parsed(l.Sitemaps), err
}

func parsed(links []string) (all []*url.URL) {
	for _, link := range links {
		if to, err := Canonical(link); err == nil {
			all = append(all, to)
		}
	}
	return all
}

// Dial connects to an address that may be called.
func (f *Fetcher) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return f.guard.dial(ctx, network, address)
}
