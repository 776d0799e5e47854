// Package outside searches the web through a SearXNG server and reads the pages it finds. Pages are stored with the run that
// requested them, outside the library, and no other search covers them.
package outside

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/read/crawl"
)

// The limits of a search.
const (
	MaxWords   = 400 // code points of a query that may be sent
	maxPages   = 5   // read for one question
	maxTitle   = 200 // code points
	maxEngines = 5   // named if none answers
	maxResults = 2 << 20
	patience   = 20 * time.Second
)

// A Search asks a SearXNG server. It is safe for concurrent use.
type Search struct {
	base   *url.URL
	agent  string
	client *http.Client
}

// NewSearch returns a Search by the server at an address. agent is what the program calls itself to it.
func NewSearch(address, agent string) (*Search, error) {
	base, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, domain.Because(domain.Invalid, err, "WEB_SEARCH_URL is not an address: it should look like http://127.0.0.1:8888.")
	}
	return &Search{base, agent, &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Host returns the host of the server.
func (s *Search) Host() string { return s.base.Host }

// A Result is a page that was found.
type Result struct {
	Address string // canonical, see crawl.Canonical
	Title   string
}

// Find searches for words and returns the pages found, best first, without duplicates and without addresses other than http and
// https. Its errors are never temporary, so that the run fails at once and the person waiting can retry.
func (s *Search) Find(ctx context.Context, words string) ([]Result, error) {
	words = plain(words)
	if words == "" {
		return nil, domain.Errorf(domain.Invalid, "The question has no words to search the web for. Ask in other words.")
	}
	u := *s.base
	u.Path += "/search"
	u.RawQuery = url.Values{"q": {words}, "format": {"json"}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", s.agent)
	r.Header.Set("Accept", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, domain.Because(domain.Invalid, errors.Unwrap(err), "The web search at %s does not answer. Is WEB_SEARCH_URL right, and is the server running?", s.Host())
	}
	defer answer.Body.Close()
	if err := s.refused(answer.StatusCode); err != nil {
		return nil, err
	}
	var found struct {
		Results      []struct{ URL, Title string }
		Unresponsive [][]string `json:"unresponsive_engines"` // each with its name and the reason
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxResults))
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "%s does not answer with a list of results. WEB_SEARCH_URL should be the address of a SearXNG, without /search.", s.Host())
	}
	var results []Result
	seen := map[string]bool{}
	for _, one := range found.Results {
		at, err := crawl.Canonical(one.URL)
		if err != nil || seen[at.String()] {
			continue
		}
		seen[at.String()] = true
		title := cmp.Or(domain.Cut(domain.OneLine(strings.ToValidUTF8(one.Title, "")), maxTitle), at.Host)
		results = append(results, Result{at.String(), title})
	}
	if len(results) == 0 && len(found.Unresponsive) > 0 {
		return nil, s.unresponsive(found.Unresponsive)
	}
	return results, nil
}

// plain returns words without what SearXNG would take for commands: !engine and !!site, which has another site asked, :language
// and <seconds.
func plain(words string) string {
	var kept []string
	for word := range strings.FieldsSeq(words) {
		if word = strings.TrimLeft(word, "!:<"); word != "" {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// unresponsive returns the error of a search that found nothing because engines did not answer.
func (s *Search) unresponsive(engines [][]string) error {
	var named []string
	for _, e := range engines[:min(len(engines), maxEngines)] {
		named = append(named, domain.Cut(domain.OneLine(strings.ToValidUTF8(strings.Join(e, ": "), "")), maxTitle))
	}
	return domain.Errorf(domain.Invalid, "The web search at %s found nothing, and engines that it asks did not answer (%s). Try again later, or choose other engines in its settings.yml.", s.Host(), strings.Join(named, "; "))
}

// refused returns the error of an answer without results.
func (s *Search) refused(status int) error {
	switch status {
	case http.StatusOK:
		return nil
	case http.StatusForbidden:
		return domain.Errorf(domain.Forbidden, "The web search at %s gives no results to programs. Add json to the formats in its settings.yml, formats: [html, json], and restart it.", s.Host())
	case http.StatusNotFound:
		return domain.Errorf(domain.Invalid, "There is no web search at %s. WEB_SEARCH_URL should be the address of a SearXNG, without /search.", s.base)
	case http.StatusTooManyRequests:
		return domain.Errorf(domain.Invalid, "The limiter of the web search at %s takes Clew for a robot. Add this machine to pass_ip in its limiter.toml, or set limiter: false in its settings.yml, and restart it.", s.Host())
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return domain.Errorf(domain.Invalid, "The web search at %s is somewhere else: it answers with another address. Put that in WEB_SEARCH_URL.", s.Host())
	}
	return domain.Errorf(domain.Invalid, "The web search at %s answers with status %d. Its log says why.", s.Host(), status)
}

// Test tries a search and says in words what came of it. It sends the word “weather”.
func (s *Search) Test(ctx context.Context) llm.Check {
	found, err := s.Find(ctx, "weather")
	switch {
	case err != nil:
		return llm.Check{What: "web search", Sentence: domain.InWords(err)}
	case len(found) == 0:
		return llm.Check{What: "web search", Sentence: "The web search at " + s.Host() + " answers, but finds nothing for the word “weather”. Are its engines on?"}
	}
	return llm.Check{What: "web search", OK: true, Sentence: "The web search at " + s.Host() + " answers."}
}
