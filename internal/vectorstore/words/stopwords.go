package words

import "strings"

// isStopWord reports whether a lower-case word carries no meaning for a search.
func isStopWord(word string) bool {
	return strings.Contains(stopWords, " "+word+" ")
}

// stopWords lists English function words, including the parts of contractions
// ("don", "t"), each between spaces.
const stopWords = " a about above after again against all also am an and any are aren as at be because been before being " +
	"below between both but by can cannot could couldn d did didn do does doesn doing don down during each either few for from " +
	"further had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its " +
	"itself just ll m may me might more most must my myself neither no nor not now of off on once only or other our ours " +
	"ourselves out over own re s same shall she should shouldn so some such t than that the their theirs them themselves then " +
	"there these they this those through to too under until up upon us ve very was wasn we were weren what when where whether " +
	"which while who whom whose why will with within without won would wouldn you your yours yourself yourselves "
