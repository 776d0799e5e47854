package builtin

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// grid is a table with the values of its cells.
type grid struct {
	chart.Table
	from    []domain.Passage // passages with the rows, one each
	about   map[string]bool  // stems of its document's title and name, and of the headings above it
	columns []gridColumn
}

// gridColumn describes the cells of a column.
type gridColumn struct {
	head    map[string]bool // stems of the words in the head
	measure map[string]bool // measures in the head: size, length, …
	numeric bool            // most cells are numbers
	years   bool            // and those are years
	flags   bool            // the cells are yes or no
}

// names reports whether the head of a column has a word of a question, or another form of it: spending of spent.
func (c *gridColumn) names(t term) bool {
	if related(c.head, t.stem) {
		return true
	}
	for s := range c.head {
		if stemOf(s) == stemOf(t.stem) {
			return true
		}
	}
	return false
}

// mostSampled is how many rows tell what the cells of a column are.
const mostSampled = 100

// newGrid reads a table.
func newGrid(t chart.Table, from []domain.Passage) *grid {
	g := &grid{Table: t, from: from, about: map[string]bool{}, columns: make([]gridColumn, len(t.Head))}
	name := strings.TrimSuffix(path.Base(from[0].Name), path.Ext(from[0].Name))
	about := []string{from[0].Title, name, strings.NewReplacer("-", " ", "_", " ").Replace(name)}
	for _, h := range from[0].Headings {
		if !domain.IsRow(h) {
			about = append(about, h)
		}
	}
	addStems(g.about, strings.Join(about, "\n"))
	for i := range g.columns {
		c := &g.columns[i]
		c.head, c.measure = map[string]bool{}, map[string]bool{}
		addStems(c.head, t.Head[i].Text)
		for _, w := range prose.Words(t.Head[i].Text) {
			word := strings.ToLower(w.Text)
			if m := columnWords[word]; m != "" {
				c.measure[m] = true
			}
			if deed, ok := strings.CutSuffix(word, "er"); ok && len(deed) > 2 { // a winner has won
				if n := len(deed); deed[n-1] == deed[n-2] {
					deed = deed[:n-1]
				}
				c.head[stemOf(deed)] = true
			}
		}
		c.read(chart.Table{Head: t.Head, Rows: t.Rows[:min(len(t.Rows), mostSampled)]}, i)
	}
	return g
}

// read finds out what the cells of a column are.
func (c *gridColumn) read(t chart.Table, column int) {
	filled, numbers, years, flags := 0, 0, 0, 0
	values, known := t.Numbers(column)
	for i, row := range t.Rows {
		text := row.Cells[column].Text
		switch {
		case text == "":
			continue
		case known[i]:
			numbers++
			if v := values[i]; len(text) == 4 && v == math.Trunc(v) && v >= 1000 && v < 2200 {
				years++
			}
		case affirmed[strings.ToLower(text)] || denied[strings.ToLower(text)]:
			flags++
		}
		filled++
	}
	c.numeric, c.flags = numbers*2 > filled, flags == filled && filled > 0
	c.years = c.numeric && years == numbers && len(c.measure) == 0 && !strings.Contains(t.Head[column].Text, "(")
}

// addStems adds the stems of the words of a text that mean something.
func addStems(to map[string]bool, text string) {
	for _, w := range prose.Words(text) {
		if !isStop(w.Text) {
			to[stemOf(w.Text)] = true
		}
	}
}

// finding is a table's answer to a question.
type finding struct {
	*grid
	rows   []int
	column int           // the answer's column, or the one used for the calculation
	key    bool          // the answer is the first cell of a row; if not, the one in column
	remark string        // the calculation; may be ""
	said   map[int][]int // columns of each row named in the question
	worth  int
}

// search asks a table. It returns nil if the table does not answer.
func (q *tableQuestion) search(g *grid) *finding {
	if q.toward != "" && slices.ContainsFunc(g.columns, func(c gridColumn) bool { return c.head[stemOf(q.tokens[q.by].Text)] }) {
		other := *q // "first" in "First ascent" does not ask for an order
		other.toward, other.measures = "", nil
		q = &other
	}
	m := q.match(g)
	f := &finding{grid: g, column: q.columnOf(g, m), said: m.said}
	if f.column >= 0 {
		m.explainHead(q, g, f.column)
	}
	if !q.settle(g, m, f) || len(f.rows) == 0 || !q.explained(m, f) {
		return nil
	}
	return f
}

// settle decides what a table answers: the rows of a finding, and what is reckoned from them.
func (q *tableQuestion) settle(g *grid, m *matches, f *finding) bool {
	rows := m.rows
	if len(m.keys) > 0 {
		rows = slices.DeleteFunc(slices.Clone(m.rows), func(i int) bool { return !slices.Contains(m.keys, i) })
	}
	asksKey := q.wants == aName || q.nounIs(g.columns[0].head) || q.noun >= 0 && g.about[q.terms[q.noun].stem]
	numeric := f.column > 0 && g.columns[f.column].numeric
	if q.bound != nil {
		return numeric && q.within(m.rows, f)
	}
	if numeric && len(rows) > 1 {
		column := g.columns[f.column]
		if kind := q.reckoning(column, m, rows); kind != "" {
			return f.reckon(q.text, rows, kind)
		}
		among := len(m.keys) > 1 // only among named rows
		if among && (q.toward != "" || q.picks) || len(m.keys) == 0 && q.toward != "" {
			f.key = among || asksKey || !q.nounIs(column.head)
			return q.order(rows, f, !among)
		}
	}
	return q.lookUp(g, m, f, rows, asksKey)
}

// reckoning returns what is reckoned from the numbers of rows, or "".
func (q *tableQuestion) reckoning(c gridColumn, m *matches, rows []int) string {
	switch {
	case len(rows) == 2 && (q.reckon == "difference" || q.many && q.toward != "" && len(m.keys) == 2):
		return "difference"
	case (q.reckon == "sum" || q.reckon == "mean") && !q.headed(c) && !c.years:
		return q.reckon
	}
	return ""
}

// lookUp counts rows, or finds the cell or the rows that answer.
func (q *tableQuestion) lookUp(g *grid, m *matches, f *finding, rows []int, asksKey bool) bool {
	askedFor := f.column > 0 && q.nounIs(g.columns[f.column].head)
	free := f.column > 0 && !m.by[f.column] // its cells are not named
	switch {
	case q.many && len(m.keys) == 0 && m.narrows && asksKey && q.noun >= 0 && !(askedFor && g.columns[f.column].numeric):
		f.column = 0
		return f.count(q.text, rows)
	case len(m.keys) > 0 && len(rows) == 1 && f.column > 0:
		f.rows = rows
		return f.Rows[rows[0]].Cells[f.column].Text != "" && (q.toward == "" || askedFor)
	case len(m.keys) == 0 && m.narrows && q.toward == "" && (asksKey || free):
		f.rows, f.key = rows, !free || q.nounIs(g.columns[0].head)
		return len(rows) <= mostRows
	}
	return false
}

// nounIs reports whether the noun that is asked for has one of the stems.
func (q *tableQuestion) nounIs(stems map[string]bool) bool {
	return q.noun >= 0 && related(stems, q.terms[q.noun].stem)
}

// headed reports whether the head of a column is itself about what is reckoned: "Average depth".
func (q *tableQuestion) headed(c gridColumn) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return reckons[t.text] == q.reckon && c.head[t.stem] })
}

// mostRows is how many rows of a table are quoted at most.
const mostRows = 8

// within takes the rows whose number is within the bound.
func (q *tableQuestion) within(rows []int, f *finding) bool {
	values, known := f.Numbers(f.column)
	var fit []int
	for _, i := range rows {
		if known[i] && q.bound.fits(values[i]) {
			fit = append(fit, i)
		}
	}
	return f.count(q.text, fit)
}

// count counts the rows that fit.
func (f *finding) count(question string, rows []int) bool {
	f.rows, f.key = rows, true
	f.remark = fmt.Sprintf(answer.InLanguageOf(question, answer.SaysRowsFit), len(rows), len(f.Rows))
	return true
}

// order takes the rows with the most or the least in a column, the first before the others. If the years of a column
// imply ages, the oldest has the least.
func (q *tableQuestion) order(rows []int, f *finding, extreme bool) bool {
	values, known := f.Numbers(f.column)
	f.rows = slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return !known[i] })
	sign := 1.0
	if least := q.toward == "least"; least != (f.columns[f.column].years && slices.Contains(q.measures, "age")) {
		sign = -1
	}
	slices.SortStableFunc(f.rows, func(a, b int) int { return cmp.Compare(sign*values[b], sign*values[a]) })
	if len(f.rows) < 2 {
		return false
	}
	if extreme {
		of, last := len(f.rows), 1
		for last < of && values[f.rows[last]] == values[f.rows[0]] {
			last++
		}
		f.rows = f.rows[:last]
		says := answer.SaysMostOf
		if sign < 0 {
			says = answer.SaysLeastOf
		}
		f.remark = fmt.Sprintf(answer.InLanguageOf(q.text, says), f.Head[f.column].Text, of)
	}
	return len(f.rows) <= mostRows
}

// reckon computes a number of rows.
func (f *finding) reckon(question string, rows []int, kind string) bool {
	values, known := f.Numbers(f.column)
	sum, digits := 0.0, 0
	for _, i := range rows {
		if !known[i] {
			return false
		}
		sum += values[i]
		_, fraction, _ := strings.Cut(strconv.FormatFloat(values[i], 'f', -1, 64), ".")
		digits = max(digits, len(fraction))
	}
	says, value := answer.SaysSumOf, sum
	switch kind {
	case "mean":
		says, value, digits = answer.SaysMeanOf, sum/float64(len(rows)), digits+2
	case "difference":
		says, value = answer.SaysDifferenceOf, math.Abs(values[rows[0]]-values[rows[1]])
	}
	number := strconv.FormatFloat(value, 'f', digits, 64)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	f.rows, f.remark = rows, fmt.Sprintf(answer.InLanguageOf(question, says), number, f.Head[f.column].Text, len(rows))
	return true
}

// explained reports whether a table explains enough of a question, and how much.
func (q *tableQuestion) explained(m *matches, f *finding) bool {
	missing := 0
	for i, t := range q.terms {
		if m.terms[i] {
			continue
		}
		if t.named || i == q.noun {
			return false
		}
		missing++
	}
	f.worth = 2*m.strong - 2*missing
	for _, t := range q.terms {
		if f.about[t.stem] || related(f.columns[0].head, t.stem) {
			f.worth++
		}
	}
	return f.worth > 0 && (missing <= 1 && len(q.terms) > 1 || missing*3 <= len(q.terms))
}

// Texts reads the passages of documents, in reading order.
type Texts interface {
	PassagesOf(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) ([]domain.Passage, error)
}

// mostPassages is how many passages a document may have whose tables are read whole.
const mostPassages = 200

// askTables returns the answer of the tables in passages to a question, or nil. A table that continues beyond a passage
// is read whole if it may answer.
func askTables(ctx context.Context, all Texts, w domain.WorkspaceID, q *asked, passages []domain.Passage) (*finding, error) {
	if !slices.ContainsFunc(passages, hasCells) {
		return nil, nil //nolint:nilnil // no table, no finding
	}
	asking, best := readTableQuestion(q), (*finding)(nil)
	read := map[domain.DocumentID]bool{}
	for _, p := range passages {
		if read[p.Document] || !hasCells(p) {
			continue
		}
		grids := joinTables([]domain.Passage{p})
		if all != nil && goesBeyond(p) && slices.ContainsFunc(grids, asking.mayAnswer) {
			read[p.Document] = true
			whole, err := all.PassagesOf(ctx, w, []domain.DocumentID{p.Document})
			if err != nil {
				return nil, err
			}
			if len(whole) > 0 && len(whole) <= mostPassages {
				grids = joinTables(whole)
			}
		}
		for _, g := range grids {
			if f := asking.search(g); f != nil && (best == nil || f.worth > best.worth) {
				best = f
			}
		}
	}
	return best, nil
}

// hasCells reports whether a passage may have rows of a table.
func hasCells(p domain.Passage) bool { return strings.Contains(p.Text, "|") }

// mayAnswer reports whether a part of a table has a column that a question asks for, or rows of what it asks for.
func (q *tableQuestion) mayAnswer(g *grid) bool {
	return q.noun >= 0 && related(g.columns[0].head, q.terms[q.noun].stem) || q.columnOf(g, q.match(g)) >= 0
}

// goesBeyond reports whether a passage begins or ends within a table.
func goesBeyond(p domain.Passage) bool {
	lines := strings.Split(strings.TrimSpace(p.Text), "\n")
	return p.TableHead() != "" || strings.Contains(lines[len(lines)-1], "|")
}

// joinTables returns the tables of passages in reading order. It joins a table that continues in the next passage.
func joinTables(passages []domain.Passage) []*grid {
	type open struct {
		chart.Table
		from []domain.Passage
	}
	var all []open
	for _, p := range passages {
		above := p.TableHead()
		for i, t := range chart.Tables(p.Text, above) {
			from := slices.Repeat([]domain.Passage{p}, len(t.Rows))
			if n := len(all); i == 0 && above != "" && n > 0 && slices.EqualFunc(all[n-1].Head, t.Head, func(a, b chart.Cell) bool { return a.Text == b.Text }) {
				all[n-1].Rows, all[n-1].from = append(all[n-1].Rows, t.Rows...), append(all[n-1].from, from...)
				continue
			}
			all = append(all, open{t, from})
		}
	}
	out := make([]*grid, len(all))
	for i, t := range all {
		out[i] = newGrid(t.Table, t.from)
	}
	return out
}

// has reports whether a table answers with rows of a passage.
func (f *finding) has(passage domain.ChunkID) bool {
	return f != nil && slices.ContainsFunc(f.from, func(p domain.Passage) bool { return p.ID == passage })
}

// quote writes a table's answer.
func (f *finding) quote(pen answer.Pen) {
	if f.remark != "" {
		pen.Remark(f.remark)
	}
	for _, q := range f.quotations() {
		pen.Quote(q)
	}
}

// Tables returns the reader that computes with the cells of tables for a model. Without texts, a table consists of the
// passages that were found.
func Tables(texts Texts) answer.Tables { return tables{texts} }

type tables struct{ texts Texts }

// Reckon implements answer.Tables.
func (t tables) Reckon(ctx context.Context, asked answer.Asked, passages []domain.Passage) (answer.Reckoned, bool, error) {
	f, err := askTables(ctx, t.texts, asked.Workspace, readAsked(asked.Question), passages)
	if err != nil || f == nil {
		return answer.Reckoned{}, false, err
	}
	return answer.Reckoned{Says: f.remark, Rows: f.quotations()}, true, nil
}

// quotations returns the rows that answer, with the contents of their cells.
func (f *finding) quotations() (all []answer.Quotation) {
	for n, i := range f.rows[:min(len(f.rows), mostRows)] {
		row, p := f.Rows[i], f.from[i]
		lead, rest := f.column, []string{}
		if f.key {
			lead = 0
		}
		q := answer.Quotation{Passage: p, Span: row.Span.Shift(p.Span.Start), Close: n > 0}
		mark := func(c chart.Cell) {
			if !c.Span.Empty() {
				q.Marks = append(q.Marks, c.Span.Shift(p.Span.Start))
			}
		}
		mark(row.Cells[lead])
		switch {
		case !f.key:
			rest = append(rest, f.Head[f.column].Text, row.Cells[0].Text)
		case f.column > 0:
			rest = append(rest, f.Head[f.column].Text+": "+row.Cells[f.column].Text)
			mark(row.Cells[f.column])
		}
		for _, c := range f.said[i] {
			switch text := row.Cells[c].Text; {
			case c == lead || c == f.column || c == 0:
			case f.columns[c].flags:
				rest = append(rest, f.Head[c].Text+": "+text)
			default:
				rest = append(rest, text)
			}
		}
		if q.Text = row.Cells[lead].Text; len(rest) > 0 {
			q.Text += " — " + strings.Join(rest, ", ")
		}
		all = append(all, q)
	}
	return all
}
