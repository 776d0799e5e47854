package chart

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// A language holds the words in which charts of counts are requested and made.
type language struct {
	entities, relations, mentions map[string]bool
	byYear                        map[string]bool
	titles                        map[string]string // by what is counted
	top                           string            // how many of how many
	unlabelled                    string            // name of the entities that have no label
	note                          string            // beside a chart of counts
	help                          string            // what can be charted
	stopWords                     map[string]bool   // tell languages apart
}

// counted returns what a word asks to be counted, or "".
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
		"This is counted in the graph of the library, and read off no text.",
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
		n := 0
		for _, w := range prose.Words(question) {
			if l.stopWords[prose.Key(w.Text)] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}
