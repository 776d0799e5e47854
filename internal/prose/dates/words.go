package dates

import "strings"

// set returns the words of a list.
func set(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}

// numbered returns the words of a list with their place in it, counted from 1. Words with a stroke between share a place.
func numbered(list string) map[string]int {
	words := map[string]int{}
	for i, same := range strings.Fields(list) {
		for word := range strings.SplitSeq(same, "|") {
			words[word] = i + 1
		}
	}
	return words
}

var (
	months = numbered(`january|jan|januar|jänner|janvier|enero february|feb|februar|februar|février|febrero march|mar|märz|mars|marzo april|apr|avril|abril
		may|mai|mayo june|jun|juni|juin|junio july|jul|juli|juillet|julio august|aug|août|agosto september|sep|sept|septembre|septiembre|setiembre
		october|oct|oktober|okt|octobre|octubre november|nov|novembre|noviembre december|dec|dezember|dez|décembre|diciembre`)
	ordinals = numbered(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
		seventeenth eighteenth nineteenth twentieth`)
	romans = numbered("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI")
	// notMonths are months that are other words in lower case.
	notMonths   = set("may march mar dec sep")
	ordinalEnds = set("st nd rd th er e ème º")
	centuries   = set("century centuries jahrhundert jahrhunderts siècle siglo")
	ofWords     = set("of de del d")

	sinceWords = set("since from after seit ab von nach depuis dès après desde tras")
	untilWords = set("until till before by bis vor avant hasta antes jusqu")
	// beginWords and endWords are the words that mark an exact beginning or end.
	beginWords = set("since from seit ab von depuis dès desde")
	endWords   = set("until till bis hasta jusqu'en jusqu'au jusqu’en jusqu’au")
	// timeWords are the words that precede only times.
	timeWords  = set("since until till seit depuis desde hasta")
	aboutWords = set("about around circa c ca approximately um gegen vers environ hacia alrededor")
	toWords    = set("to until till through bis à au a hasta")
	// passed are words that may come between since, until or about and the date.
	passed      = set("the year end en le de der dem den zum")
	bothWords   = set("between zwischen entre")
	andWords    = set("and und et y")
	withinWords = set("in during early late mid year years spring summer autumn winter fall season im jahr jahre jahres jahren sommer winter frühjahr herbst en durante año l'an an")
	determiners = set("the a an its his her their this that")
	bornWords   = set("born b died d founded established est fl reigned geboren gestorben geb gest né née mort nacido nacida")

	// amounts are signs before a number that is not a year, joints join the parts of a number, and quotes begin a
	// title.
	amounts = set("$ € £ ¥ # § /")
	joints  = set(". , - : ' ’")
	quotes  = set("“ \" „ « ‘")
	// counted are words for things that a number counts.
	counted = set(`people men women seat seater metre meter foot mile year hour soldiers troops inhabitants residents students pupils workers employees copies pages words miles metres meters feet km m kg
		tons tonnes acres hectares degrees points votes seats dollars pounds euros crowns francs marks yen rupees percent per hours hrs uhr horses ships houses
		households years days months weeks minutes seconds times members passengers euro mark kilometer meter menschen einwohner soldaten personen arbeiter
		mann habitants personnes hommes mètres soldats personas habitantes hombres metros soldados litres liters gallons rpm hp kw mw bc items books titles`)
	// follows are words that may follow a year within a sentence.
	follows = set(`and or to until till through the a an he she it they his her its their was were is are had has have when where with by as at in on of for who which
		that but because after before while und oder bis der die das ein eine er sie es wurde war als mit von zu zum zur in im am auf et ou le la les un une il elle
		était fut avec par à au en dans y o el los las un una fue era con por a en de du des`)
	numbering = set("no nr p pp page pages seite s vol band chapter kapitel figure fig table section art artikel article room flat apartment line version isbn number act")
)
