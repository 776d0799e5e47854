//go:build e2e

package main

import (
	"crypto/rand"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/views/link"
)

// TestTheGraphIsAskedInCypher asks a real Neo4j: a table, a picture that leads to
// the explorer, a statement that takes too long, and one that writes. On a wide
// screen and on a phone, in light and dark colours.
func TestTheGraphIsAskedInCypher(t *testing.T) {
	t.Parallel()
	s := env{
		environ: []string{"DATA_DIR=" + copyOfSample(t), "LISTEN=127.0.0.1:0", "LOG_LEVEL=warn"},
		stdout:  io.Discard, stderr: t.Output(), now: time.Now, random: rand.Reader,
	}.graphOn(servers.OwnNeo4j(t))
	cfg, err := s.load("")
	noError(t, err)
	a, err := open(t.Context(), cfg, s)
	noError(t, err)
	noError(t, a.projector.Reset(t.Context(), domain.DefaultWorkspace, projection.Stores{Graph: true}))
	noError(t, a.projector.Apply(t.Context(), domain.DefaultWorkspace))
	noError(t, a.Close())
	base := serveEnv(t, s)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open(link.GraphCypher)
		run := func(name, statement, seconds string) {
			t.Helper()
			b.fill(sel("statement"), statement)
			b.fill(`[name="seconds"]`, seconds)
			js[any](b, `window.before = true`)
			b.click(sel("run"))
			b.until(`!window.before && document.readyState === "complete" && !!document.querySelector('[data-testid="result"], [data-testid="problem"]')`)
			b.fits(width)
			b.shoot("cypher-" + name + "-" + strconv.Itoa(width))
			js[any](b, `document.documentElement.dataset.theme = "dark"; document.getAnimations().forEach((a) => a.finish())`)
			b.shoot("cypher-" + name + "-dark-" + strconv.Itoa(width))
			js[any](b, `delete document.documentElement.dataset.theme`)
		}
		run("table", `MATCH (e:__Entity__) WHERE e.name STARTS WITH 'Copper' RETURN e.name AS name, e.label ORDER BY name LIMIT 3`, "60")
		if names := js[string](b, `[...document.querySelectorAll('[data-testid="result"] td:first-child')].map((c) => c.textContent.trim()).join("|")`); !strings.Contains(names, "Copper Bridge") {
			t.Errorf("the table names %q", names)
		}
		run("write", `MATCH (e:__Entity__) SET e.name = 'gone'`, "60")
		if said := b.text(sel("problem")); !strings.Contains(said, "Only statements that read") {
			t.Errorf("a statement that writes: %q", said)
		}
		run("late", `UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a * b = -1 RETURN count(*)`, "1")
		if said := b.text(sel("problem")); !strings.Contains(said, "took longer than 1s") {
			t.Errorf("a statement without end: %q", said)
		}
		run("graph", `MATCH (e {name: 'Copper Bridge'})-[r]-(n:__Entity__) RETURN e, r, n`, "60")
		names := js[string](b, `[...document.querySelectorAll('[data-testid="graph-picture"] text')].map((t) => t.textContent).join("|")`)
		if !strings.Contains(names, "Copper Bridge") {
			t.Errorf("the picture names %q", names)
		}
		if said := squeeze(b.text(sel("result"))); !strings.Contains(said, "Henrike Aldous DESIGNED Copper Bridge") || strings.Contains(said, "contributions") {
			t.Errorf("the relations are said as %q", said)
		}
		b.click(`[data-testid="result"] [role="status"] a`)
		b.until(pictured + ` && document.querySelector("#graph-picture").picture.ranked.some((a) => a.name === "Copper Bridge")`)
		b.quiet("403", "413", "422")
	}
}
