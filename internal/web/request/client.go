package request

import (
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/views/link"
)

// A Client is the other end of a request's connections.
type Client struct {
	Address netip.Addr // zero if it is unknown
	HTTPS   bool       // the browser shows an https address
	Proxied bool       // a trusted proxy sent the request
}

const clientKey = "client"

// SetClient records what ClientOf returns.
func SetClient(c echo.Context, client Client) { c.Set(clientKey, client) }

// ClientOf returns the client of a request.
func ClientOf(c echo.Context) Client {
	client, _ := c.Get(clientKey).(Client)
	return client
}

// Through returns the client of a request that came through the given proxies.
// What the headers X-Forwarded-For and X-Forwarded-Proto say is believed only
// from them: anybody can write these headers.
func Through(proxies []netip.Prefix, c echo.Context) Client {
	r := c.Request()
	trusted := func(a netip.Addr) bool {
		for _, p := range proxies {
			if p.Contains(a) {
				return true
			}
		}
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	client := Client{Address: peer.Addr().Unmap().WithZone(""), HTTPS: r.TLS != nil}
	if err != nil || !trusted(client.Address) {
		return client
	}
	client.Proxied = true
	proto, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	client.HTTPS = client.HTTPS || strings.EqualFold(strings.TrimSpace(proto), "https")
	// Each proxy appends the address it was called from. The last that is no
	// proxy's is the client's; what is before it may be made up.
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && trusted(client.Address); i-- {
		address, err := parsed(strings.TrimSpace(chain[i]))
		if err != nil {
			break
		}
		client.Address = address
	}
	return client
}

// parsed reads an address, which some proxies write with a port.
func parsed(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		var port netip.AddrPort
		port, err = netip.ParseAddrPort(text)
		a = port.Addr()
	}
	return a.Unmap().WithZone(""), err
}

const siteKey = "site"

// SetSite records the address that Site returns, as the settings name it.
func SetSite(c echo.Context, address string) { c.Set(siteKey, address) }

// Site returns the address of the pages, such as https://clew.example.org: the one that is set, or as the client of the
// request sees it.
func Site(c echo.Context) string {
	if set, _ := c.Get(siteKey).(string); set != "" {
		return set
	}
	if ClientOf(c).HTTPS {
		return "https://" + c.Request().Host
	}
	return "http://" + c.Request().Host
}

// Root returns the address before the paths of routes: that of the site with the path that its addresses begin with. It ends
// without a slash.
func Root(c echo.Context) string { return Site(c) + link.Mount(c.Request().Context()) }
