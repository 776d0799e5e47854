package chart

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
)

// GraphReader reads the entity graph.
type GraphReader interface {
	Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error)
	Types(ctx context.Context, w domain.WorkspaceID) ([]graphstore.TypeCount, error)
	InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error)
}

// Documents lists the documents of the ledger.
type Documents interface {
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) ([]domain.Document, int, error)
}

// maxDocuments bounds the documents whose mentions are counted, because each is
// read.
const maxDocuments = 500

// GraphCounts counts in a graph and the documents it was made from.
func GraphCounts(g GraphReader, d Documents) Counts { return graphCounts{g, d} }

type graphCounts struct {
	graph     GraphReader
	documents Documents
}

// Counts returns the highest counts first, ties by name, and years in order.
func (c graphCounts) Counts(ctx context.Context, w domain.WorkspaceID, task string) ([]GraphCount, error) {
	q, ok := parseCountQuery(task)
	if !ok {
		return nil, nil
	}
	var all []GraphCount
	var err error
	switch q.of {
	case domain.CountEntities:
		all, err = c.labels(ctx, w)
	case domain.CountRelations:
		all, err = c.types(ctx, w)
	default:
		all, err = c.mentions(ctx, w, q.byYear)
	}
	slices.SortFunc(all, func(a, b GraphCount) int {
		if q.of == domain.CountMentions && q.byYear {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Document, b.Document))
	})
	for i := range all {
		all[i].Among = len(all)
	}
	return all[:min(len(all), q.limit)], err
}

func (c graphCounts) labels(ctx context.Context, w domain.WorkspaceID) ([]GraphCount, error) {
	labels, err := c.graph.Labels(ctx, w)
	var out []GraphCount
	for _, l := range labels {
		out = append(out, GraphCount{Count: domain.Count{Of: domain.CountEntities, Key: l.Label}, Value: l.Count})
	}
	return out, err
}

func (c graphCounts) types(ctx context.Context, w domain.WorkspaceID) ([]GraphCount, error) {
	types, err := c.graph.Types(ctx, w)
	var out []GraphCount
	for _, t := range types {
		out = append(out, GraphCount{Count: domain.Count{Of: domain.CountRelations, Key: t.Type}, Value: t.Count})
	}
	return out, err
}

// mentions counts the spans that name an entity, by document or by the year in
// which the documents were added.
func (c graphCounts) mentions(ctx context.Context, w domain.WorkspaceID, byYear bool) ([]GraphCount, error) {
	documents, total, err := c.documents.Documents(ctx, w, ledger.DocumentQuery{Limit: maxDocuments})
	if err != nil {
		return nil, err
	}
	if total > maxDocuments {
		return nil, domain.Errorf(domain.TooLarge, "The library has %d documents, but mentions are counted for at most %d. Ask for entities by label or relations by type.", total, maxDocuments)
	}
	years := map[string]int{}
	var out []GraphCount
	for _, d := range documents {
		n, err := c.mentionsIn(ctx, w, d.ID)
		if err != nil {
			return nil, err
		}
		years[strconv.Itoa(d.CreatedAt.UTC().Year())] += n
		if n > 0 && !byYear {
			out = append(out, GraphCount{Count: domain.Count{Of: domain.CountMentions, Key: d.Name, Document: d.ID}, Value: n})
		}
	}
	for year, n := range years {
		if byYear && n > 0 {
			out = append(out, GraphCount{Count: domain.Count{Of: domain.CountMentions, Key: year}, Value: n})
		}
	}
	return out, nil
}

func (c graphCounts) mentionsIn(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int, error) {
	entities, err := c.graph.InDocument(ctx, w, id)
	n := 0
	for _, e := range entities {
		for _, l := range e.Links {
			if l.Kind&graphstore.LinkMention != 0 {
				n += len(l.Spans)
			}
		}
	}
	return n, err
}

const (
	defaultCounts = 20 // maximum drawn
	maxCounts     = 100
)

// A countQuery is a question for counts of the graph.
type countQuery struct {
	of       string // domain.CountEntities, CountRelations or CountMentions
	byYear   bool   // mentions by year instead of by document
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
func Requested(question string) bool { return len(requests(question)) > 0 }

// Shown reports whether a text names what a question asks for by the same word, as the caption of a diagram does.
func Shown(question, text string) bool {
	asked := requests(question)
	return slices.ContainsFunc(prose.Words(text), func(w prose.Token) bool { return slices.Contains(asked, prose.Key(w.Text)) })
}

// requests returns the words of a question that ask for a chart, as keys.
func requests(question string) (keys []string) {
	for i, w := range prose.Words(question) {
		k := prose.Key(w.Text)
		ends := func(ending string) bool { return strings.HasSuffix(k, ending) }
		if chartWords[k] || i == 0 && k == "plot" || slices.ContainsFunc(chartEndings, ends) { // elsewhere, plot may be a piece of land
			keys = append(keys, k)
		}
	}
	return keys
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

// CountsHelp describes what can be charted without a model, in the language of the question.
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
	s := Specification{Type: string(TypeOf(task)), Title: q.title(len(counts), total)}
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

// TypeOf returns the type of chart that a task names, or bars.
func TypeOf(task string) domain.ChartType {
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

// A language holds the words in which charts of counts are requested and described.
type language struct {
	entities, relations, mentions map[string]bool
	byYear                        map[string]bool
	titles                        map[string]string // by what is counted
	top                           string            // "how many of how many"
	unlabelled                    string            // name of the entities that have no label
	note                          string            // next to a chart of counts
	help                          string            // says what can be charted
	stopWords                     map[string]bool   // distinguish languages
}

// counted returns the kind of thing that a word asks to count, or "".
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

// Keys of titles: mentions are counted in two ways.
const (
	mentionsByDocument = "mentions by document"
	mentionsByYear     = "mentions by year"
)

var languages = []language{
	{
		prose.KeySet("entity entities node nodes label labels"), prose.KeySet("relation relations relationship relationships edge edges"), prose.KeySet("mention mentions"), prose.KeySet("year years yearly annual"),
		map[string]string{domain.CountEntities: "Entities by label", domain.CountRelations: "Relations by type", mentionsByDocument: "Mentions of all entities by document", mentionsByYear: "Mentions of all entities by year in which the document was added"},
		"the %d most frequent of %d", "Without a label",
		"These numbers are counts of the library's graph, not taken from a text.",
		"Without a model, a chart can show what is counted in the graph: entities by label, relations by type, and mentions by document or by year.",
		prose.KeySet("the of by per and a chart plot draw show"),
	}, {
		prose.KeySet("entität entitäten knoten"), prose.KeySet("beziehung beziehungen"), prose.KeySet("erwähnung erwähnungen nennung nennungen"), prose.KeySet("jahr jahre jahren"),
		map[string]string{domain.CountEntities: "Entitäten nach Art", domain.CountRelations: "Beziehungen nach Art", mentionsByDocument: "Erwähnungen aller Entitäten nach Dokument", mentionsByYear: "Erwähnungen aller Entitäten nach dem Jahr, in dem das Dokument dazukam"},
		"die %d häufigsten von %d", "Ohne Art",
		"Das ist im Graphen der Bibliothek gezählt und in keinem Text gelesen.",
		"Ohne Modell kann ein Diagramm zeigen, was im Graphen gezählt ist: Entitäten nach Art, Beziehungen nach Art und Erwähnungen nach Dokument oder Jahr.",
		prose.KeySet("der die das nach pro und zeige zeichne diagramm balkendiagramm"),
	}, {
		prose.KeySet("entité entités nœuds étiquettes"), prose.KeySet("liens"), prose.KeySet("occurrences"), prose.KeySet("année années an"),
		map[string]string{domain.CountEntities: "Entités par étiquette", domain.CountRelations: "Relations par type", mentionsByDocument: "Mentions de toutes les entités par document", mentionsByYear: "Mentions de toutes les entités par année d'ajout du document"},
		"les %d plus fréquentes sur %d", "Sans étiquette",
		"C'est compté dans le graphe de la bibliothèque, et lu dans aucun texte.",
		"Sans modèle, un graphique peut montrer ce qui est compté dans le graphe : les entités par étiquette, les relations par type et les mentions par document ou par année.",
		prose.KeySet("les des par et un une dessine montre graphique"),
	}, {
		prose.KeySet("entidad entidades nodos etiquetas"), prose.KeySet("relación relaciones"), prose.KeySet("mención menciones"), prose.KeySet("año años"),
		map[string]string{domain.CountEntities: "Entidades por etiqueta", domain.CountRelations: "Relaciones por tipo", mentionsByDocument: "Menciones de todas las entidades por documento", mentionsByYear: "Menciones de todas las entidades por año en que se añadió el documento"},
		"las %d más frecuentes de %d", "Sin etiqueta",
		"Está contado en el grafo de la biblioteca y no leído en ningún texto.",
		"Sin modelo, un gráfico puede mostrar lo que se cuenta en el grafo: entidades por etiqueta, relaciones por tipo y menciones por documento o por año.",
		prose.KeySet("las los por y un una dibuja muestra gráfico"),
	}, {
		prose.KeySet("entità nodi etichette"), prose.KeySet("relazione relazioni"), prose.KeySet("menzione menzioni"), prose.KeySet("anno anni"),
		map[string]string{domain.CountEntities: "Entità per etichetta", domain.CountRelations: "Relazioni per tipo", mentionsByDocument: "Menzioni di tutte le entità per documento", mentionsByYear: "Menzioni di tutte le entità per anno di aggiunta del documento"},
		"le %d più frequenti su %d", "Senza etichetta",
		"È contato nel grafo della biblioteca e non letto in alcun testo.",
		"Senza modello, un grafico può mostrare ciò che si conta nel grafo: entità per etichetta, relazioni per tipo e menzioni per documento o per anno.",
		prose.KeySet("le gli per e un una disegna mostra grafico delle dei"),
	},
}

// languageOf returns the index of the language with most words in a question,
// or fallback if it has none of any.
func languageOf(question string, fallback int) int {
	best, most := fallback, 0
	for i, l := range languages {
		n := lists.CountFunc(prose.Words(question), func(w prose.Token) bool { return l.stopWords[prose.Key(w.Text)] })
		if n > most {
			best, most = i, n
		}
	}
	return best
}
