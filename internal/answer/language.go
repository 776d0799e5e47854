package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
	dutch
	portuguese
)

// smallWords identify the language of a question.
var smallWords = [...]map[string]bool{
	english:    prose.KeySet("the a an of and or what which who whom whose when where why how is are was were be do does did can could should has have had in on at to for by with from about between that this it its me my you your all any there list show give tell name describe explain compare summarize"),
	german:     prose.KeySet("der die das den dem des ein eine einen einem einer wie was wer wen wann wo warum welche welcher welches ist sind war waren hat wurde und oder von für mit im in zu zum zur an auf bei aus nach über zwischen nicht kein keine es er sie ich mir wir sich alle viel viele hoch lange kostet bedeutet macht sagt steht heißt geschah zeige zeichne bitte pro diagramm fasse fass zusammen zusammenfassung zusammenfassen"),
	french:     prose.KeySet("le la les des du un une et ou de que dans pour par au aux avec sur il elle on se tous toutes montre dessine a est sont était liste graphique résume résumez résumé"),
	spanish:    prose.KeySet("el la los las del al de un una y que en para por con su se hay todos todas muestra dibuja es son fue lista gráfico haz hazme dame resumen resumir resúmeme"),
	italian:    prose.KeySet("il lo la gli le della del dei delle un una e di che in nel nella per con si quando mostra disegna è sono ha tutti tutte grafico riassumi riassunto fammi"),
	dutch:      prose.KeySet("de het een van en of is zijn was heeft hebben werd wordt in te door voor met op aan bij naar dat niet er alle vat samen samenvatting"),
	portuguese: prose.KeySet("o os a as do da dos das um uma e ou de que quando como porque em no na para por com se foi é são tem há todos todas lista"),
}

// askers are words that ask or order in one language, or two; each counts twice.
var askers = [...]map[string]bool{
	english:    prose.KeySet("what who whom whose when where why how which"),
	german:     prose.KeySet("wer wen wem wessen wann wie wieviel wieviele wo wohin woher warum wieso weshalb welche welcher welches welchem welchen womit wofür worum worin worüber wovon wozu wodurch woran worauf inwiefern ist gibt wurde muss darf kann kannst zeig nenne nenn liste erkläre vergleiche beschreibe"),
	french:     prose.KeySet("qui quel quelle quels quelles quand où pourquoi combien comment qu'est-ce est-ce d'où qu'a c'est résume résumez"),
	spanish:    prose.KeySet("quién quiénes cuál cuáles cuándo dónde cuánto cuánta cuántos cuántas cómo resume"), //nolint:misspell // Spanish
	italian:    prose.KeySet("chi cosa quale quali dove dov'è cos'è com'è come perché quanto quanta quanti quante"),
	dutch:      prose.KeySet("wie wat wanneer waar waarom hoe hoeveel welk welke"),
	portuguese: prose.KeySet("quem qual quais onde quanto quanta quantos quantas porquê"),
}

// spellings are letters and ends of words that few other languages have.
var spellings = [portuguese + 1][]string{
	german: {"ä", "ö", "ü", "ß"}, french: {"ê", "œ", "ç", "l'", "d'", "l’", "d’", "-t-"}, spanish: {"¿", "¡", "ñ", "ó "}, italian: {"ò ", "ù ", "ì "}, dutch: {"ij", "aa", "uu"}, portuguese: {"ou ", "eu ", "iu "},
}

// longWord is the number of letters of a word that is hardly a name.
const longWord = 12

// languageOf guesses the language of a question from its small words. A single word counts only if it is a question word,
// or long with the spelling of a language; the default is English.
func languageOf(question string) language {
	guess, _ := guessLanguage(question)
	return guess
}

// Speaks returns the first of texts that shows its language, or else the question itself. Clew answers in that language.
func Speaks(question string, texts ...string) string {
	for _, text := range append([]string{question}, texts...) {
		if _, shown := guessLanguage(text); shown {
			return text
		}
	}
	return question
}

// guessLanguage is languageOf, and reports whether words show the language.
func guessLanguage(question string) (guess language, shown bool) {
	best, most, lower := english, 1, strings.TrimRight(strings.ToLower(question), " ?!.")+" "
	all, telling := prose.Words(question), 1
	if len(all) == 1 && domain.Runes(all[0].Text) >= longWord {
		telling = 2
	}
	for l, words := range smallWords {
		n := 0
		for _, w := range all {
			key := prose.Key(w.Text)
			switch {
			case askers[l][key]:
				n += 2
			case words[key]:
				n++
			}
		}
		n += telling * lists.CountFunc(spellings[l], func(spelling string) bool { return strings.Contains(lower, spelling) })
		if n > most {
			best, most = language(l), n
		}
		shown = shown || n > 1 || language(l) == english && n > 0
	}
	return best, shown
}

// The sentences of an answer that was stopped at the cap of a question. %s is the cap.
const (
	saysStopped      = "Stopped at the cap of %s for one question: this is what was found so far."
	saysStoppedEarly = "Stopped at the cap of %s for one question, before anything relevant was found."
)

// SaysNotWritten is the sentence in place of an answer where only passages were asked for.
const SaysNotWritten = "Only passages were asked for, so no answer was written."

// apology is the sentence with which an answer admits that a chart failed.
const apology = "I am sorry: the chart could not be made."

// translated are the program's own sentences in the languages that follow English.
var translated = map[string][portuguese]string{
	apology: {
		"Leider konnte das Diagramm nicht erstellt werden.",
		"Désolé, le graphique n'a pas pu être créé.",
		"Lo siento, no se pudo crear el gráfico.",
		"Mi dispiace, il grafico non è riuscito.",
		"Het diagram kon helaas niet worden gemaakt.",
		"Lamento, o gráfico não pôde ser criado.",
	},
	SaysNothing: {
		"Die Bibliothek enthält nichts zu dieser Frage.",
		"La bibliothèque ne contient rien sur cette question.",
		"La biblioteca no contiene nada sobre esta pregunta.",
		"La biblioteca non contiene nulla su questa domanda.",
		"De bibliotheek bevat niets over deze vraag.",
		"A biblioteca não contém nada sobre esta pergunta.",
	},
	SaysNotOnWeb: {
		"Keine gelesene Seite im Web beantwortet das.",
		"Aucune page du web qui a été lue n'y répond.",
		"Ninguna página de la web que se ha leído responde a esto.",
		"Nessuna pagina del web che è stata letta risponde a questo.",
		"Geen gelezen pagina op het web beantwoordt dit.",
		"Nenhuma página da web que foi lida responde a isto.",
	},
	SaysNoPage: {
		"Die Websuche hat dazu keine Seite gefunden.",
		"La recherche sur le web n'a trouvé aucune page à ce sujet.",
		"La búsqueda en la web no ha encontrado ninguna página sobre esto.",
		"La ricerca sul web non ha trovato nessuna pagina su questo.",
		"De zoekopdracht op het web heeft hier geen pagina over gevonden.",
		"A pesquisa na web não encontrou nenhuma página sobre isto.",
	},
	SaysNotOutright: {
		"Kein Satz sagt es ausdrücklich.",
		"Aucune phrase ne le dit expressément.",
		"Ninguna frase lo dice expresamente.",
		"Nessuna frase lo dice espressamente.",
		"Geen zin zegt het uitdrukkelijk.",
		"Nenhuma frase o diz expressamente.",
	},
	SaysNotWithin: {
		"Kein Satz der befragten Dokumente sagt es ausdrücklich.",
		"Aucune phrase des documents interrogés ne le dit expressément.",
		"Ninguna frase de los documentos consultados lo dice expresamente.",
		"Nessuna frase dei documenti interrogati lo dice espressamente.",
		"Geen zin van de gevraagde documenten zegt het uitdrukkelijk.",
		"Nenhuma frase dos documentos consultados o diz expressamente.",
	},
	SaysNowhere: {
		"Kein Dokument gehört zu dem, was befragt wurde. Befragen Sie alle Dokumente oder einen anderen Teil davon.",
		"Aucun document n'appartient à ce qui a été interrogé. Interrogez tous les documents, ou une autre partie.",
		"Ningún documento pertenece a lo consultado. Pregunte a todos los documentos, o a otra parte de ellos.",
		"Nessun documento rientra in ciò che è stato chiesto. Chieda a tutti i documenti, o a un'altra parte di essi.",
		"Geen document valt binnen wat gevraagd werd. Vraag alle documenten, of een ander deel ervan.",
		"Nenhum documento pertence ao que foi consultado. Pergunte a todos os documentos, ou a outra parte deles.",
	},
	SaysEmpty: {
		"Es war noch nichts gelesen, als dies gefragt wurde. Fügen Sie Dokumente hinzu, und fragen Sie noch einmal, sobald sie gelesen sind.",
		"Rien n'avait été lu quand la question a été posée. Ajoutez des documents, et posez-la de nouveau une fois qu'ils sont lus.",
		"Aún no se había leído nada cuando se hizo esta pregunta. Añada documentos y pregunte de nuevo cuando estén leídos.",
		"Non era stato letto nulla quando è stata posta questa domanda. Aggiunga documenti e chieda di nuovo quando sono letti.",
		"Er was nog niets gelezen toen dit gevraagd werd. Voeg documenten toe, en vraag het opnieuw zodra ze gelezen zijn.",
		"Nada tinha sido lido quando isto foi perguntado. Adicione documentos e pergunte de novo quando estiverem lidos.",
	},
	SaysNoText: {
		"Das Modell hat keine Antwort geschrieben.",
		"Le modèle n'a pas écrit de réponse.",
		"El modelo no escribió ninguna respuesta.",
		"Il modello non ha scritto alcuna risposta.",
		"Het model heeft geen antwoord geschreven.",
		"O modelo não escreveu nenhuma resposta.",
	},
	SaysNothingClose: {
		"Es wurde nichts Naheliegendes gefunden.",
		"Rien de proche n'a été trouvé.",
		"No se encontró nada parecido.",
		"Non è stato trovato nulla di vicino.",
		"Er is niets gevonden dat in de buurt komt.",
		"Nada próximo foi encontrado.",
	},
	saysHello: {
		"Hallo! Fragen Sie, was Sie aus den Dokumenten wissen wollen, oder nach einer Zusammenfassung, einer Liste, einem Vergleich oder einem Diagramm.",
		"Bonjour ! Demandez ce que vous voulez savoir des documents, ou un résumé, une liste, une comparaison ou un graphique.",
		"¡Hola! Pregunte lo que quiera saber de los documentos, o pida un resumen, una lista, una comparación o un gráfico.",
		"Ciao! Chieda ciò che vuole sapere dai documenti, oppure un riassunto, un elenco, un confronto o un grafico.",
		"Hallo! Vraag wat u uit de documenten wilt weten, of vraag om een samenvatting, een lijst, een vergelijking of een grafiek.",
		"Olá! Pergunte o que quer saber dos documentos, ou peça um resumo, uma lista, uma comparação ou um gráfico.",
	},
	saysWelcome: {
		"Gern geschehen! Fragen Sie weiter, oder nach einer Zusammenfassung, einer Liste, einem Vergleich oder einem Diagramm.",
		"Je vous en prie ! Posez d'autres questions, ou demandez un résumé, une liste, une comparaison ou un graphique.",
		"¡De nada! Siga preguntando, o pida un resumen, una lista, una comparación o un gráfico.",
		"Prego! Continui a chiedere, oppure chieda un riassunto, un elenco, un confronto o un grafico.",
		"Graag gedaan! Vraag verder, of vraag om een samenvatting, een lijst, een vergelijking of een grafiek.",
		"De nada! Continue a perguntar, ou peça um resumo, uma lista, uma comparação ou um gráfico.",
	},
	saysAddFirst: {
		"Hallo! Fügen Sie Dokumente hinzu, und fragen Sie danach, sobald sie gelesen sind.",
		"Bonjour ! Ajoutez des documents, et interrogez-les une fois qu'ils sont lus.",
		"¡Hola! Añada documentos y pregunte por ellos cuando estén leídos.",
		"Ciao! Aggiunga documenti e chieda quando sono letti.",
		"Hallo! Voeg documenten toe, en vraag ernaar zodra ze gelezen zijn.",
		"Olá! Adicione documentos e faça perguntas quando estiverem lidos.",
	},
	saysAbout: {
		"Was sagen die Dokumente über %s?", "Que disent les documents sur %s ?", "¿Qué dicen los documentos sobre %s?",
		"Che cosa dicono i documenti su %s?", "Wat zeggen de documenten over %s?", "O que dizem os documentos sobre %s?",
	},
	saysWhatAbout: {"Was ist mit %s?", "Qu'en est-il de %s ?", "¿Qué hay de %s?", "Che ne è di %s?", "Hoe zit het met %s?", "E quanto a %s?"},
	saysAsFor:     {"Zu %s: %s", "Quant à %s, %s", "En cuanto a %s, %s", "Quanto a %s, %s", "Over %s: %s", "Quanto a %s, %s"},
	saysTopics: {
		"Welche Themen kommen in den Dokumenten vor?", "De quoi parlent les documents ?", "¿De qué tratan los documentos?",
		"Di cosa parlano i documenti?", "Waar gaan de documenten over?", "De que tratam os documentos?",
	},
	saysNoneNamed: {
		"Kein gelesenes Dokument heißt „%s“. Die Seite Documents und clew documents list haben die Namen.",
		"Aucun document lu ne s'appelle « %s ». La page Documents et clew documents list ont les noms.",
		"Ningún documento leído se llama «%s». La página Documents y clew documents list tienen los nombres.",
		"Nessun documento letto si chiama «%s». La pagina Documents e clew documents list hanno i nomi.",
		"Geen gelezen document heet “%s”. De pagina Documents en clew documents list hebben de namen.",
		"Nenhum documento lido se chama “%s”. A página Documents e clew documents list têm os nomes.",
	},
	saysWhich: {
		"Mehrere Dokumente heißen so. Fragen Sie nach einem davon:", "Plusieurs documents s'appellent ainsi. Demandez l'un d'eux :",
		"Varios documentos se llaman así. Pregunte por uno de ellos:", "Più documenti si chiamano così. Ne chieda uno:",
		"Meerdere documenten heten zo. Vraag naar een ervan:", "Vários documentos chamam-se assim. Pergunte por um deles:",
	},
	saysSumUp: {
		"Fasse %s zusammen", "Résume %s", "Resume %s", "Riassumi %s", "Vat %s samen", "Resume %s",
	},
	saysMoreNamed: {
		"Es gibt noch mehr: die Seite Documents und clew documents list haben ihre Namen.", "Il y en a d'autres : la page Documents et clew documents list ont leurs noms.",
		"Hay más: la página Documents y clew documents list tienen sus nombres.", "Ce ne sono altri: la pagina Documents e clew documents list hanno i nomi.",
		"Er zijn er meer: de pagina Documents en clew documents list hebben hun namen.", "Há mais: a página Documents e clew documents list têm os nomes.",
	},
	SaysDocuments: {
		"Die Dokumente, in dieser Reihenfolge: %s.", "Les documents, dans cet ordre : %s.", "Los documentos, en este orden: %s.",
		"I documenti, in quest'ordine: %s.", "De documenten, in deze volgorde: %s.", "Os documentos, por esta ordem: %s.",
	},
	SaysThemes: {
		"Die Themen, nach den Namen, die für sie stehen: %s.", "Les thèmes, par les noms qui les représentent : %s.", "Los temas, por los nombres que los representan: %s.",
		"I temi, con i nomi che li rappresentano: %s.", "De thema's, met de namen die ervoor staan: %s.", "Os temas, pelos nomes que os representam: %s.",
	},
	SaysDrawn: {
		"Gezeichnet nach einer Tabelle in %s.", "Dessiné d'après un tableau de %s.", "Dibujado a partir de una tabla de %s.",
		"Disegnato da una tabella di %s.", "Getekend naar een tabel in %s.", "Desenhado a partir de uma tabela de %s.",
	},
	SaysMostLikely: {"Am ehesten:", "Le plus probable :", "Lo más probable:", "Più probabile:", "Waarschijnlijk:", "Mais provável:"},
	SaysAlsoClose:  {"Auch nahe:", "Proche aussi :", "También cerca:", "Vicino anche:", "Ook dichtbij:", "Próximo também:"},
	SaysRowsFit:    {"%d von %d Zeilen:", "%d lignes sur %d :", "%d de %d filas:", "%d righe su %d:", "%d van %d rijen:", "%d de %d linhas:"},
	SaysMostOf: {
		"Das meiste in „%s“, von %d Zeilen:", "Le plus dans « %s », de %d lignes :", "El máximo en «%s», de %d filas:",
		"Il massimo in «%s», di %d righe:", "Het meeste in ‘%s’, van %d rijen:", "O máximo em “%s”, de %d linhas:",
	},
	SaysLeastOf: {
		"Das wenigste in „%s“, von %d Zeilen:", "Le moins dans « %s », de %d lignes :", "El mínimo en «%s», de %d filas:",
		"Il minimo in «%s», di %d righe:", "Het minste in ‘%s’, van %d rijen:", "O mínimo em “%s”, de %d linhas:",
	},
	SaysSumOf: {
		"%s ist die Summe von „%s“ in %d Zeilen:", "%s est la somme de « %s » sur %d lignes :", "%s es la suma de «%s» en %d filas:",
		"%s è la somma di «%s» in %d righe:", "%s is de som van ‘%s’ in %d rijen:", "%s é a soma de “%s” em %d linhas:",
	},
	SaysMeanOf: {
		"%s ist der Durchschnitt von „%s“ in %d Zeilen:", "%s est la moyenne de « %s » sur %d lignes :", "%s es el promedio de «%s» en %d filas:",
		"%s è la media di «%s» in %d righe:", "%s is het gemiddelde van ‘%s’ in %d rijen:", "%s é a média de “%s” em %d linhas:",
	},
	SaysDifferenceOf: {
		"%s ist der Unterschied in „%s“ von %d Zeilen:", "%s est la différence de « %s » entre %d lignes :", "%s es la diferencia en «%s» de %d filas:",
		"%s è la differenza in «%s» di %d righe:", "%s is het verschil in ‘%s’ van %d rijen:", "%s é a diferença em “%s” de %d linhas:",
	},
	saysUnknown: {
		"%s steht in keinem Dokument.",
		"%s n'est dans aucun document.",
		"%s no está en ningún documento.",
		"%s non è in nessun documento.",
		"%s staat in geen enkel document.",
		"%s não está em nenhum documento.",
	},
	saysUnknowns: {
		"In keinem Dokument: %s.",
		"Dans aucun document : %s.",
		"En ningún documento: %s.",
		"In nessun documento: %s.",
		"In geen enkel document: %s.",
		"Em nenhum documento: %s.",
	},
	saysUnasked: {
		"In keinem der befragten Dokumente: %s.",
		"Dans aucun des documents interrogés : %s.",
		"En ninguno de los documentos consultados: %s.",
		"In nessuno dei documenti interrogati: %s.",
		"In geen van de gevraagde documenten: %s.",
		"Em nenhum dos documentos consultados: %s.",
	},
	saysMeant: {
		"%s steht in keinem Dokument. Meinten Sie %s?",
		"%s n'est dans aucun document. Vouliez-vous dire %s ?",
		"%s no está en ningún documento. ¿Quiso decir %s?",
		"%s non è in nessun documento. Intendeva %s?",
		"%s staat in geen enkel document. Bedoelde u %s?",
		"%s não está em nenhum documento. Quis dizer %s?",
	},
	SaysNotWritten: {
		"Es wurde nur nach Textstellen gefragt, also wurde keine Antwort geschrieben.",
		"Seuls des passages étaient demandés : aucune réponse n'a été écrite.",
		"Solo se pidieron pasajes, así que no se escribió ninguna respuesta.",
		"Sono stati chiesti solo i passaggi, quindi non è stata scritta alcuna risposta.",
		"Er werd alleen om passages gevraagd, dus is er geen antwoord geschreven.",
		"Só foram pedidos trechos, por isso não foi escrita nenhuma resposta.",
	},
	saysStopped: {
		"Angehalten an der Grenze von %s für eine Frage: Das wurde bis dahin gefunden.",
		"Arrêté au plafond de %s par question : voici ce qui a été trouvé jusque-là.",
		"Detenido en el límite de %s por pregunta: esto es lo que se había encontrado.",
		"Fermato al limite di %s per domanda: ecco ciò che era stato trovato.",
		"Gestopt bij de grens van %s voor één vraag: dit was tot dan toe gevonden.",
		"Parado no limite de %s por pergunta: isto é o que tinha sido encontrado.",
	},
	saysStoppedEarly: {
		"Angehalten an der Grenze von %s für eine Frage, bevor etwas Passendes gefunden wurde.",
		"Arrêté au plafond de %s par question, avant que rien de pertinent ne soit trouvé.",
		"Detenido en el límite de %s por pregunta, antes de que se encontrara nada pertinente.",
		"Fermato al limite di %s per domanda, prima che si trovasse qualcosa di pertinente.",
		"Gestopt bij de grens van %s voor één vraag, voordat er iets passends was gevonden.",
		"Parado no limite de %s por pergunta, antes de se encontrar algo pertinente.",
	},
}

// InLanguageOf returns one of the program's own sentences in the language of a question.
func InLanguageOf(question, sentence string) string { return languageOf(question).says(sentence) }

// Questions about one thing of a question.
const (
	saysWhatAbout = "What about %s?"
	saysAsFor     = "As for %s, %s"
)

// WhatAbout asks what there is about a thing of a question, in its language.
func WhatAbout(thing, question string) string {
	return fmt.Sprintf(InLanguageOf(question, saysWhatAbout), thing)
}

// AsFor returns a question about one thing, in the language of the question.
func AsFor(topic, question string) string {
	if strings.Contains(topic, ", ") {
		topic = "“" + topic + "”"
	}
	return fmt.Sprintf(InLanguageOf(question, saysAsFor), topic, question)
}

// TopicOf returns what a question that AsFor has written is about, and the rest of it.
func TopicOf(question string) (topic, rest string, ok bool) {
	others := translated[saysAsFor]
	for _, form := range append([]string{saysAsFor}, others[:]...) {
		begins, form, _ := strings.Cut(form, "%s")
		parts := strings.TrimSuffix(form, "%s")
		after, has := strings.CutPrefix(question, begins)
		if quoted, isQuoted := strings.CutPrefix(after, "“"); isQuoted {
			after, parts = quoted, "”"+parts
		}
		if topic, rest, ok = strings.Cut(after, parts); has && ok && topic != "" {
			return topic, rest, true
		}
	}
	return "", question, false
}

// says translates one of the program's sentences.
func (l language) says(sentence string) string {
	if l == english {
		return sentence
	}
	return translated[sentence][l-1]
}

// languageNamed returns the language of a code, English for an unknown one.
func languageNamed(code string) language {
	return map[string]language{"de": german, "fr": french, "es": spanish, "it": italian, "nl": dutch, "pt": portuguese}[code]
}

// apologises reports whether a sentence is an apology, in any language.
func apologises(sentence string) bool {
	others := translated[apology]
	return sentence == apology || slices.Contains(others[:], sentence)
}

// Group returns the entity or side of a comparison that the quotations below a remark belong to. It returns false for
// other remarks.
func Group(s domain.Sentence) (name string, ok bool) {
	for _, heading := range []string{SaysMostLikely, SaysAlsoClose} {
		others := translated[heading]
		if s.Text == heading || slices.Contains(others[:], s.Text) {
			return "", false
		}
	}
	name, ok = strings.CutSuffix(s.Text, ":")
	return name, ok && s.Remark
}

// quotationMarks are those of each language, before and after.
var quotationMarks = [...][2]string{
	english: {"“", "”"}, german: {"„", "“"}, french: {"«\u00a0", "\u00a0»"}, spanish: {"«", "»"}, italian: {"«", "»"}, dutch: {"“", "”"}, portuguese: {"“", "”"},
}

// Quoted returns words in the quotation marks of the language of a question.
func Quoted(question, words string) string {
	marks := quotationMarks[languageOf(question)]
	return marks[0] + words + marks[1]
}
