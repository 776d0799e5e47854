package parse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestHostileLinks reads what would take gigabytes or minutes if all of it were kept. It runs alone, as it measures the heap.
func TestHostileLinks(t *testing.T) {
	race.Skip(t)
	size := 8 << 20
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	attributes := func() string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, " a%d", i)
		}
		return b.String()
	}
	for name, file := range map[string]func() string{
		"attributes":       func() string { return "<a" + attributes() + " href=x>" },
		"open":             func() string { return "<a" + attributes() },
		"tags":             func() string { return many("<a>") },
		"links":            func() string { return many("<a href=x>") },
		"long links":       func() string { return many("<a href=" + strings.Repeat("x", 2000) + ">") },
		"deep":             func() string { return many("<div>") },
		"canonicals":       func() string { return many("<link rel=canonical href=x><link rel=canonical href=y>") },
		"quote":            func() string { return "<a href='" + many("<a href=x>") },
		"comment":          func() string { return "<!--" + many("<a href=x>") },
		"one long element": func() string { return "<" + many("a") },
		"locs":             func() string { return "<urlset>" + many("<url><loc>http://a/</loc></url>") },
		"open locs":        func() string { return "<urlset>" + many("<url><loc>") },
		"entities":         func() string { return "<urlset><url><loc>" + many("&amp;") + "</loc></url></urlset>" },
	} {
		t.Run(name, func(t *testing.T) {
			data, began := []byte(file()), time.Now()
			peak := watchHeap(t)
			l := parse.LinksOfPage(data)
			m, _ := parse.LinksOfSitemap(data) // most are none
			if n := max(len(l.Pages), len(m.Pages), len(m.Sitemaps)); n > parse.MaxLinks {
				t.Errorf("%d links", n)
			}
			if mb, took := peak()>>20, time.Since(began); mb > 150 || took > time.Minute {
				t.Errorf("%d MB, %v", mb, took)
			} else {
				t.Logf("%d MB, %v", mb, took)
			}
		})
	}
}
