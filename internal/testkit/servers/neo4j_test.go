package servers_test

import (
	"net"
	"net/url"
	"testing"

	"github.com/clewhq/clew/internal/testkit/servers"
)

// listening reports whether somebody takes connections at a server's address.
func listening(t *testing.T, address string) bool {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

func TestNeo4jIsShared(t *testing.T) {
	t.Parallel()
	if one, two := servers.Neo4j(t), servers.Neo4j(t); one != two || !listening(t, one.URL) {
		t.Errorf("%+v and %+v, want one running server", one, two)
	}
}
