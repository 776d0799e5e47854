package answer

import "github.com/clewhq/clew/internal/prose"

// apology is the sentence with which an answer admits that a chart failed.
type apology string

// apologies lists the fixed sentences by language, each with small words that
// identify the language of a question. English is the default.
var apologies = []struct {
	text  apology
	words map[string]bool
}{
	{"I am sorry: the chart could not be made.", nil},
	{"Leider konnte das Diagramm nicht erstellt werden.", prose.KeySet("der die das den dem ein eine wie was wer welche welcher und von für mit im zeige zeichne bitte viele pro nach diagramm")},
	{"Désolé, le graphique n'a pas pu être créé.", prose.KeySet("le la les des du une un et de quel quelle quels combien dans pour par au montre dessine est sont graphique")},
	{"Lo siento, no se pudo crear el gráfico.", prose.KeySet("el la los las del una un y de qué cuál cuántos cuántas cómo en para por muestra dibuja es son gráfico")},
	{"Mi dispiace, il grafico non è riuscito.", prose.KeySet("il lo gli della del dei delle una un e di quale quanti quante come nel per mostra disegna è sono grafico")},
}

// apologyFor returns the apology in the language of a question.
func apologyFor(question string) apology {
	best, most := apologies[0].text, 1 // a single word proves nothing
	for _, a := range apologies {
		n := 0
		for _, w := range prose.Words(question) {
			if a.words[prose.Key(w.Text)] {
				n++
			}
		}
		if n > most {
			best, most = a.text, n
		}
	}
	return best
}

// apologises reports whether a sentence is one of the fixed apologies.
func apologises(sentence string) bool {
	for _, a := range apologies {
		if sentence == string(a.text) {
			return true
		}
	}
	return false
}
