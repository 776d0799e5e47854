package answer

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// language is a language of the program's own sentences in an answer.
type language int

const (
	english language = iota
	german
	french
	spanish
	italian
)

// smallWords identify the language of a question.
var smallWords = [...]map[string]bool{
	english: prose.KeySet("the a an of and what which who whom whose when where why how is are was were do does did in on to for by with from that it"),
	german:  prose.KeySet("der die das den dem des ein eine wie was wer wen wann wo warum welche welcher welches ist sind war hat wurde und von für mit im zeige zeichne bitte viele pro nach diagramm"),
	french:  prose.KeySet("le la les des du un une et de qui que quel quelle quels quand où pourquoi comment combien dans pour par au montre dessine a est sont graphique"),
	spanish: prose.KeySet("el la los las del una un y de qué quién quiénes cuál cuándo dónde cuántos cuántas cómo en para por muestra dibuja es son fue gráfico"),
	italian: prose.KeySet("il lo gli la della del dei delle una un e di chi che cosa quale quando dove perché quanti quante come nel per mostra disegna è sono ha grafico"),
}

// languageOf returns the language of a question, by its small words. A single word
// proves nothing; without proof it is English.
func languageOf(question string) language {
	best, most := english, 1
	for l, words := range smallWords {
		n := 0
		for _, w := range prose.Words(question) {
			if words[prose.Key(w.Text)] {
				n++
			}
		}
		if n > most {
			best, most = language(l), n
		}
	}
	return best
}

// The sentences of an answer that was stopped at the cap of a question. %s is the cap.
const (
	saysStopped      = "Stopped at the cap of %s for one question: this is what was found so far."
	saysStoppedEarly = "Stopped at the cap of %s for one question, before anything relevant was found."
)

// apology is the sentence with which an answer admits that a chart failed.
const apology = "I am sorry: the chart could not be made."

// translated are the program's own sentences in the languages that follow English.
var translated = map[string][italian]string{
	apology: {
		"Leider konnte das Diagramm nicht erstellt werden.",
		"Désolé, le graphique n'a pas pu être créé.",
		"Lo siento, no se pudo crear el gráfico.",
		"Mi dispiace, il grafico non è riuscito.",
	},
	SaysNothing: {
		"Die Bibliothek enthält nichts zu dieser Frage.",
		"La bibliothèque ne contient rien sur cette question.",
		"La biblioteca no contiene nada sobre esta pregunta.",
		"La biblioteca non contiene nulla su questa domanda.",
	},
	SaysNotOutright: {
		"Kein Satz sagt es ausdrücklich.",
		"Aucune phrase ne le dit expressément.",
		"Ninguna frase lo dice expresamente.",
		"Nessuna frase lo dice espressamente.",
	},
	SaysNotWithin: {
		"Kein Satz der befragten Dokumente sagt es ausdrücklich.",
		"Aucune phrase des documents interrogés ne le dit expressément.",
		"Ninguna frase de los documentos consultados lo dice expresamente.",
		"Nessuna frase dei documenti interrogati lo dice espressamente.",
	},
	SaysNowhere: {
		"Kein Dokument gehört zu dem, was befragt wurde. Befragen Sie alle Dokumente oder einen anderen Teil davon.",
		"Aucun document n'appartient à ce qui a été interrogé. Interrogez tous les documents, ou une autre partie.",
		"Ningún documento pertenece a lo consultado. Pregunte a todos los documentos, o a otra parte de ellos.",
		"Nessun documento rientra in ciò che è stato chiesto. Chieda a tutti i documenti, o a un'altra parte di essi.",
	},
	SaysEmpty: {
		"Es war noch nichts gelesen, als dies gefragt wurde. Fügen Sie Dokumente hinzu, und fragen Sie noch einmal, sobald sie gelesen sind.",
		"Rien n'avait été lu quand la question a été posée. Ajoutez des documents, et posez-la de nouveau une fois qu'ils sont lus.",
		"Aún no se había leído nada cuando se hizo esta pregunta. Añada documentos y pregunte de nuevo cuando estén leídos.",
		"Non era stato letto nulla quando è stata posta questa domanda. Aggiunga documenti e chieda di nuovo quando sono letti.",
	},
	SaysNoText: {
		"Das Modell hat keine Antwort geschrieben.",
		"Le modèle n'a pas écrit de réponse.",
		"El modelo no escribió ninguna respuesta.",
		"Il modello non ha scritto alcuna risposta.",
	},
	SaysRest: {
		": Kein Satz, der gefunden wurde, sagt es.",
		" : aucune phrase trouvée ne le dit.",
		": ninguna frase encontrada lo dice.",
		": nessuna frase trovata lo dice.",
	},
	saysStopped: {
		"Angehalten an der Grenze von %s für eine Frage: Das wurde bis dahin gefunden.",
		"Arrêté au plafond de %s par question : voici ce qui a été trouvé jusque-là.",
		"Detenido en el límite de %s por pregunta: esto es lo que se había encontrado.",
		"Fermato al limite di %s per domanda: ecco ciò che era stato trovato.",
	},
	saysStoppedEarly: {
		"Angehalten an der Grenze von %s für eine Frage, bevor etwas Passendes gefunden wurde.",
		"Arrêté au plafond de %s par question, avant que rien de pertinent ne soit trouvé.",
		"Detenido en el límite de %s por pregunta, antes de que se encontrara nada pertinente.",
		"Fermato al limite di %s per domanda, prima che si trovasse qualcosa di pertinente.",
	},
}

// inLanguageOf returns one of the program's own sentences in the language of a question.
func inLanguageOf(question, sentence string) string {
	if l := languageOf(question); l != english {
		return translated[sentence][l-1]
	}
	return sentence
}

// apologises reports whether a sentence is an apology, in any language.
func apologises(sentence string) bool {
	others := translated[apology]
	return sentence == apology || slices.Contains(others[:], sentence)
}

// LeavesRest reports whether a sentence says, in any language, that no sentence was
// found on the rest of a question.
func LeavesRest(sentence string) bool {
	others := translated[SaysRest]
	return slices.ContainsFunc(append(others[:], SaysRest), func(end string) bool { return strings.HasSuffix(sentence, end) })
}
