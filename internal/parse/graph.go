package parse

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphtext"
)

// readGraph reads a file of a graph, in GraphML, JSON or CSV: each entity and
// each relation becomes a line.
func readGraph(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	g := &graphReader{ctx: ctx, w: w, ids: map[string]graphtext.Entity{}}
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, "<"):
		err = g.graphML(s)
	case strings.HasPrefix(s, "{"):
		err = g.json(s)
	default:
		err = g.csv(s)
	}
	if err != nil {
		return err
	}
	return g.finish()
}

// The limits of a file of a graph.
const (
	maxGraphRows = 500_000 // entities and relations
	maxGraphName = 300     // code points of a name, label or type
	maxValue     = 500     // code points of a property
)

// graphReader collects the rows of a file. Relations name their ends by id and
// may come before them.
type graphReader struct {
	ctx       context.Context
	w         *writer
	ids       map[string]graphtext.Entity
	lines     []string // of the paragraph being written
	relations []graphLink
	rows      int
	left      int // rows left out
	cut       int // values cut
	ignored   []string
}

// graphLink is a relation as a file states it, with the ids of its ends.
type graphLink struct {
	source, target string
	kind           string
	properties     []graphtext.Property
}

// markByHand returns the property of what was added without a source in the
// library that a file comes from.
func markByHand(mark string) []graphtext.Property {
	if mark != "true" {
		return nil
	}
	return []graphtext.Property{{Key: "by_hand", Value: "yes"}}
}

// count counts a row. The error says that there are too many, or that nobody
// waits for the result.
func (g *graphReader) count() error {
	g.rows++
	if g.rows > maxGraphRows {
		return domain.Errorf(domain.TooLarge, "This file holds more than %d entities and relations, which is the limit; split it into smaller files.", maxGraphRows)
	}
	if g.rows%1024 == 0 {
		return g.ctx.Err()
	}
	return nil
}

// entity adds an entity with the id that relations refer to, or "".
func (g *graphReader) entity(id string, e graphtext.Entity) error {
	if err := g.count(); err != nil {
		return err
	}
	e = g.tidied(e)
	if !fits(e) {
		g.left++
		return nil
	}
	if id != "" {
		g.ids[id] = graphtext.Entity{Name: e.Name, Label: e.Label}
	}
	return g.write(graphtext.Row{Entity: e})
}

// write adds the lines of a row to the text, a paragraph at a time.
func (g *graphReader) write(r graphtext.Row) error {
	g.lines = append(g.lines, r.Lines()...)
	if len(g.lines) < maxTogether {
		return nil
	}
	return g.flush()
}

// maxTogether is how many lines make a paragraph.
const maxTogether = 1000

func (g *graphReader) flush() error {
	g.w.add(strings.Join(g.lines, "\n"))
	g.lines = g.lines[:0]
	if g.w.full {
		return tooMuchText(g.w.limits.MaxChars)
	}
	return nil
}

// tidied returns an entity with clean texts on single lines.
func (g *graphReader) tidied(e graphtext.Entity) graphtext.Entity {
	out := graphtext.Entity{Name: tidyLine(e.Name), Label: tidyLine(e.Label)}
	for _, a := range e.Aliases {
		if a = g.value(a); a != "" && a != out.Name && !slices.Contains(out.Aliases, a) {
			out.Aliases = append(out.Aliases, a)
		}
	}
	out.Properties = g.properties(e.Properties)
	return out
}

// properties returns those with a key and a value, each once.
func (g *graphReader) properties(list []graphtext.Property) []graphtext.Property {
	var out []graphtext.Property
	for _, p := range list {
		p = graphtext.Property{Key: g.value(p.Key), Value: g.value(p.Value)}
		if p.Key != "" && p.Value != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (g *graphReader) value(s string) string {
	s = tidyLine(s)
	if utf8.RuneCountInString(s) > maxValue {
		g.cut++
		s = shorten(s, maxValue)
	}
	return s
}

// fits reports whether an entity has a name and a label of usable length.
func fits(e graphtext.Entity) bool {
	return e.Name != "" && utf8.RuneCountInString(e.Name) <= maxGraphName && utf8.RuneCountInString(e.Label) <= maxGraphName
}

// relation adds a relation between two ids.
func (g *graphReader) relation(l graphLink) error {
	l.kind = tidyLine(cmp.Or(l.kind, unnamed))
	g.relations = append(g.relations, l)
	return g.count()
}

// unnamed is the type of relations that have none.
const unnamed = "RELATED_TO"

// finish writes the rows: entities, then relations. An end that is no id of an
// entity is a name.
func (g *graphReader) finish() error {
	for _, l := range g.relations {
		source, target := g.end(l.source), g.end(l.target)
		if !fits(source) || !fits(target) || utf8.RuneCountInString(l.kind) > maxGraphName {
			g.left++
			continue
		}
		if err := g.write(graphtext.Row{Entity: source, Type: l.kind, Target: target, Stated: g.properties(l.properties)}); err != nil {
			return err
		}
	}
	if err := g.flush(); err != nil {
		return err
	}
	if g.left > 0 {
		g.w.warn(fmt.Sprintf("%d rows were left out: they have no name, or one of more than %d characters.", g.left, maxGraphName))
	}
	if g.cut > 0 {
		g.w.warn(fmt.Sprintf("%d values were cut after %d characters.", g.cut, maxValue))
	}
	if len(g.ignored) > 0 {
		g.w.warn("These columns were left out: " + strings.Join(g.ignored[:min(len(g.ignored), 20)], ", ") + ".")
	}
	if g.w.runes == 0 {
		g.w.warn("This file holds no entity and no relation.")
	}
	return nil
}

func (g *graphReader) end(id string) graphtext.Entity {
	if e, known := g.ids[id]; known {
		return e
	}
	return graphtext.Entity{Name: tidyLine(id)}
}

// lookLikeGraph reports whether text begins like a file of a graph.
func lookLikeGraph(text string) bool {
	begin := text[:min(len(text), 2048)]
	switch {
	case strings.HasPrefix(begin, "<"):
		return strings.Contains(begin, "<graphml")
	case strings.HasPrefix(begin, "{"):
		return graphMember.MatchString(begin)
	}
	first, _, _ := strings.Cut(begin, "\n")
	_, ok := columnsOf(first)
	return ok
}

// damagedGraph says where a file of a graph is damaged.
func damagedGraph(cause error, format, where string) error {
	return domain.Because(domain.Invalid, cause, "This %s file is damaged %s: %s.", format, where, plainCause(cause))
}

// plainCause returns the words of an error on one line.
func plainCause(err error) string {
	return shorten(strings.TrimRight(tidyLine(err.Error()), "."), 200)
}

// lineOf returns the number of the line at a byte of the text.
func lineOf(s string, at int64) int {
	return 1 + bytes.Count([]byte(s[:min(max(0, at), int64(len(s)))]), []byte("\n"))
}
