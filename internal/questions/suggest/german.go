package suggest

import (
	"slices"
	"strings"
)

// german turns a German sentence into a question. Its verb comes second, so the rest of the sentence need not change.
func (r reader) german(w []string) ([]string, int) {
	if w[0] == "Wenn" {
		condition := until(w[1:], nil)
		if len(condition) < 3 || germanRefers.has(condition) {
			return nil, 0
		}
		return slices.Concat([]string{"Was passiert, wenn"}, condition), reason
	}
	i := slices.IndexFunc(w, func(s string) bool { return germanVerbs[s] })
	if i < 1 || i > 8 || i+1 >= len(w) || hasComma(w[:i]) || germanRefers.has(w[:i]) {
		return nil, 0
	}
	front, verb, rest := w[:i], w[i], w[i+1:]
	why := slices.IndexFunc(rest, func(s string) bool { return s == "weil" })
	if why > 0 {
		rest = slices.Clone(rest[:why])
		rest[why-1] = bare(rest[why-1])
	}
	if germanRefers.has(rest) || hasComma(rest) {
		return nil, 0
	}
	switch low := strings.ToLower(front[0]); {
	case low == "wegen":
		return slices.Concat([]string{"Warum", verb}, rest), reason
	case germanTime(front) == len(front):
		return slices.Concat([]string{germanAsks(low), verb}, rest), moment
	case !germanSubject(front):
		return nil, 0
	}
	front = r.lowerFirst(front, germanDeterminers)
	if why > 0 {
		return slices.Concat([]string{"Warum", verb}, front, rest), reason
	}
	return germanFact(front, verb, rest)
}

// germanFact makes a question of "subject verb rest".
func germanFact(front []string, verb string, rest []string) ([]string, int) {
	switch {
	case (verb == "kostet" || verb == "kosten") && isNumber(rest[0]):
		return slices.Concat([]string{"Wie", "viel", verb}, front), amount
	case (verb == "beträgt" || verb == "betragen") && isNumber(rest[0]):
		return slices.Concat([]string{"Wie", "hoch"}, []string{map[string]string{"beträgt": "ist", "betragen": "sind"}[verb]}, front), amount
	}
	for at := range rest {
		if n := germanTime(rest[at:]); n > 0 {
			return slices.Concat([]string{germanAsks(rest[at]), verb}, front, rest[:at], rest[at+n:]), moment
		}
	}
	switch {
	case germanStands[verb] && germanPlaces[rest[0]]:
		return slices.Concat([]string{"Wo", verb}, front), place
	case (verb == "wurde" || verb == "wurden") && rest[0] == "von" && len(rest) > 2 && isCapital(rest[1]) && !isCapital(rest[len(rest)-1]):
		return slices.Concat([]string{"Von", "wem", verb}, front, rest[len(rest)-1:]), person
	}
	return nil, 0
}

// germanSubject reports whether words are a noun phrase that is clear without the sentences before it.
func germanSubject(w []string) bool {
	if germanPrepositions[strings.ToLower(w[0])] {
		return false
	}
	return germanDeterminers[strings.ToLower(w[0])] && len(w) > 1 || isCapital(w[0]) && !slices.ContainsFunc([]string{"e", "en", "er", "es"}, func(end string) bool { return len(w) > 1 && strings.HasSuffix(w[0], end) })
}

// germanAsks returns the word that asks for a time after a preposition.
func germanAsks(preposition string) string {
	switch strings.ToLower(preposition) {
	case "seit":
		return "Seit wann"
	case "bis":
		return "Bis wann"
	case "ab":
		return "Ab wann"
	}
	return "Wann"
}

// germanTime returns the number of words of the time that words begin with: "am 21.
// November zwischen 14 und 18 Uhr", "im Jahr 1893", "1893".
func germanTime(w []string) int {
	if isYear(w[0]) {
		return 1
	}
	if !germanWhen[strings.ToLower(w[0])] {
		return 0
	}
	n, sure := 1, false
	for ; n < len(w); n++ {
		s := strings.ToLower(bare(w[n]))
		switch {
		case germanCalendar[s] || isYear(w[n]) || isTime(w[n]) || s == "uhr":
			sure = true
		case isDay(w[n]) || s == "jahr" || s == "der" && n == 1 || s == "woche" || sure && (s == "zwischen" || s == "und" && isDay(w[min(n+1, len(w)-1)]) || s == "bis" || s == "von" || s == "vom"), n == 2 && (s == "vom" || s == "von"), s == "bis" && isDay(w[n-1]), s == "und" && isDay(w[n-1]):
		default:
			if !sure {
				return 0
			}
			return n
		}
	}
	if !sure {
		return 0
	}
	return n
}

var (
	germanVerbs        = words("ist war sind waren wurde wurden wird werden hat haben hatte hatten kann können muss müssen darf dürfen soll sollen kostet kosten beträgt betragen liegt liegen steht stehen beginnt beginnen endet enden findet finden stammt stammen starb kaufte baute gründete eröffnete erhielt")
	germanDeterminers  = words("der die das ein eine alle beide")
	germanPrepositions = words("in im am an auf aus bei mit nach seit von vom vor zu zum zur über unter neben zwischen durch für ohne gegen um bis ab wegen trotz während als wenn weil da obwohl nachdem bevor dort hier dann danach deshalb daher so auch noch nur fehlt wer was wo wie")
	germanRefers       = words("ich mich mir wir uns unser unsere unserem unseren du dein er ihn ihm sie es ihr ihre ihrem ihren ihnen sein seine seinem seinen dies diese dieser dieses diesem diesen jene jener dort hier da damit davon dafür daran dabei danach man wer was dessen deren derselbe dieselbe sich nicht")
	germanWhen         = words("am im in seit bis ab vom zwischen um")
	germanCalendar     = words("januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag freitag samstag sonntag ostern weihnachten")
	germanQuestion     = words("wer was wann wo warum wie wieso welche welcher welches woher wohin wem wen kann muss darf ist sind")
	germanStands       = words("liegt liegen steht stehen")
	germanPlaces       = words("in im an am auf bei unter neben vor hinter zwischen")
)
