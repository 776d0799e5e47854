//go:build e2e

package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/format"
)

// alike returns the texts, and the attributes that people read or hear, which the German page at an address has as the English one
// does, if there is an English word in them. States, code and the names of nodes are left out.
const alike = `(async (path) => {
	const english = /\b(the|of|and|is|are|was|were|with|for|from|not|this|that|these|has|have|been|to|by|on|or|be|no|only|each|when|which|what|who|its|their|than|into|waits|waiting|changed|added|deleted|word|words|page|pages)\b/i;
	const read = async (language) => {
		const page = new DOMParser().parseFromString(await (await fetch(path, { headers: { "Accept-Language": language } })).text(), "text/html");
		const words = [], walk = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
		while (walk.nextNode())
			if (!walk.currentNode.parentElement.closest("script, style, textarea, pre, code, kbd, .te, .state-fields")) words.push(walk.currentNode.data);
		for (const name of ["aria-label", "title", "placeholder", "alt", "content"])
			for (const e of page.querySelectorAll("[" + name + "]")) words.push(e.getAttribute(name));
		return words.map((w) => w.trim().replace(/\s+/g, " "));
	};
	const en = new Set(await read("en"));
	return [...new Set(await read("de"))].filter((w) => en.has(w) && english.test(w));
})`

// content is what a library holds, in letters.
type content struct {
	text  string   // of documents with their names, what relations are called, and of the schemas to begin with
	names []string // of entities
}

// speaksGerman fails for each English text on the German pages that is not of the library's content.
func (b *browser) speaksGerman(pages []audited, of content) {
	b.t.Helper()
	said := map[string]bool{}
	for _, p := range pages {
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](alike+"("+strconv.Quote(p.path)+")", chromedp.EvalAwaitPromise))
		b.must(err)
		for _, words := range found {
			if words = strings.TrimSuffix(words, " · Clew"); !said[words] && !slices.Contains(values, words) && !of.has(words) {
				b.t.Errorf("%s (%s) has in English: %s", p.name, p.path, words)
			}
			said[words] = true
		}
	}
}

// values are English because somebody wrote them so: a setting's default, what the test expects of an answer, and settings that
// changed, by their names.
var values = []string{"single sign-on", "“none of it”", "search words → default", "search words → default, rewrites 0 → 3"}

// has reports whether words are of the content: a part of its text, shortened or quoted in an answer, or a question about a name.
func (c content) has(words string) bool {
	for _, part := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune("“”…,·", r) }) {
		if part = unmarked(part); len(part) > 12 && strings.Contains(c.text, part) {
			return true
		}
	}
	all := unmarked(words)
	about := func(name string) bool { return strings.Contains(all, name) }
	return strings.Contains(c.text, all) || strings.HasSuffix(words, "?") && slices.ContainsFunc(c.names, about)
}

// unmarked returns the letters and digits of a text, in lower case.
func unmarked(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }), "")
}

func contentOf(t *testing.T, a *app) (c content) {
	t.Helper()
	ctx, w, all := t.Context(), domain.DefaultWorkspace, &strings.Builder{}
	docs, _, err := a.ledger.Documents(ctx, w, ledger.DocumentQuery{})
	noError(t, err)
	for _, d := range docs {
		text, err := a.ledger.Text(ctx, w, d.ID)
		noError(t, err)
		all.WriteString(unmarked(d.Name+text.Title+text.Content) + " ")
	}
	types, err := a.graph.Types(ctx, w)
	noError(t, err)
	for _, one := range types {
		all.WriteString(unmarked(format.Words(one.Type)) + " ")
	}
	for _, one := range schemas.Templates() {
		g, err := one.Guide()
		noError(t, err)
		yaml, err := schemas.Write(g)
		noError(t, err)
		all.WriteString(unmarked(string(yaml)) + " ")
	}
	entities, _, err := a.graph.Entities(ctx, w, graphstore.EntityQuery{})
	noError(t, err)
	for _, e := range entities {
		all.WriteString(unmarked(e.Name) + " ")
		c.names = append(c.names, unmarked(e.Name))
	}
	for _, q := range sample.Try() {
		all.WriteString(unmarked(q.Question) + " ")
	}
	c.text = all.String()
	return c
}
