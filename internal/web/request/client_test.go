package request

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestThrough(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, tt := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy", "192.0.2.7:4711", nil, "192.0.2.7"},
		{"a stranger's word", "192.0.2.7:4711", []string{"198.51.100.1"}, "192.0.2.7"},
		{"a proxy", "10.0.0.1:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a proxy on IPv6", "[2001:db8::1]:4711", []string{"2001:db9::1"}, "2001:db9::1"},
		{"a proxy written as IPv6", "[::ffff:10.0.0.1]:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"what the client has put before", "10.0.0.1:4711", []string{"198.51.100.9, 198.51.100.1"}, "198.51.100.1"},
		{"in a header of its own", "10.0.0.1:4711", []string{"198.51.100.9", "198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "10.0.0.1:4711", []string{"198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"with a port", "10.0.0.1:4711", []string{"198.51.100.1:1234"}, "198.51.100.1"},
		{"no address", "10.0.0.1:4711", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"a proxy that says nothing", "10.0.0.1:4711", nil, "10.0.0.1"},
		{"no peer", "@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header = tt.peer, http.Header{"X-Forwarded-For": tt.forwarded}
		if got := Through(proxies, echo.New().NewContext(r, nil)).Address.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
