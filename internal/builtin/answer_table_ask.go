package builtin

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/numbers"
)

// The words of questions about tables, see words.txt.
var (
	extremes, measures        = lists.Kinds("extreme"), lists.Kinds("measure")
	columnWords               = lists.Kinds("column")
	reckons, bounds           = lists.Kinds("reckon"), lists.Kinds("bound")
	affirmed, denied          = lists.Set("affirmed"), lists.Set("denied")
	wordsOfTables, unitsNamed = lists.Set("of-tables"), lists.Set("units")
)

// tableQuestion is a question as it is put to tables.
type tableQuestion struct {
	*asked
	terms    []term
	noun     int    // the term after the question word: "how many moons"; -1 if there is none
	toward   string // most or least; "" for neither
	by       int    // index of the token with that meaning
	measures []string
	reckon   string // sum, mean or difference; may be ""
	many     bool   // it asks for a number of things
	bound    *bound
	picks    bool // it names two things to choose between
}

// term is a word of a question that means something.
type term struct {
	stem, text string
	token      int
	named      bool
}

// bound is a limit of numbers.
type bound struct {
	token  int // of its number
	than   float64
	more   bool // numbers above it are meant, if not, below
	itself bool // including the number itself
}

// fits reports whether a number is within the bound.
func (b bound) fits(v float64) bool {
	return b.itself && v == b.than || b.more && v > b.than || !b.more && v < b.than
}

// readTableQuestion reads a question.
func readTableQuestion(q *asked) *tableQuestion {
	out := &tableQuestion{asked: q, noun: -1}
	out.many = q.wants == aNumber && q.asks.Len() > 0
	out.readBound()
	names := prose.Names(q.text)
	for i, t := range q.tokens {
		word := strings.ToLower(t.Text)
		digits := strings.ContainsAny(word, "0123456789")
		if i < q.asks.Start || !t.Word && !digits || out.readOrder(i, word) {
			continue
		}
		out.picks = out.picks || word == "or" || word == "oder" || word == "ou"
		if isStop(t.Text) || measures[word] != "" || out.bound != nil && i == out.bound.token {
			continue
		}
		named := digits || slices.ContainsFunc(names, func(n prose.Name) bool { return n.Kind == prose.Proper && n.Span.Contains(t.Span) })
		out.terms = append(out.terms, term{stemOf(t.Text), word, i, named})
		if out.noun < 0 && !wordsOfTables[word] && q.asks.Len() > 0 && i >= q.asks.Start && i <= q.asks.End+2 {
			out.noun = len(out.terms) - 1
		}
	}
	return out
}

// readOrder reads a word that asks for a measure, for reckoning, or for an extreme: "oldest". It reports whether it is of the last kind.
func (q *tableQuestion) readOrder(at int, word string) bool {
	q.measures = append(q.measures, strings.Fields(measures[word])...)
	q.reckon = cmp.Or(q.reckon, reckons[word])
	kind := extremes[word]
	if kind == "" || q.many && at <= q.asks.End {
		return false
	}
	toward, of, _ := strings.Cut(kind, " ")
	q.measures = append(q.measures, strings.Fields(of)...)
	if limits := q.bound != nil && at < q.bound.token && at >= q.bound.token-3; q.toward == "" && !limits {
		q.toward, q.by = toward, at
	}
	return true
}

// readBound finds a number with a word before it that makes it a limit: "more than 50", "before 1900".
func (q *tableQuestion) readBound() {
	amounts := numbers.Read(q.text, "")
	for i, t := range q.tokens {
		at := slices.IndexFunc(amounts, func(a numbers.Number) bool { return a.Span.Overlaps(t.Span) })
		if at < 0 {
			continue
		}
		for j := i - 1; j >= max(0, i-3); j-- {
			switch kind := bounds[q.word(j)]; {
			case (q.word(j) == "than" || q.word(j) == "als") && j > 0 && extremes[q.word(j-1)] != "":
				toward, _, _ := strings.Cut(extremes[q.word(j-1)], " ")
				q.bound = &bound{i, amounts[at].Value(), toward == "most", false}
			case kind == "most" && q.word(j-1) != "at", kind == "":
				continue
			default:
				q.bound = &bound{i, amounts[at].Value(), kind == "more" || kind == "least", kind == "least" || kind == "most"}
			}
			return
		}
	}
}

// matches holds the words of a question found in the cells of a table.
type matches struct {
	keys    []int         // rows named by their first cell
	rows    []int         // rows selected by the other cells; all if none is named
	narrows bool          // another cell is named
	said    map[int][]int // columns of the named cells of each row
	by      map[int]bool  // columns with named cells
	terms   map[int]bool  // indexes of the terms that the table explains
	strong  int           // how many of them are explained by cells and heads
}

// match finds the rows that a question names.
func (q *tableQuestion) match(g *grid) *matches {
	m := &matches{said: map[int][]int{}, by: map[int]bool{}, terms: map[int]bool{}}
	left := make([]bool, len(g.Rows))
	for i := range left {
		left[i] = true
	}
	for column := range g.columns {
		rows, terms := q.named(g, column)
		if len(rows) == 0 {
			continue
		}
		for t := range terms {
			m.terms[t] = true
		}
		m.by[column], m.strong = true, m.strong+len(terms)
		for _, row := range rows {
			m.said[row] = append(m.said[row], column)
		}
		if column == 0 {
			m.keys = rows
			continue
		}
		m.narrows = true
		for i := range left {
			left[i] = left[i] && slices.Contains(rows, i)
		}
	}
	for i := range left {
		if left[i] {
			m.rows = append(m.rows, i)
		}
	}
	for i, t := range q.terms {
		if g.about[t.stem] || related(g.columns[0].head, t.stem) || wordsOfTables[t.text] || unitsNamed[t.text] || reckons[t.text] != "" || bounds[t.text] != "" || isPastVerb(t.text) {
			m.terms[i] = true
		}
	}
	return m
}

// hit is a cell that a question names.
type hit struct {
	row   int
	words []string // its stems
	by    []int    // terms that match it
	whole bool     // they match all of its words
}

// named returns the rows of a column whose cells a question names, with the indexes of the terms that do. A cell is named
// by all its words, or by a name that no other cell has. Of cells named by fewer words than others none is meant; of first
// cells those whose words another one has too: George, George V.
func (q *tableQuestion) named(g *grid, column int) (rows []int, terms map[int]bool) {
	c := &g.columns[column]
	switch {
	case c.flags:
		return q.flagged(g, column)
	case c.numeric && !c.years && column > 0:
		return nil, nil
	}
	hits, cells := q.hits(g, column)
	most := 0
	for _, h := range hits {
		most = max(most, len(h.by))
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool {
		return !h.whole && !slices.ContainsFunc(h.by, func(at int) bool { return q.terms[at].named && cells[q.terms[at].stem] == 1 }) || column > 0 && len(h.by) < most
	})
	terms = map[int]bool{}
	for _, h := range hits {
		if column == 0 && len(hits) <= mostSampled && slices.ContainsFunc(hits, func(o hit) bool { return len(o.by) > len(h.by) && contains(o.words, h.words) }) {
			continue
		}
		rows = append(rows, h.row)
		for _, at := range h.by {
			terms[at] = true
		}
	}
	return rows, terms
}

// hits returns the cells of a column that have a term of a question, and in how many each term is.
func (q *tableQuestion) hits(g *grid, column int) (out []hit, cells map[string]int) {
	cells = map[string]int{}
	for i, row := range g.Rows {
		text := strings.ToLower(row.Cells[column].Text)
		if !slices.ContainsFunc(q.terms, func(t term) bool { return strings.Contains(text, t.text[:min(len(t.text), 3)]) }) {
			continue // stems cost more
		}
		h := hit{row: i, words: stemsOf(row.Cells[column].Text)}
		for _, w := range h.words {
			if at := slices.IndexFunc(q.terms, func(t term) bool { return t.stem == w }); at >= 0 {
				h.by = append(h.by, at)
				cells[w]++
			}
		}
		if h.whole = len(h.by) == len(h.words); len(h.by) > 0 {
			out = append(out, h)
		}
	}
	return out, cells
}

// contains reports whether all words of b are in a.
func contains(a, b []string) bool {
	return !slices.ContainsFunc(b, func(w string) bool { return !slices.Contains(a, w) })
}

// stemsOf returns the stems of a cell's words that mean something, or of all where none does.
func stemsOf(text string) []string {
	var some, all []string
	for _, w := range prose.Words(text) {
		all = append(all, stemOf(w.Text))
		if !isStop(w.Text) || len(w.Text) == 1 {
			some = append(some, stemOf(w.Text))
		}
	}
	if len(some) == 0 {
		return all
	}
	return some
}

// flagged returns the rows with a yes in a column whose whole head occurs in the question, or with a no if the question
// negates it.
func (q *tableQuestion) flagged(g *grid, column int) (rows []int, terms map[int]bool) {
	terms = map[int]bool{}
	for i, t := range q.terms {
		if related(g.columns[column].head, t.stem) {
			terms[i] = true
		}
	}
	if len(terms) < len(g.columns[column].head) {
		return nil, nil
	}
	want := affirmed
	if slices.ContainsFunc(q.tokens, func(t prose.Token) bool { return denials[strings.ToLower(t.Text)] }) {
		want = denied
	}
	for i, row := range g.Rows {
		if want[strings.ToLower(row.Cells[column].Text)] {
			rows = append(rows, i)
		}
	}
	return rows, terms
}

// related reports whether a stem is among others, or begins like one of them: design, designer.
func related(stems map[string]bool, stem string) bool {
	if stems[stem] {
		return true
	}
	for s := range stems {
		short, long := s, stem
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(short) > 3 && strings.HasSuffix(long, short) { // Bundesland
			return true
		}
		if len(short) > 2 && len(long)-len(short) <= 4 && strings.HasPrefix(long, short) && (len(short) > 4 || long[len(short)-1] == long[len(short)] || len(short) > 3 && len(long)-len(short) <= 3) {
			return true
		}
	}
	return false
}

// columnOf returns the column that a question asks for, or -1: the one whose head has most of its words, or measures what it
// asks for.
func (q *tableQuestion) columnOf(g *grid, m *matches) int {
	best, most := -1, 0
	for i := range g.columns {
		c := &g.columns[i]
		if i == 0 || m.by[i] && !c.numeric {
			continue
		}
		worth := 0
		for at, t := range q.terms {
			if c.names(t) && !(m.terms[at] && g.about[t.stem] && len(c.head) == 1 && q.noun != at) {
				worth += 4
				if at == q.noun {
					worth += 2
				}
			}
		}
		if c.numeric && slices.ContainsFunc(q.measures, func(of string) bool { return c.measure[of] }) {
			worth += 3
		}
		if worth > most {
			best, most = i, worth
		}
	}
	if best < 0 {
		return q.columnByKind(g, m)
	}
	return best
}

// columnByKind returns the only column of the kind that a question asks for, or -1.
func (q *tableQuestion) columnByKind(g *grid, m *matches) int {
	fits := func(*gridColumn) bool { return false }
	switch {
	case slices.Contains(q.measures, "age"), slices.Contains(q.measures, "year"), q.wants == aDate:
		fits = func(c *gridColumn) bool { return c.years }
	case q.toward != "" && len(q.measures) == 0 || q.reckon != "" || q.many && len(q.measures) == 0:
		fits = func(c *gridColumn) bool { return c.numeric && !c.years }
	}
	only := -1
	for i := range g.columns {
		if i > 0 && !m.by[i] && fits(&g.columns[i]) {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}

// explainHead counts the terms that the head of a column has.
func (m *matches) explainHead(q *tableQuestion, g *grid, column int) {
	for i, t := range q.terms {
		if g.columns[column].names(t) {
			if !m.terms[i] {
				m.strong++
			}
			m.terms[i] = true
		}
	}
}
