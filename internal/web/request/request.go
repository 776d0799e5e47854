// Package request reads parameters of requests.
package request

import (
	"context"
	"errors"
	"mime"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// Workspace returns the workspace of a request.
func Workspace(c echo.Context) domain.WorkspaceID { return domain.WorkspaceOf(c.Request().Context()) }

// Named is the workspace that the address of a request names.
type Named struct {
	domain.Workspace
	Asked string // its name in the address; "" if that names none; Workspace is zero if there is none of that name
}

const namedKey = "workspace"

// SetNamed records what NamedIn returns.
func SetNamed(c echo.Context, n Named) { c.Set(namedKey, n) }

// NamedIn returns the workspace that the address of a request names.
func NamedIn(c echo.Context) Named {
	n, _ := c.Get(namedKey).(Named)
	return n
}

// While serves a request whose context ends once lasts returns false, see domain.Lasting. The error is then Unauthorized.
func While(c echo.Context, next echo.HandlerFunc, interval time.Duration, lasts func(context.Context) bool) error {
	r := c.Request()
	ctx, end := domain.Lasting(r.Context(), interval, errEnded, lasts)
	defer end()
	c.SetRequest(r.WithContext(ctx))
	defer c.SetRequest(r) // used by error pages
	err := next(c)
	if err != nil && errors.Is(context.Cause(ctx), errEnded) {
		return errEnded
	}
	return err
}

// errEnded ends the context of a request.
var errEnded = domain.Errorf(domain.Unauthorized, "What let you in has ended: the session, the token or the membership.")

// FormKey returns the key of a submitted form.
func FormKey(c echo.Context) domain.FormKey { return domain.FormKey(c.FormValue("form_key")) }

// PageSize is the number of rows a list shows at a time.
const PageSize = 50

// Offset returns the index of the first row a list should show.
func Offset(c echo.Context) int { return Int(c, "offset") }

// maxInt is the largest number in an address, so that sums don't overflow, in a
// store neither.
const maxInt = 1 << 30

// Int returns a query parameter as a number, at most maxInt, or 0 when it is
// missing, malformed or negative.
func Int(c echo.Context, name string) int {
	n, err := strconv.Atoi(c.QueryParam(name))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxInt)
}

// Span returns the code points from the fields start and end of the address or the form, or the
// empty span when they name no range.
func Span(c echo.Context) domain.Span {
	start, err := strconv.Atoi(c.FormValue("start"))
	end, _ := strconv.Atoi(c.FormValue("end"))
	s := domain.Span{Start: start, End: end}
	if err != nil || start < 0 || s.Empty() {
		return domain.Span{}
	}
	return s
}

// Local returns address if it stays on this site, and other if a browser might
// take it to another one.
func Local(address, other string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") ||
		strings.ContainsFunc(address, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return other
	}
	return address
}

// Given returns the values of the fields of an operation in a form, without those that were left blank.
func Given(form url.Values) func(operation.Field) []string {
	return func(f operation.Field) (given []string) {
		return lists.Filter(form[f.Name], func(v string) bool { return v != "" })
	}
}

// A Client is the other end of a request's connections.
type Client struct {
	Address netip.Addr // zero if unknown
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
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	client := Client{Address: peer.Addr().Unmap().WithZone(""), HTTPS: r.TLS != nil}
	if err != nil || !trusted(client.Address) {
		return client
	}
	client.Proxied = true
	proto, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	client.HTTPS = client.HTTPS || strings.EqualFold(strings.TrimSpace(proto), "https")
	// Each proxy appends the address it was called from. The last one that is not a proxy's belongs to
	// the client; earlier ones may be forged.
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

// FileName returns the name of a file that a part of a form contains, by its header Content-Disposition. It keeps the
// folders of the name, which multipart.Part.FileName drops. The name is "" if the header can't be read. ok is false for
// other fields, and for a file field without a file.
func FileName(disposition string) (name string, ok bool) {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return "", strings.Contains(disposition, "filename")
	}
	return params["filename"], params["filename"] != ""
}
