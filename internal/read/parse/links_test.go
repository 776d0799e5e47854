package parse

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestLinksOfAPage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		page string
		want Links
	}{
		{``, Links{}},
		{`<a href=one>1</a><AREA HREF=" /t&amp;wo ">`, Links{Pages: []string{"one", "/t&wo"}}},
		{`<a name=x><a href><a href="` + strings.Repeat("a", maxLink+1) + `"><a href="a&#1;b"><a href="c` + "\n" + `d">`, Links{Pages: []string{"cd"}}},
		{`<a rel="noopener NoFollow" href=no><a rel=nofollowing href=yes>`, Links{Pages: []string{"yes"}}},
		{`<meta name=Robots content="noindex, NOFOLLOW"><link rel=canonical href=/c><a href=no>`, Links{Canonical: "/c"}},
		{`<base href=/in/><base href=/out/><link rel="Canonical alternate" href=c><link rel=stylesheet href=s>`, Links{Base: "/in/", Canonical: "c"}},
		{`<link rel=canonical href=c><link rel=canonical href=c>`, Links{Canonical: "c"}},
		{`<link rel=canonical href=c><link rel=canonical href=d>`, Links{}},
		{`<body><link rel=canonical href=c>`, Links{}},
		{`<script>"<a href=no>"</script><!-- <a href=no> --><a href=yes href=no>`, Links{Pages: []string{"yes"}}},
		{`<img src="data:` + strings.Repeat("A", 3*maxMarkup) + `"><a href=after>`, Links{Pages: []string{"after"}}},
		{strings.Repeat("words ", maxMarkup/2) + `<a href=after>`, Links{Pages: []string{"after"}}},
		{`<a ` + strings.Repeat("x=1 ", maxRead) + `href=beyond><a href=after>`, Links{Pages: []string{"beyond", "after"}}},
	} {
		if diff := cmp.Diff(tt.want, LinksOfPage([]byte(tt.page))); diff != "" {
			t.Errorf("%.100q (-want +got)\n%s", tt.page, diff)
		}
	}
}

func TestLinksOfASitemap(t *testing.T) {
	t.Parallel()
	packed := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, s)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	list := `<?xml version="1.0"?><urlset xmlns="x"><url><loc> http://a/?b=1&amp;c </loc><lastmod>2020</lastmod></url><url><loc><![CDATA[http://b/?d&e]]></loc><image:image><image:loc>http://no/</image:loc></image:image></url></urlset>`
	index := `<s:sitemapindex><s:sitemap><s:loc>http://c/</s:loc></s:sitemap><s:sitemap><s:loc/></s:sitemap></s:sitemapindex>`
	for _, tt := range []struct {
		sitemap string
		want    Links
		fails   bool
	}{
		{list, Links{Pages: []string{"http://a/?b=1&c", "http://b/?d&e"}}, false},
		{packed(list), Links{Pages: []string{"http://a/?b=1&c", "http://b/?d&e"}}, false},
		{packed(list)[:len(packed(list))-9], Links{Pages: []string{"http://a/?b=1&c", "http://b/?d&e"}}, false},
		{index, Links{Sitemaps: []string{"http://c/"}}, false},
		{`<urlset/>`, Links{}, false},
		{`<loc>http://a/</loc>`, Links{}, true},
		{`<html><body>Not found`, Links{}, true},
		{"\x1f\x8b nonsense", Links{}, true},
		{"", Links{}, true},
	} {
		got, err := LinksOfSitemap([]byte(tt.sitemap))
		if diff := cmp.Diff(tt.want, got); !tt.fails && diff != "" {
			t.Errorf("%.100q (-want +got)\n%s", tt.sitemap, diff)
		}
		if (err != nil) != tt.fails || err != nil && domain.KindOf(err) != domain.Invalid {
			t.Errorf("%.100q: error %v", tt.sitemap, err)
		}
	}
}
