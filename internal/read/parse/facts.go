package parse

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/domain"
)

// The bounds of facts, in code points.
const (
	maxAuthor = 200
	maxLink   = 2000
)

// know records facts stated by the file, unless it has already stated others.
func (w *writer) know(f domain.Facts) {
	before := w.facts
	w.facts = domain.Facts{
		Link: webAddress(f.Link), Published: dateOf(f.Published), Author: authorOf(f.Author), Language: languageCode(f.Language),
	}.With(before)
	if before.Link != "" {
		w.facts.Link = before.Link
	}
}

// webAddress returns an address on the web without its fragment, or "" for other addresses.
func webAddress(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > maxLink {
		return ""
	}
	u.Fragment = ""
	return u.String()
}

// madeUp lists authors that programs fill in if none is named.
var madeUp = map[string]bool{"": true, "admin": true, "administrator": true, "author": true, "user": true, "unknown": true, "anonymous": true, "python-docx": true, "openpyxl": true}

// authorOf returns a name, or "" if a program made it up or it is an address.
func authorOf(s string) string {
	s = shorten(tidyLine(s), maxAuthor)
	if madeUp[strings.ToLower(s)] || strings.Contains(s, "://") {
		return ""
	}
	return s
}

// languages maps language codes of three letters to those of two.
var languages = map[string]string{
	"eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "dut": "nl",
	"swe": "sv", "dan": "da", "nor": "no", "nob": "no", "fin": "fi", "pol": "pl", "ces": "cs", "cze": "cs", "hun": "hu", "ron": "ro", "rum": "ro",
	"tur": "tr", "rus": "ru", "ukr": "uk", "ell": "el", "gre": "el", "heb": "he", "ara": "ar", "jpn": "ja", "zho": "zh", "chi": "zh", "kor": "ko", "nb": "no",
}

var languageTag = regexp.MustCompile(`^[a-z]{2,3}$`)

// languageCode returns the language of a tag such as "de-CH", or "" if there is none.
func languageCode(tag string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	if short := languages[code]; short != "" {
		return short
	}
	if !languageTag.MatchString(code) || code == "und" {
		return ""
	}
	return code
}

// numericDate matches a date that begins with its year, as most formats write it;
// PDF puts D: before it.
var numericDate = regexp.MustCompile(`^(?:D:)?([12]\d{3})(?:[-/.]?(\d{2})(?:[-/.]?(\d{2}))?)?(?:\D|$|\d{6})`)

// dateOf returns the day, the month or the year that a date names, or "" if there is none.
func dateOf(s string) string {
	s = tidyLine(s)
	if m := numericDate.FindStringSubmatch(s); m != nil {
		date := strings.TrimRight(strings.Join(m[1:], "-"), "-")
		const day = time.DateOnly
		if _, err := time.Parse(day[:len(date)], date); err != nil {
			return ""
		}
		return date
	}
	for _, layout := range []string{time.RFC1123Z, time.RFC1123, time.RFC850, time.ANSIC, "2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

// metaFacts maps names of a page's meta elements to facts.
var metaFacts = map[string]func(*domain.Facts) *string{
	"author": ofAuthor, "article:author": ofAuthor, "dc.creator": ofAuthor, "dcterms.creator": ofAuthor, "citation_author": ofAuthor, "parsely-author": ofAuthor,
	"article:published_time": ofDate, "datepublished": ofDate, "date": ofDate, "dc.date": ofDate, "dc.date.issued": ofDate, "dcterms.issued": ofDate, "dcterms.created": ofDate,
	"citation_publication_date": ofDate, "pubdate": ofDate, "parsely-pub-date": ofDate,
	"og:url": ofLink, "og:locale": ofLanguage, "dc.language": ofLanguage,
}

func ofAuthor(f *domain.Facts) *string   { return &f.Author }
func ofDate(f *domain.Facts) *string     { return &f.Published }
func ofLink(f *domain.Facts) *string     { return &f.Link }
func ofLanguage(f *domain.Facts) *string { return &f.Language }

// factsOfPage records what a web page states of itself: in the attributes of its root, in meta elements, as its canonical
// address, as the time of publication.
func factsOfPage(w *writer, doc *html.Node) {
	for n := range doc.Descendants() {
		a := func(key string) string { return attribute(n, key) }
		f := domain.Facts{}
		switch n.DataAtom {
		case atom.Html:
			f.Language = a("lang")
		case atom.Link:
			if strings.EqualFold(a("rel"), "canonical") {
				w.facts.Link, f.Link = "", a("href") // it takes precedence over og:url
			}
		case atom.Time:
			if a("itemprop") == "datePublished" || a("pubdate") != "" {
				f.Published = a("datetime")
			}
		case atom.Meta:
			for _, key := range []string{"name", "property", "itemprop"} {
				if of := metaFacts[strings.ToLower(a(key))]; of != nil {
					*of(&f) = a("content")
				}
			}
		}
		if f != (domain.Facts{}) {
			w.know(f)
		}
	}
}

// propertyNames are the elements with a document's properties.
var propertyNames = []string{"title", "initial-creator", "creator", "created", "creation-date", "issued", "date", "language"}

// propertiesIn returns the title and the facts in an element with a document's properties. Where two
// elements state the same, the first name counts, and of a name the first with words.
func propertiesIn(e *element) (title string, facts domain.Facts) {
	words := make(map[string]string)
	e.walk(func(e *element) bool {
		if slices.Contains(propertyNames, e.name) && words[e.name] == "" {
			words[e.name] = tidyLine(shorten(e.words(), 4*maxTitle))
		}
		return true
	})
	return words["title"], domain.Facts{
		Author: cmp.Or(words["initial-creator"], words["creator"]), Language: words["language"],
		Published: cmp.Or(words["created"], words["creation-date"], words["issued"], words["date"]),
	}
}

// runningText gathers the text above and below every page. It is not part of the text, but a warning names what occurs
// only there.
type runningText struct {
	open  strings.Builder
	lines []string
}

// Limits on the lines quoted in a warning, and on the code points of each.
const (
	maxRunning     = 5
	maxRunningLine = 80
)

func (r *runningText) add(s string) {
	if r.open.Len() < maxLevelText*4 {
		r.open.WriteString(s)
	}
}

// end ends a line.
func (r *runningText) end() {
	line := strings.Trim(tidyLine(r.open.String()), " –—-|·/")
	r.open.Reset()
	if countsPages(line) || slices.Contains(r.lines, line) || len(r.lines) > 10*maxRunning {
		return
	}
	r.lines = append(r.lines, line)
}

// countsPages reports whether a line consists only of a page number.
func countsPages(line string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(line)) {
		switch strings.Trim(word, ".,:()/–-0123456789") {
		case "", "page", "of", "seite", "von", "p", "side", "af", "av", "sida", "página", "de", "pagina", "di":
		default:
			return false
		}
	}
	return true
}

// warn warns about running text that is missing from the text.
func (r *runningText) warn(w *writer, kind string) {
	text := w.text.String()
	var left []string
	for _, line := range r.lines {
		if !strings.Contains(text, line) && line != w.title {
			left = append(left, "“"+shorten(line, maxRunningLine)+"”")
		}
	}
	if len(left) > 0 {
		w.warn(fmt.Sprintf("The page headers and footers of this %s were left out: %s.", kind, strings.Join(left[:min(len(left), maxRunning)], ", ")))
	}
}

// ofWord reads the headers and footers that the text of a Word document refers to.
func (r *runningText) ofWord(ctx context.Context, files *zipPackage, main string) error {
	related, err := files.related(ctx, main)
	if err != nil {
		return err
	}
	var parts []string
	for _, of := range related {
		if (of.kind == "header" || of.kind == "footer") && files.has(of.part) && len(parts) < 10*maxRunning {
			parts = append(parts, of.part)
		}
	}
	slices.Sort(parts)
	for _, part := range parts {
		root, err := files.tree(ctx, part)
		if err != nil {
			return err
		}
		r.wordLines(root, new(int))
	}
	return nil
}

// wordLines adds the lines of a header or a footer of Word. Fields in it number pages.
func (r *runningText) wordLines(e *element, fields *int) {
	switch {
	case e.is("w", "fldSimple"):
		return
	case e.attr("fldCharType") == "begin":
		*fields++
	case e.attr("fldCharType") == "end":
		*fields = max(0, *fields-1)
	case e.is("w", "t") && *fields == 0:
		r.add(e.words())
	case e.name == "tab":
		r.add(" ")
	}
	for _, kid := range e.kids {
		r.wordLines(kid, fields)
	}
	if e.name == "p" {
		r.end()
	}
}

// ofODT reads the headers and footers among the styles of an OpenDocument text.
func (r *runningText) ofODT(ctx context.Context, files *zipPackage) error {
	return files.eachWhole(ctx, "styles.xml", []string{"header", "footer", "header-left", "footer-left", "header-first", "footer-first"}, func(e *element) {
		if e.space == "style" {
			r.odtLines(e)
		}
	})
}

// odtLines adds the lines of a header or a footer of an OpenDocument text.
func (r *runningText) odtLines(e *element) {
	switch e.name {
	case "page-number", "page-count", "date", "time":
		return
	case "tab", "s":
		r.add(" ")
	}
	r.add(flow(e.text))
	for _, kid := range e.kids {
		r.odtLines(kid)
	}
	if e.name == "p" {
		r.end()
	}
}
