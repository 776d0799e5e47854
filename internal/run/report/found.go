package report

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
)

// maxClosest is the number of passages shown below a question without an answer.
const maxClosest = 3

// FoundFor returns what a search found for a question that no model answered, without the texts of the passages (see
// [Excerpts]). It returns nil if a model wrote the answer, the run found nothing, or the run is no longer kept.
func FoundFor(m ledger.Answer, v *trace.View) *outline.Found {
	if m.Status != ledger.MessageDone || len(m.Figures) > 0 || len(m.Sentences) == 0 {
		return nil
	}
	if path := v.Path(); slices.Contains(path, answer.NodeGreet) || slices.Contains(path, answer.NodeWhich) {
		p := &outline.Found{Quoted: true, Greets: true, Says: []string{m.Sentences[0].Text}}
		for _, s := range m.Sentences[1:] {
			if strings.TrimRight(s.Text, ".!:") == s.Text {
				p.Try = append(p.Try, outline.Try{Text: s.Text})
			} else {
				p.Says[0] += " " + s.Text
			}
		}
		return p
	}
	if p := quoted(m); p != nil {
		return p
	}
	if w := v.Words(); w != nil && len(w.Words) > 0 && len(m.Citations) == 0 {
		p := &outline.Found{Quoted: true, Words: w.Words}
		if slices.ContainsFunc(w.Words, func(a domain.AskedWord) bool { return a.Documents > 0 }) {
			p.Closest = nearestOf(v)
		}
		return p
	}
	if said(m.Sentences) || len(m.Citations) > 0 {
		return nil
	}
	p := &outline.Found{Asked: wordings(m.Question, v)}
	for _, g := range closest(v) {
		if len(p.Closest) == maxClosest {
			p.Rest++
			p.Unread = p.Unread || g.Verdict != domain.Irrelevant
			continue
		}
		p.Closest = append(p.Closest, nearOf(g))
	}
	if len(p.Closest) == 0 {
		return nil
	}
	return p
}

func nearOf(g domain.Grading) outline.Near {
	n := outline.Near{Chunk: g.Chunk, Document: g.Document, Name: g.Name, Where: g.Where(), Said: g.Said(), Reason: g.Reason}
	if g.Nearest != nil {
		n.Span = g.Nearest.Span
	}
	return n
}

// nearestOf returns the passages that came nearest to a question, though not near, the nearest first.
func nearestOf(v *trace.View) []outline.Near {
	all := slices.DeleteFunc(closest(v), func(g domain.Grading) bool { return g.Nearest == nil || g.Nearest.Score == 0 })
	slices.SortStableFunc(all, func(a, b domain.Grading) int { return cmp.Compare(b.Nearest.Score, a.Nearest.Score) })
	var out []outline.Near
	for _, g := range all[:min(len(all), maxClosest)] {
		out = append(out, nearOf(g))
	}
	return out
}

// quoted returns the quotations of an answer that no model read, or nil if it has none.
func quoted(m ledger.Answer) *outline.Found {
	p := &outline.Found{Quoted: true}
	text := map[int]string{} // of the quotation, by its citation
	for _, s := range m.Sentences {
		for _, n := range s.Citations {
			if text[n] == "" && s.Quote {
				text[n] = s.Text
			}
		}
		if s.Remark && !strings.HasSuffix(s.Text, ":") { // a heading replaces it
			p.Says = append(p.Says, s.Text)
		}
	}
	near := map[int]outline.Near{}
	for _, c := range m.Citations {
		if text[c.N] == "" {
			continue
		}
		n := outline.Near{N: c.N, Chunk: c.Chunk, Document: c.DocumentID, Span: c.Span, Name: c.Document, Where: c.Where(), Tie: c.Tie, Deleted: c.Text == ""}
		n.Text = marked(text[c.N], decisive(text[c.N], c))
		n.Excerpt = within(text[c.N], c.Text)
		near[c.N] = n
		if c.Close && c.Tie == "" {
			p.Closest = append(p.Closest, n)
		} else {
			p.Best = append(p.Best, n)
		}
	}
	if p.Groups = grouped(m.Sentences, near); len(p.Groups) > 0 {
		p.Best, p.Closest = nil, nil
		return p
	}
	if len(p.Best) == 0 {
		return nil
	}
	return p
}

// grouped returns the quotations below each heading.
func grouped(sentences []domain.Sentence, near map[int]outline.Near) []outline.Group {
	var groups []outline.Group
	for _, s := range sentences {
		if name, ok := answer.Group(s); ok {
			groups = append(groups, outline.Group{Name: name})
		}
		if !s.Quote || len(s.Citations) == 0 || len(groups) == 0 {
			continue
		}
		g := &groups[len(groups)-1]
		g.Near = append(g.Near, near[s.Citations[0]])
	}
	return groups
}

// within returns a quotation with the words of its citation marked, or all of it marked if it words them differently.
func within(text, cited string) []outline.Piece {
	before, _, ok := strings.Cut(text, domain.OneLine(cited))
	if !ok || cited == "" {
		return []outline.Piece{{Text: text, Marked: true}}
	}
	start := domain.Runes(before)
	return marked(text, []domain.Span{{Start: start, End: start + domain.Runes(domain.OneLine(cited))}})
}

// unquoted returns pieces without the quotation marks around them.
func unquoted(pieces []outline.Piece) []outline.Piece {
	const marks = "“”„«»\""
	if len(pieces) == 0 {
		return nil
	}
	pieces = slices.Clone(pieces)
	first, last := &pieces[0], &pieces[len(pieces)-1]
	first.Text = strings.TrimLeft(first.Text, marks+" \u00a0")
	last.Text = strings.TrimRight(last.Text, marks+" \u00a0")
	return slices.DeleteFunc(pieces, func(p outline.Piece) bool { return p.Text == "" })
}

// joined returns the text of pieces in one line.
func joined(pieces []outline.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return domain.OneLine(b.String())
}

// decisive returns the decisive words of a citation in the text that quotes it.
func decisive(text string, c domain.Citation) (spans []domain.Span) {
	at := 0 // bytes
	for _, m := range c.Marks {
		if !c.Span.Contains(m) {
			continue
		}
		words := domain.OneLine(m.Shift(-c.Span.Start).Slice(c.Text))
		i := strings.Index(text[at:], words)
		if words == "" || i < 0 {
			continue
		}
		start := domain.Runes(text[:at+i])
		spans = append(spans, domain.Span{Start: start, End: start + domain.Runes(words)})
		at += i + len(words)
	}
	return spans
}

// said reports whether an answer says anything from the library.
func said(sentences []domain.Sentence) bool {
	return slices.ContainsFunc(sentences, func(s domain.Sentence) bool { return !s.Remark })
}

// wordings returns the wordings searched for, with the number of relevant passages found for each.
func wordings(question string, v *trace.View) []outline.Wording {
	var asked []outline.Wording
	for _, s := range v.Steps {
		if n := len(s.Rewrites); n > 0 {
			question = s.Rewrites[n-1].To
		}
		if n := len(asked); len(s.Methods) > 0 && (n == 0 || asked[n-1].Text != question) {
			asked = append(asked, outline.Wording{Text: question})
		}
		if len(asked) == 0 {
			continue
		}
		last := &asked[len(asked)-1]
		for _, g := range s.Grades {
			last.Graded++
			if g.Verdict == domain.Relevant {
				last.Relevant++
			}
		}
	}
	return asked
}

// closest returns the passages that were graded, each once, in the order of the
// first search that found them.
func closest(v *trace.View) []domain.Grading {
	var all []domain.Grading
	var order []domain.ChunkID
	for _, s := range v.Steps {
		for _, m := range s.Methods {
			if len(m.Ranked) > 0 {
				order = m.Ranked
			}
		}
		if len(s.Found) > 0 {
			order = nil
			for _, f := range s.Found {
				order = append(order, f.Chunk)
			}
		}
		found := lists.Filter(s.Grades, func(g domain.Grading) bool {
			return !slices.ContainsFunc(all, func(o domain.Grading) bool { return o.Chunk == g.Chunk })
		})
		place := func(g domain.Grading) int {
			if i := slices.Index(order, g.Chunk); i >= 0 {
				return i
			}
			return len(order)
		}
		slices.SortStableFunc(found, func(a, b domain.Grading) int { return place(a) - place(b) })
		all = append(all, found...)
	}
	return all
}

// Sources holds the passages and headings from which the excerpts of a page are made.
type Sources struct {
	passages map[domain.ChunkID]domain.Passage
	headings map[domain.DocumentID][]domain.Heading
}

// ReadSources reads the passages found for questions, and the headings of their documents.
func ReadSources(ctx context.Context, l *ledger.Ledger, w domain.WorkspaceID, found ...*outline.Found) (s Sources, err error) {
	var chunks []domain.ChunkID
	for _, p := range found {
		if p == nil {
			continue
		}
		for _, n := range slices.Concat(p.Best, p.Closest) {
			chunks = append(chunks, n.Chunk)
		}
		for _, g := range p.Groups {
			for _, n := range g.Near {
				chunks = append(chunks, n.Chunk)
			}
		}
	}
	if len(chunks) == 0 {
		return s, nil
	}
	slices.Sort(chunks)
	passages, err := l.AnyPassages(ctx, w, slices.Compact(chunks))
	if err != nil {
		return s, err
	}
	s.passages = make(map[domain.ChunkID]domain.Passage, len(passages))
	var documents []domain.DocumentID
	for _, p := range passages {
		s.passages[p.ID] = p
		documents = append(documents, p.Document)
	}
	slices.Sort(documents)
	s.headings, err = l.Headings(ctx, w, slices.Compact(documents))
	return s, err
}

// Excerpts adds the texts of the passages to what was found for a question. citations are those of its answer. If a
// passage is gone, a quotation loses its context, and a merely close passage is dropped.
func (s Sources) Excerpts(ctx context.Context, p *outline.Found, question string, citations []domain.Citation) {
	if p == nil {
		return
	}
	if !p.Quoted {
		s.nearestOf(ctx, p, question)
	}
	for i := range p.Best {
		if s.excerpt(&p.Best[i], citations) && i == 0 {
			p.InPlace = s.inPlace(p.Best[0])
		}
	}
	for _, g := range p.Groups {
		for i := range g.Near {
			s.excerpt(&g.Near[i], citations)
		}
	}
	kept := p.Closest[:0]
	for _, n := range p.Closest {
		if s.excerpt(&n, citations) || n.N > 0 {
			kept = append(kept, n)
		}
	}
	p.Closest = kept
}

// nearestOf finds each passage's sentence nearest to the question, unless a grade names it.
func (s Sources) nearestOf(ctx context.Context, p *outline.Found, question string) {
	for i := range p.Closest {
		n := &p.Closest[i]
		passage, ok := s.passages[n.Chunk]
		if !ok || !n.Span.Empty() {
			continue
		}
		sentences, err := nearest.Ranker{}.Sentences(ctx, question, []domain.Passage{passage})
		if n.Span = passage.Span; err == nil && len(sentences) > 0 {
			n.Span = sentences[0].Span
		}
	}
}

// excerpt adds the text around a sentence. It reports whether the passage is there.
func (s Sources) excerpt(n *outline.Near, citations []domain.Citation) bool {
	passage, ok := s.passages[n.Chunk]
	if !ok || !passage.Span.Contains(n.Span) {
		return false
	}
	n.Web = passage.Web.Address
	var marks []domain.Span
	if i := slices.IndexFunc(citations, func(c domain.Citation) bool { return n.N > 0 && c.N == n.N }); i >= 0 {
		if n.Span.Shift(-passage.Span.Start).Slice(passage.Text) != citations[i].Text {
			return false // of another version
		}
		marks = citations[i].Marks
	} else {
		n.Where = domain.Where(n.Name, passage.PageOf(n.Span), passage.Place(n.Span))
	}
	n.Heading = s.heading(passage, n.Span)
	n.Table = tableAround(passage, n.Span, marks)
	if beside := neighboured(passage, n.Span); strings.Contains(joined(beside), joined(unquoted(n.Excerpt))) {
		n.Excerpt = beside // if not, the excerpt keeps the lines it stands under
	} else {
		n.Excerpt = unquoted(n.Excerpt)
	}
	return true
}

// heading returns the heading above a place in a document, or "" if there is none.
func (s Sources) heading(p domain.Passage, at domain.Span) string {
	above := ""
	for _, h := range s.headings[p.Document] {
		if h.Span.Start < at.End {
			above = domain.OneLine(h.Text)
		}
	}
	return above
}

const (
	maxNeighbour = 200 // maximum length, in code points, of a sentence shown next to the one that was found
	maxPlace     = 600 // approximate maximum of a passage that is shown in place, in code points
)

// neighboured returns a sentence, marked, between its neighbours in the same paragraph.
func neighboured(p domain.Passage, span domain.Span) []outline.Piece {
	own := span.Shift(-p.Span.Start)
	part := own
	for _, s := range prose.Sentences(p.Text) {
		between := domain.Span{Start: s.End, End: own.Start}
		if s.Start >= own.End {
			between = domain.Span{Start: own.End, End: s.Start}
		}
		switch {
		case s.Overlaps(own) || s.Len() > maxNeighbour || strings.Contains(between.Slice(p.Text), "\n") || len(prose.Words(s.Slice(p.Text))) < 2:
		case s.End <= own.Start:
			part.Start = s.Start
		case part.End == own.End:
			part.End = s.End
		}
	}
	pieces := marked(part.Slice(p.Text), []domain.Span{own.Shift(-part.Start)})
	for i := range pieces {
		pieces[i].Text = blankLines.ReplaceAllString(pieces[i].Text, "\n")
	}
	return pieces
}

var blankLines = regexp.MustCompile(`\n\s*\n`)

// marked splits a text at both ends of spans, which are in order.
func marked(text string, spans []domain.Span) []outline.Piece {
	var pieces []outline.Piece
	at := 0 // end of the last piece
	add := func(to int, marked bool) {
		if part := (domain.Span{Start: at, End: to}).Slice(text); part != "" {
			pieces = append(pieces, outline.Piece{Text: part, Marked: marked})
		}
		at = max(at, to)
	}
	for _, s := range spans {
		add(s.Start, false)
		add(s.End, true)
	}
	add(domain.Runes(text), false)
	return pieces
}

// inPlace returns the most likely quotation with the text around it, under its heading.
func (s Sources) inPlace(n outline.Near) *outline.InPlace {
	passage := s.passages[n.Chunk]
	p := &outline.InPlace{
		N: n.N, Name: n.Where, Heading: n.Heading, Document: n.Document,
		Text: domain.Text{Content: passage.Text}, At: passage.Span.Start, Span: n.Span.Shift(-passage.Span.Start), Table: n.Table,
	}
	p.Window = windowAround(passage.Text, p.Span)
	for _, h := range s.headings[passage.Document] {
		switch h := h.Span.Shift(-passage.Span.Start); {
		case h.End <= p.Span.Start:
			p.Window.Start = max(p.Window.Start, h.End)
		case h.Start >= p.Span.End:
			p.Window.End = min(p.Window.End, h.Start)
		}
	}
	return p
}

// windowAround returns whole sentences around one, of about maxPlace code points.
func windowAround(text string, own domain.Span) domain.Span {
	w := own
	sentences := prose.Sentences(text)
	for _, s := range slices.Backward(sentences) {
		if s.End <= own.Start && own.End-s.Start <= maxPlace {
			w.Start = s.Start
		}
	}
	for _, s := range sentences {
		if s.Start >= own.End && s.End-w.Start <= maxPlace {
			w.End = s.End
		}
	}
	return w
}

const (
	beside     = 1  // rows shown above and below the one that was found
	maxColumns = 4  // of a table that is shown
	maxCell    = 80 // code points
)

// line is a line of a table, with the spans of its cells.
type line []domain.Span

// tableAround returns the table row around span, with its neighbours and the head, and marks the cells that contain
// marks. It returns nil if span is not in a table.
func tableAround(p domain.Passage, span domain.Span, marks []domain.Span) *outline.Table {
	own := span.Shift(-p.Span.Start)
	lines, at := tableLines(p.Text, own)
	if at < 0 || len(lines[at]) < 2 {
		return nil
	}
	on := make([]bool, len(lines[at]))
	for i, c := range lines[at] {
		on[i] = slices.ContainsFunc(marks, func(m domain.Span) bool { return m.Shift(-p.Span.Start).Overlaps(c) })
	}
	if cells := overlapping(lines[at], own); len(marks) == 0 && len(cells) == 1 {
		on[cells[0]] = true
	}
	texts := func(l line) (out []string) {
		for _, c := range l {
			out = append(out, strings.TrimSpace(c.Slice(p.Text)))
		}
		return out
	}
	var head []string
	first := 0
	if above := strings.Split(p.TableHead(), domain.CellBar); len(above) == len(lines[at]) {
		head = above
	} else if at > 0 && len(lines[0]) == len(lines[at]) {
		head, first = texts(lines[0]), 1
	}
	columns := chosen(on)
	t := &outline.Table{}
	if head != nil {
		t.Head = cellsOf(head, columns, on)
	}
	for i := max(first, at-beside); i <= min(len(lines)-1, at+beside); i++ {
		if len(lines[i]) == len(lines[at]) {
			t.Rows = append(t.Rows, outline.Row{On: i == at, Cells: cellsOf(texts(lines[i]), columns, slices.Repeat([]bool{i == at}, len(on)), on)})
		}
	}
	return t
}

// cellsOf returns the chosen cells of a row. A cell is marked if all lists mark it.
func cellsOf(texts []string, columns []int, marked ...[]bool) []outline.Cell {
	var cells []outline.Cell
	for _, c := range columns {
		cells = append(cells, outline.Cell{Text: domain.Cut(texts[c], maxCell), On: !slices.ContainsFunc(marked, func(m []bool) bool { return !m[c] })})
	}
	return cells
}

// chosen returns the columns to show: the first, those that are marked, and the nearest to them.
func chosen(on []bool) []int {
	columns := make([]int, len(on))
	for i := range columns {
		columns[i] = i
	}
	mark := max(0, slices.Index(on, true))
	rank := func(c int) int {
		switch {
		case c == 0:
			return -2
		case on[c]:
			return -1
		}
		return max(c-mark, mark-c)
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	columns = columns[:min(len(columns), maxColumns)]
	slices.Sort(columns)
	return columns
}

// overlapping returns the cells of a row that share a character with a span.
func overlapping(l line, s domain.Span) (cells []int) {
	for i, c := range l {
		if c.Overlaps(s) {
			cells = append(cells, i)
		}
	}
	return cells
}

// tableLines returns the lines of the paragraph around a span, split into cells, and the index of the line that contains
// the start of the span, or -1.
func tableLines(text string, own domain.Span) (lines []line, at int) {
	at = -1
	start := 0 // of the line, in code points
	for raw := range strings.SplitSeq(text, "\n") {
		end := start + domain.Runes(raw)
		switch {
		case strings.TrimSpace(raw) == "":
			if at >= 0 {
				return lines, at
			}
			lines = nil
		default:
			if start <= own.Start && own.Start <= end {
				at = len(lines)
			}
			lines = append(lines, cellSpans(raw, start))
		}
		start = end + 1
	}
	return lines, at
}

// cellSpans returns the spans of the cells of a line that begins at start.
func cellSpans(raw string, start int) (l line) {
	for cell := range strings.SplitSeq(raw, domain.CellBar) {
		n := domain.Runes(cell)
		l = append(l, domain.Span{Start: start, End: start + n})
		start += n + domain.Runes(domain.CellBar)
	}
	return l
}
