package chart

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// language is one in which charts of counts can be asked for.
type language struct {
	entities, relations, mentions map[string]bool
	byYear                        map[string]bool
	titles                        map[string]string // by what is counted
	top                           string            // how many of how many
	says, can                     string            // what is said of a chart of counts, and of what can be charted
}

// counted is what a word asks to be counted, "" for none.
func (l language) counted(key string) string {
	switch {
	case l.entities[key]:
		return domain.CountEntities
	case l.relations[key]:
		return domain.CountRelations
	case l.mentions[key]:
		return domain.CountMentions
	}
	return ""
}

// How counts are drawn when more could be: the most frequent ones.
const (
	usualCounts = 20
	mostCounts  = 100
)

// What a count is of, for titles: mentions have two axes.
const (
	mentionsByDocument = "mentions by document"
	mentionsByYear     = "mentions by year"
)

var languages = []language{
	{
		prose.KeySet("entity entities node nodes label labels"), prose.KeySet("relation relations relationship relationships edge edges"), prose.KeySet("mention mentions"), prose.KeySet("year years yearly annual"),
		map[string]string{domain.CountEntities: "Entities by label", domain.CountRelations: "Relations by type", mentionsByDocument: "Mentions by document", mentionsByYear: "Mentions by year in which the document was added"},
		"the %d most frequent of %d",
		"This is counted in the graph of the library, and read off no text.",
		"Without a model, a chart can show what is counted in the graph: entities by label, relations by type, and mentions by document or by year.",
	}, {
		prose.KeySet("entität entitäten knoten"), prose.KeySet("beziehung beziehungen"), prose.KeySet("erwähnung erwähnungen nennung nennungen"), prose.KeySet("jahr jahre jahren"),
		map[string]string{domain.CountEntities: "Entitäten nach Art", domain.CountRelations: "Beziehungen nach Art", mentionsByDocument: "Erwähnungen nach Dokument", mentionsByYear: "Erwähnungen nach dem Jahr, in dem das Dokument dazukam"},
		"die %d häufigsten von %d",
		"Das ist im Graphen der Bibliothek gezählt und in keinem Text gelesen.",
		"Ohne Modell kann ein Diagramm zeigen, was im Graphen gezählt ist: Entitäten nach Art, Beziehungen nach Art und Erwähnungen nach Dokument oder Jahr.",
	}, {
		prose.KeySet("entité entités nœuds étiquettes"), prose.KeySet("liens"), prose.KeySet("occurrences"), prose.KeySet("année années an"),
		map[string]string{domain.CountEntities: "Entités par étiquette", domain.CountRelations: "Relations par type", mentionsByDocument: "Mentions par document", mentionsByYear: "Mentions par année d'ajout du document"},
		"les %d plus fréquentes sur %d",
		"C'est compté dans le graphe de la bibliothèque, et lu dans aucun texte.",
		"Sans modèle, un graphique peut montrer ce qui est compté dans le graphe : les entités par étiquette, les relations par type et les mentions par document ou par année.",
	}, {
		prose.KeySet("entidad entidades nodos etiquetas"), prose.KeySet("relación relaciones"), prose.KeySet("mención menciones"), prose.KeySet("año años"),
		map[string]string{domain.CountEntities: "Entidades por etiqueta", domain.CountRelations: "Relaciones por tipo", mentionsByDocument: "Menciones por documento", mentionsByYear: "Menciones por año en que se añadió el documento"},
		"las %d más frecuentes de %d",
		"Está contado en el grafo de la biblioteca y no leído en ningún texto.",
		"Sin modelo, un gráfico puede mostrar lo que se cuenta en el grafo: entidades por etiqueta, relaciones por tipo y menciones por documento o por año.",
	}, {
		prose.KeySet("entità nodi etichette"), prose.KeySet("relazione relazioni"), prose.KeySet("menzione menzioni"), prose.KeySet("anno anni"),
		map[string]string{domain.CountEntities: "Entità per etichetta", domain.CountRelations: "Relazioni per tipo", mentionsByDocument: "Menzioni per documento", mentionsByYear: "Menzioni per anno di aggiunta del documento"},
		"le %d più frequenti su %d",
		"È contato nel grafo della biblioteca e non letto in alcun testo.",
		"Senza modello, un grafico può mostrare ciò che si conta nel grafo: entità per etichetta, relazioni per tipo e menzioni per documento o per anno.",
	},
}

// CountQuery is a question for counts of the graph.
type CountQuery struct {
	Of     string // CountEntities, CountRelations or CountMentions
	ByYear bool   // of mentions: by year instead of by document
	Most   int    // how many are drawn

	language int
}

// ReadCountQuery reads off a question what it wants counted: entities by label,
// relations by type, or mentions by document or by year. The languages are
// those of the built-in mode; words that two of them share count as the first's.
func ReadCountQuery(question string) (CountQuery, bool) {
	q := CountQuery{Most: usualCounts, language: -1}
	for _, w := range prose.Words(question) {
		k := prose.Key(w.Text)
		if n, err := strconv.Atoi(k); err == nil && n > 0 && n <= mostCounts {
			q.Most = n
		}
		for i, l := range languages {
			of := l.counted(k)
			if of == "" && !l.byYear[k] {
				continue
			}
			q.ByYear = q.ByYear || l.byYear[k]
			if q.Of == "" {
				q.Of = of
			}
			if q.language < 0 {
				q.language = i
			}
			break
		}
	}
	q.language = max(0, tongue(question, q.language))
	return q, q.Of != ""
}

// Drawn reports whether a question asks for a chart of counts of the graph.
func Drawn(question string) bool {
	if _, counts := ReadCountQuery(question); !counts {
		return false
	}
	return Wanted(question) || slices.ContainsFunc(prose.Words(question), func(w prose.Token) bool { return drawWords[prose.Key(w.Text)] })
}

var drawWords = prose.KeySet("draw zeichne dessine trace dibuja traza disegna traccia")

// SaysCounted is what is said beside a chart of counts, in the language of the
// question.
func SaysCounted(question string) string { return languages[tongue(question, 0)].says }

// SaysCanBeCharted is what can be charted without a model, in the language of
// the question.
func SaysCanBeCharted(question string) string { return languages[tongue(question, 0)].can }

// tongue is the language of a question whose words for what is counted may be
// of several: the one that has most of its other words.
func tongue(question string, told int) int {
	best, most := told, 0
	for i, small := range smallWords {
		n := 0
		for _, w := range prose.Words(question) {
			if small[prose.Key(w.Text)] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

var smallWords = []map[string]bool{
	prose.KeySet("the of by per and a chart plot draw show"), prose.KeySet("der die das nach pro und zeige zeichne diagramm balkendiagramm"), prose.KeySet("les des par et un une dessine montre graphique"),
	prose.KeySet("las los por y un una dibuja muestra gráfico"), prose.KeySet("le gli per e un una disegna mostra grafico delle dei"),
}

// title is the title of the chart that answers the query.
func (q CountQuery) title(shown, all int) string {
	l := languages[q.language]
	text := l.titles[q.kind()]
	if shown < all {
		text += " (" + strings.Replace(strings.Replace(l.top, "%d", strconv.Itoa(shown), 1), "%d", strconv.Itoa(all), 1) + ")"
	}
	return text
}

func (q CountQuery) kind() string {
	switch {
	case q.Of == domain.CountMentions && q.ByYear:
		return mentionsByYear
	case q.Of == domain.CountMentions:
		return mentionsByDocument
	}
	return q.Of
}

// SpecifyCounts draws all counts by the rules of a task: bars, or a pie or a
// line where the task says so.
func SpecifyCounts(task string, counts []Counted) Specification {
	q, _ := ReadCountQuery(task)
	s := Specification{Type: string(countType(task)), Title: q.title(len(counts), len(counts))}
	taken := map[string]int{}
	for i, c := range counts {
		name := plain(c.Key)
		if taken[name]++; taken[name] > 1 { // two documents of one name
			name += " (" + strconv.Itoa(taken[name]) + ")"
		}
		s.Points = append(s.Points, Datum{Category: domain.Cut(name, longestName), Count: i + 1})
	}
	if len(counts) > 0 && counts[0].Among > len(counts) {
		s.Title = q.title(len(counts), counts[0].Among)
	}
	return s
}

func countType(task string) domain.ChartType {
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
