package chart

import (
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// What a chart is called, in the languages that the built-in mode knows; and
// what words that name one end in.
var (
	chartWords = prose.KeySet("chart charts diagram diagrams histogram histograms barplot piechart diagramm schaubild säulen balken " +
		"graphique graphiques diagramme diagrammes histogramme camembert gráfico gráfica gráficos gráficas diagrama histograma grafico grafici diagramma istogramma")
	chartEndings = []string{"diagramm", "diagramme", "chart", "charts"}
)

// Wanted reports whether a question asks for a chart.
func Wanted(question string) bool {
	for i, w := range prose.Words(question) {
		k := prose.Key(w.Text)
		if chartWords[k] || i == 0 && k == "plot" { // elsewhere it may be one of land
			return true
		}
		for _, ending := range chartEndings {
			if strings.HasSuffix(k, ending) {
				return true
			}
		}
	}
	return false
}
