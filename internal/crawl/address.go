package crawl

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/clewhq/clew/internal/domain"
)

// parse returns an address on the web in the one form in which addresses are
// compared: without fragment, default port, name, password and what campaigns add.
func parse(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, domain.Because(domain.Invalid, err, "%q is no address of a page. Write one that begins with https://.", domain.Cut(s, 100))
	}
	if u.User != nil {
		return nil, domain.Errorf(domain.Invalid, "An address with a name or a password in it is not fetched.")
	}
	if len(s) > maxAddress {
		return nil, domain.Errorf(domain.Invalid, "The address has more than %d characters.", maxAddress)
	}
	u.Host = strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; strings.HasSuffix(u.Host, port) {
		u.Host = strings.TrimSuffix(u.Host, port)
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
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

// maxAddress is the most bytes of an address.
const maxAddress = 2000

// folder returns the path of the folder in which a page stands.
func folder(u *url.URL) string {
	if strings.HasSuffix(u.Path, "/") {
		return u.Path
	}
	return strings.TrimSuffix(path.Dir(u.Path), "/") + "/"
}

// Allowed are the hosts and networks that may be called although they are not on
// the public internet.
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

// closed are networks beyond those that netip tells apart: of carriers, of tests
// and documentation, and those that lead to an IPv4 address by way of another.
var closed = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10")

func prefixes(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, s := range list {
		all[i] = netip.MustParsePrefix(s)
	}
	return all
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
	return domain.Errorf(domain.Forbidden, "%s is not on the public internet, so it is not fetched. WEB_ALLOW can name it.", host)
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
	var answers []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		answers = []netip.Addr{ip}
	} else if answers, err = g.lookup(ctx, host); err != nil {
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
