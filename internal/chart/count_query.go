package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

const (
	defaultCounts = 20 // drawn at most
	maxCounts     = 100
)

// A countQuery is a question for counts of the graph.
type countQuery struct {
	of       string // domain.CountEntities, CountRelations or CountMentions
	byYear   bool   // of mentions: by year instead of by document
	limit    int
	language int // index in languages
}

// parseCountQuery reads what a question wants counted: entities by label,
// relations by type, or mentions by document or by year. Words that two
// languages share count as the first's.
func parseCountQuery(question string) (countQuery, bool) {
	q := countQuery{limit: defaultCounts, language: -1}
	for _, w := range prose.Words(question) {
		k := prose.Key(w.Text)
		if n, err := strconv.Atoi(k); err == nil && n > 0 && n <= maxCounts {
			q.limit = n
		}
		for i, l := range languages {
			of := l.counted(k)
			if of == "" && !l.byYear[k] {
				continue
			}
			q.byYear = q.byYear || l.byYear[k]
			q.of = cmp.Or(q.of, of)
			if q.language < 0 {
				q.language = i
			}
			break
		}
	}
	q.language = max(0, languageOf(question, q.language))
	return q, q.of != ""
}

// CountsRequested reports whether a question asks for a chart of counts of the
// graph.
func CountsRequested(question string) bool {
	if _, ok := parseCountQuery(question); !ok {
		return false
	}
	return Requested(question) || slices.ContainsFunc(prose.Words(question), func(w prose.Token) bool { return drawWords[prose.Key(w.Text)] })
}

// Requested reports whether a question asks for a chart.
func Requested(question string) bool {
	for i, w := range prose.Words(question) {
		k := prose.Key(w.Text)
		if chartWords[k] || i == 0 && k == "plot" { // elsewhere it may be one of land
			return true
		}
		if slices.ContainsFunc(chartEndings, func(ending string) bool { return strings.HasSuffix(k, ending) }) {
			return true
		}
	}
	return false
}

var (
	chartWords = prose.KeySet("chart charts diagram diagrams histogram histograms barplot piechart diagramm schaubild säulen balken " +
		"graphique graphiques diagramme diagrammes histogramme camembert gráfico gráfica gráficos gráficas diagrama histograma grafico grafici diagramma istogramma grafiek grafieken diagrammen")
	chartEndings = []string{"diagramm", "diagramme", "diagram", "diagrammen", "grafiek", "chart", "charts"}
)

var drawWords = prose.KeySet("draw zeichne dessine trace dibuja traza disegna traccia desenha teken")

// CountsNote returns the sentence that accompanies a chart of counts, in the
// language of the question.
func CountsNote(question string) string { return languages[languageOf(question, 0)].note }

// CountsHelp says what can be charted without a model, in the language of the
// question.
func CountsHelp(question string) string { return languages[languageOf(question, 0)].help }

// title returns the title of a chart that shows some of all counts.
func (q countQuery) title(shown, all int) string {
	kind := q.of
	switch {
	case q.of == domain.CountMentions && q.byYear:
		kind = mentionsByYear
	case q.of == domain.CountMentions:
		kind = mentionsByDocument
	}
	l := languages[q.language]
	if shown >= all {
		return l.titles[kind]
	}
	return l.titles[kind] + " (" + fmt.Sprintf(l.top, shown, all) + ")"
}

// SpecifyCounts draws all counts as bars, or as the pie or line that the task
// names.
func SpecifyCounts(task string, counts []GraphCount) Specification {
	q, _ := parseCountQuery(task)
	total := len(counts)
	if total > 0 {
		total = max(total, counts[0].Among)
	}
	s := Specification{Type: string(countChartType(task)), Title: q.title(len(counts), total)}
	taken := map[string]int{}
	for i, c := range counts {
		name := plain(c.Key)
		if c.Of == domain.CountEntities && c.Key == domain.UnknownLabel {
			name = languages[q.language].unlabelled
		}
		if taken[name]++; taken[name] > 1 { // two documents have the same name
			name += " (" + strconv.Itoa(taken[name]) + ")"
		}
		s.Points = append(s.Points, Datum{Category: domain.Cut(name, maxName), Count: i + 1})
	}
	return s
}

func countChartType(task string) domain.ChartType {
	for _, w := range prose.Words(task) {
		switch k := prose.Key(w.Text); {
		case pieWords[k] || strings.HasPrefix(k, "torten") || strings.HasPrefix(k, "kuchen") || strings.HasPrefix(k, "kreis"):
			return domain.ChartPie
		case lineWords[k] || strings.HasPrefix(k, "linien"):
			return domain.ChartLine
		}
	}
	return domain.ChartBar
}

var (
	pieWords  = prose.KeySet("pie piechart camembert tarta circular torta")
	lineWords = prose.KeySet("line linie courbe línea linea")
)
