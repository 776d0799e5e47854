package graph

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/table"
)

// The limits of a statement.
const (
	maxStatement = 20_000 // bytes
	defaultRows  = 100
	maxResult    = 1_000 // rows
	defaultTime  = 10 * time.Second
	maxTime      = 60 * time.Second
	maxDrawn     = 60 // nodes
)

// Cypher serves the page for statements in the store's own language.
func (h *Handler) Cypher(c echo.Context) error {
	return h.cypherPage(c, http.StatusOK, page.CypherProps{Statement: c.QueryParam("q"), Rows: defaultRows, Seconds: int(defaultTime / time.Second)})
}

// RunCypher runs a statement and shows its result, or sends it as CSV.
func (h *Handler) RunCypher(c echo.Context) error {
	if h.Console == nil {
		return domain.Errorf(domain.Unsupported, "There is no Neo4j to ask: the graph is a file in the data folder.")
	}
	p := page.CypherProps{
		Statement: c.FormValue("statement"), Parameters: c.FormValue("parameters"),
		Rows: within(c.FormValue("rows"), defaultRows, maxResult), Seconds: within(c.FormValue("seconds"), int(defaultTime/time.Second), int(maxTime/time.Second)),
	}
	s, err := statement(p)
	if err != nil {
		return h.refused(c, p, err)
	}
	t, err := h.Console.Run(c.Request().Context(), s)
	if err != nil {
		return h.refused(c, p, err)
	}
	if c.FormValue("as") == "csv" {
		return sendSheet(c, t)
	}
	p.Result = result(t)
	return h.cypherPage(c, http.StatusOK, p)
}

// refused shows the form with what is wrong with the statement.
func (h *Handler) refused(c echo.Context, p page.CypherProps, err error) error {
	if domain.KindOf(err) == domain.Internal || respond.WantsJSON(c) {
		return err
	}
	problem := respond.Refusal(c, err)
	p.Problem = problem.Message
	return h.cypherPage(c, problem.Status, p)
}

func (h *Handler) cypherPage(c echo.Context, status int, p page.CypherProps) (err error) {
	p.Connected = h.Console != nil
	p.Restricted = p.Connected && h.Console.Restricted()
	if p.App, err = h.Frame.App(c, layout.Graph, "Cypher"); err != nil {
		return err
	}
	return respond.HTML(c, status, page.CypherPage(p))
}

// within reads a number between 1 and most.
func within(text string, usual, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return usual
	}
	return min(max(1, n), most)
}

// statement reads the form.
func statement(p page.CypherProps) (graphstore.Statement, error) {
	s := graphstore.Statement{Text: p.Statement, Rows: p.Rows, Timeout: time.Duration(p.Seconds) * time.Second}
	if strings.TrimSpace(s.Text) == "" {
		return s, domain.Errorf(domain.Invalid, "Write a statement, for instance MATCH (e:__Entity__) RETURN e LIMIT 10.")
	}
	if len(s.Text) > maxStatement {
		return s, domain.Errorf(domain.TooLarge, "The statement has %d bytes and the limit is %d.", len(s.Text), maxStatement)
	}
	if strings.TrimSpace(p.Parameters) == "" {
		return s, nil
	}
	var err error
	s.Parameters, err = Parameters(p.Parameters)
	return s, err
}

// Parameters reads the parameters of a statement from a JSON object. Whole
// numbers stay whole.
func Parameters(text string) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil || d.More() {
		return nil, domain.Because(domain.Invalid, err, `The parameters should be one JSON object, for instance {"name": "Copper Bridge"}.`)
	}
	for key, value := range all {
		all[key] = whole(value)
	}
	return all, nil
}

// whole turns JSON's numbers into Go's.
func whole(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // a number of JSON
		return f
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = whole(v[key])
		}
	}
	return value
}

// sendSheet sends a table as CSV.
func sendSheet(c echo.Context, t graphstore.Table) error {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, v := range row {
			rows[i] = append(rows[i], CellText(v))
		}
	}
	text, err := table.Sheet(t.Columns, rows)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="cypher.csv"`)
	return c.Blob(http.StatusOK, kinds["csv"], text)
}

// CellText returns a value of a table as text: texts as they are, anything else
// as JSON.
func CellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, _ := json.Marshal(v) //nolint:errchkjson // values of a table are those that JSON knows
	return string(b)
}

// result prepares a table for the page.
func result(t graphstore.Table) *page.CypherResult {
	r := &page.CypherResult{Columns: t.Columns, More: t.More, Took: t.Took, Nodes: len(t.Nodes), Relations: len(t.Edges)}
	names := map[string]string{}
	for _, n := range t.Nodes {
		names[n.ID] = n.Name
	}
	for _, row := range t.Rows {
		cells := make([]page.CypherCell, len(row))
		for i, v := range row {
			cells[i] = cell(v, names)
		}
		r.Rows = append(r.Rows, cells)
	}
	var entities []domain.EntityID
	for _, n := range t.Nodes {
		if n.Entity != "" {
			entities = append(entities, n.Entity)
		}
	}
	if len(entities) > 0 {
		r.Explore = link.GraphAround(entities...)
	}
	r.Picture = present.Picture(drawnTable(t), "", "", "The nodes and relationships of the result")
	return r
}

// cell returns a value of the table. An entity is linked, and a relationship reads as
// a sentence where the names of its ends are in the result too.
func cell(v any, names map[string]string) page.CypherCell {
	switch v := v.(type) {
	case graphstore.TableNode:
		if v.Entity != "" {
			return page.CypherCell{Text: v.Name, Label: v.Label, URL: link.Entity(v.Entity)}
		}
	case graphstore.TableEdge:
		return page.CypherCell{Text: strings.TrimSpace(names[v.From] + " " + v.Type + " " + names[v.To])}
	}
	return page.CypherCell{Text: domain.Cut(CellText(v), 2000)}
}

// drawnTable lays out the nodes of a table.
func drawnTable(t graphstore.Table) explore.View {
	a := &graphstore.Adjacency{}
	for _, n := range t.Nodes {
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.EntityID(n.ID), Label: n.Label, Name: n.Name})
	}
	slices.SortFunc(a.Entities, func(x, y graphstore.AdjacentEntity) int { return cmp.Compare(x.ID, y.ID) })
	at := map[string]int32{}
	for i, e := range a.Entities {
		at[string(e.ID)] = int32(i)
	}
	for _, e := range t.Edges {
		from, ok := at[e.From]
		to, known := at[e.To]
		if ok && known {
			a.Relations = append(a.Relations, graphstore.AdjacentRelation{Source: from, Target: to, Type: e.Type, Evidence: 1})
		}
	}
	return explore.New(a).Part(explore.Filter{}, maxDrawn)
}
