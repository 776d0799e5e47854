package intent

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/summarize"
)

// shape matches what comes before the name of a document: "the document", "der Datei".
var shape = regexp.MustCompile(`(?i)^(?:(?:the|this|that|my|our|das|dem|die|der|den|diese|dieses|le|ce|mon|el|este|mi) )?` +
	`(?:document|file|pdf|dokument|datei|fichier|documento|archivo)(?: (?:called|named|namens|nommé|llamado))?:? +["“„«]?(\S.*)$`)

// unshaped removes the word for a form from the object of a request: "the file minutes.docx" becomes minutes.docx.
func unshaped(object string) string {
	if m := shape.FindStringSubmatch(object); m != nil && !allWhole(m[1]) {
		return m[1]
	}
	return object
}

// Articles of the singular. The English ones belong to the plural too.
var (
	oneThing  = prose.KeySet("das den dem des ein eine einen einem einer diesen dieses diesem le la l du un une ce cet cette mon ma el del una este esta mi il lo della dello o do da um uma het")
	oneOrMore = prose.KeySet("the this that my our your a an")
)

// One reports whether an object of a question stands for one thing, by the article before it: one to be chosen where the
// library has several.
func One(question, object string) bool {
	of := wordsOf(object)
	if len(of) == 0 {
		return false
	}
	before := wordsOf(question[:max(0, strings.LastIndex(question, object))])
	articles := before[max(0, len(before)-1):]
	if len(of) > 1 {
		articles = append(slices.Clip(articles), of[0])
	}
	last := of[len(of)-1]
	return slices.ContainsFunc(articles, func(word string) bool {
		return oneThing[word] || oneOrMore[word] && (!strings.HasSuffix(last, "s") || strings.HasSuffix(last, "ss"))
	})
}

// noun matches a word for a summary, in the languages of the forms.
const noun = `(?:summary|abstract|précis|zusammenfassung|résumé|resumen|riassunto|resumo|samenvatting)`

var lengths = map[summarize.Length]*regexp.Regexp{
	summarize.Short: regexp.MustCompile(`(?i)(?:\b(?:short|brief|quick|concise|kurze|court|bref|breve|korte) ` + noun + `\b|` + noun + ` (?:court|bref|breve|corto)\b|` +
		`^(?:please )?briefly\b|\b(?:briefly|shortly|brièvement|brevemente)[ .!?]*$|\bkurz zusammen|\bin brief\b|` +
		`\b(?:in|en) (?:an?|one|two|three|four|five|few|\d+|einem|zwei|drei|wenigen|ein paar|quelques|une|deux|trois|pocas|una|dos|tres)[ a-z]* (?:lines?|words|sentences?|satz|sätzen|worten|mots|phrases?|lignes|palabras|líneas|frases?)\b)`),
	summarize.Long: regexp.MustCompile(`(?i)(?:\b(?:long|detailed|full|thorough|ausführliche) ` + noun + `\b|` + noun + ` (?:long|détaillé|detallado)\b|\bin detail\b|\bausführlich\b)`),
}

// Length returns the length of the summary that a question asks for.
func Length(question string) summarize.Length {
	for _, l := range []summarize.Length{summarize.Short, summarize.Long} {
		if lengths[l].MatchString(question) {
			return l
		}
	}
	return summarize.Medium
}
