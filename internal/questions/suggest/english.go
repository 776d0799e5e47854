package suggest

import (
	"slices"
	"strings"
)

// english makes a question of an English sentence.
func (r reader) english(w []string) ([]string, int) {
	if n := fronted(w); n > 0 { // "In 1871 the bridge was opened."
		subject, aux, rest, ok := r.clause(w[n:], isEnglishSubject)
		if name := properName(w[n:]); !ok && name > 1 && n+name < len(w) && englishPast[w[n+name]] != "" {
			rest = until(w[n+name+1:], englishStops)
			subject, aux, rest, ok = r.lowerFirst(w[n:n+name], englishDeterminers), "did", append([]string{englishPast[w[n+name]]}, rest...), true
		}
		if !ok || strings.EqualFold(w[0], "since") || englishRefers.has(rest) {
			return nil, 0
		}
		return slices.Concat([]string{"When", aux}, subject, uncut(until(rest, englishStops), nil)), moment
	}
	switch w[0] {
	case "If":
		return englishIf(until(w[1:], nil), w)
	case "To":
		return englishHow(until(w[1:], nil), w)
	}
	if i := slices.Index(w, "because"); i > 0 && i+1 < len(w) && w[i+1] != "of" {
		return r.englishWhy(w[:i])
	}
	asked, worth := []string(nil), 0
	if subject, aux, rest, ok := r.clause(w, isThing); ok {
		asked, worth = r.englishFact(subject, aux, rest)
	} else {
		asked, worth = r.englishDeed(w)
	}
	if asked == nil {
		return englishSum(w)
	}
	return asked, worth
}

// englishIf asks what happens under a condition: "If the tank is missing, the lamp turns red."
func englishIf(condition, w []string) ([]string, int) {
	if len(condition) < 3 || len(condition) == len(w)-1 && !strings.HasSuffix(w[len(w)-1], ",") || englishTies[condition[0]] || englishNoSubject[condition[0]] {
		return nil, 0
	}
	said, ok := spoken(condition)
	if !ok || isParticiple(condition[0]) || condition[0] == "not" || englishAux[condition[0]] {
		return nil, 0
	}
	if condition[0] == "you" {
		return slices.Concat([]string{"What", "can", "I", "do", "if"}, said), reason
	}
	return slices.Concat([]string{"What", "happens", "if"}, said), reason
}

// englishHow asks how to achieve the stated purpose: "To drain the tank, pull the plug."
func englishHow(purpose, w []string) ([]string, int) {
	if len(purpose) < 3 || len(purpose) == len(w)-1 || isCapital(purpose[0]) || englishDeterminers[purpose[0]] || englishTies[purpose[1]] || purpose[0] == "be" {
		return nil, 0
	}
	said, ok := spoken(purpose)
	if !ok {
		return nil, 0
	}
	return slices.Concat([]string{"How", "do", "I"}, said), reason
}

// spoken rewords an instruction in the reader's words, or returns false if it depends on previous sentences.
func spoken(w []string) ([]string, bool) {
	out := slices.Clone(w)
	for i, s := range w {
		switch {
		case s == "you" && i == 0:
			out[i] = "I"
		case s == "are" && i == 1 && w[0] == "you":
			out[i] = "am"
		case s == "your":
			out[i] = "my"
		case englishRefers[strings.ToLower(bare(s))]:
			return nil, false
		}
	}
	return out, true
}

// englishSum asks for a sum of money that a sentence names: "a deposit of £1,670".
func englishSum(w []string) ([]string, int) {
	for i := 1; i+2 < len(w); i++ {
		if englishSums[w[i]] && w[i+1] == "of" && (isMoney(w[i+2]) || isNumber(w[i+2]) && i+3 < len(w) && englishCoins[bare(w[i+3])]) && (w[i-1] == "a" || w[i-1] == "an" || w[i-1] == "the" || w[i-1] == "your") {
			if w[i-1] == "your" {
				return []string{"How", "much", "is", "my", w[i]}, amount
			}
			return []string{"How", "much", "is", "the", w[i]}, amount
		}
	}
	return nil, 0
}

// clause splits a main clause at its auxiliary: "The bridge", "was", "opened in 1871".
func (r reader) clause(w []string, isSubject func([]string) bool) (subject []string, aux string, rest []string, ok bool) {
	i := slices.IndexFunc(w, func(s string) bool { return englishAux[s] })
	if i < 1 || i > 8 || i+1 >= len(w) || !isSubject(w[:i]) {
		return nil, "", nil, false
	}
	rest = slices.DeleteFunc(slices.Clone(w[i+1:]), func(s string) bool { return englishDropped[s] })
	if len(rest) == 0 || (w[i] == "has" || w[i] == "have" || w[i] == "had") && !isParticiple(rest[0]) {
		return nil, "", nil, false
	}
	if i == 1 && (w[i] == "are" || w[i] == "were") && !isShout(w[0]) {
		return []string{strings.ToLower(w[0])}, w[i], rest, true
	}
	return r.lowerFirst(w[:i], englishDeterminers), w[i], rest, true
}

// isEnglishSubject reports whether words are a noun phrase that is clear without the sentences before it.
func isEnglishSubject(w []string) bool {
	if len(w) > 7 || englishRefers.has(w) || englishNoSubject.has(w[:1]) || isNumber(w[0]) {
		return false
	}
	for i, s := range w {
		if strings.HasSuffix(s, ",") || isShout(s) || englishPast[s] != "" || i > 0 && englishNoSubject[s] && !englishTies[s] || i == len(w)-1 && englishTies[s] {
			return false
		}
		inside := i > 0 && !englishTies[w[i-1]] && !isCapital(w[i-1])
		if inside && (englishDeterminers[s] || isCapital(s)) && !(englishDeterminers[strings.ToLower(w[0])] && (i == 1 || i == 2 && isCapital(s))) {
			return false // a verb precedes it
		}
	}
	return isSpecific(w)
}

// isSpecific reports whether a phrase names something, or describes it by two words.
func isSpecific(w []string) bool {
	content := 0
	for i, s := range w {
		if low := strings.ToLower(s); englishDeterminers[low] || englishTies[low] {
			continue
		}
		if content++; i > 0 && isCapital(s) {
			return true
		}
	}
	return content > 1 || len(w) == 1 && content == 1 && isCapital(w[0]) && !strings.HasSuffix(w[0], "s") && !strings.HasSuffix(w[0], "ing")
}

func (r reader) englishWhy(main []string) ([]string, int) {
	main = slices.Clone(main)
	main[len(main)-1] = bare(main[len(main)-1])
	subject, aux, rest, ok := r.clause(main, isThing)
	if ok && !englishRefers.has(rest) && !hasComma(rest) {
		return slices.Concat([]string{"Why", aux}, subject, rest), reason
	}
	name := properName(main)
	if name == 0 || len(main) < name+2 || englishPast[main[name]] == "" || englishRefers.has(main[name+1:]) || hasComma(main) {
		return nil, 0
	}
	return slices.Concat([]string{"Why", "did"}, r.lowerFirst(main[:name], englishDeterminers), []string{englishPast[main[name]]}, main[name+1:]), reason
}

// englishFact makes a question of "subject aux rest".
func (r reader) englishFact(subject []string, aux string, rest []string) ([]string, int) {
	is := aux == "is" || aux == "are" || aux == "was" || aux == "were"
	if is {
		if asked := englishSize(subject, aux, rest); asked != nil {
			return asked, amount
		}
	}
	if plural := len(subject) == 1 && (aux == "are" || aux == "were"); !plural && !isEnglishSubject(subject) && aux != "must" {
		return nil, 0
	}
	first := until(rest, englishStops)
	if len(first) == 0 || englishRefers.has(first) || slices.Contains(first, "not") {
		return nil, 0
	}
	if i, n := timePhrase(first); n > 0 && (i > 0 || is) {
		return englishTime(subject, aux, first[:i], first[i]), moment
	}
	if !is || len(first) < 3 {
		return nil, 0
	}
	switch {
	case isParticiple(first[0]) && first[1] == "by":
		return englishBy(subject, aux, first)
	case englishPlaced[first[0]] && englishPlaces[first[1]] && (englishDeterminers[first[2]] || isCapital(first[2])):
		return slices.Concat([]string{"Where", aux}, subject, first[:1]), place
	case (first[0] == "a" || first[0] == "an" || first[0] == "the") && properName(subject) == len(subject):
		return r.englishWhat(subject, aux, first)
	}
	return nil, 0
}

// englishSize asks for the sum or the measure that something is.
func englishSize(subject []string, aux string, rest []string) []string {
	switch {
	case isNumber(rest[0]) && len(rest) > 1 && englishCoins[bare(rest[1])],
		isMoney(rest[0]) && (len(rest) == 1 || hasComma(rest[:1]) || rest[1] == "a" || rest[1] == "per"):
		return slices.Concat([]string{"How", "much", aux}, subject)
	case len(rest) > 2 && isNumber(rest[0]) && englishMeasures[bare(rest[2])]:
		return slices.Concat([]string{"How", bare(rest[2]), aux}, subject)
	}
	return nil
}

// englishTime asks for the time after a preposition, given the words before it.
func englishTime(subject []string, aux string, rest []string, preposition string) []string {
	switch aux {
	case "is", "are", "was", "were":
		if len(rest) > 0 && !isParticiple(rest[0]) {
			return nil
		}
	}
	asks := []string{"When"}
	if preposition == "until" || preposition == "since" {
		asks = []string{strings.ToUpper(preposition[:1]) + preposition[1:], "when"}
	}
	return slices.Concat(asks, []string{aux}, subject, rest)
}

// englishBy asks who did something: "was designed by Maud Ferring".
func englishBy(subject []string, aux string, rest []string) ([]string, int) {
	past := rest[0]
	if aux == "is" || aux == "are" {
		return nil, 0
	}
	if p := englishPastOf[past]; p != "" {
		past = p
	}
	if n := properName(rest[2:]); n == 0 || n+2 < len(rest) && dateLength(rest[n+2:]) == 0 {
		return nil, 0
	}
	return slices.Concat([]string{"Who", past}, subject), person
}

// englishWhat asks who or what a name is.
func (r reader) englishWhat(name []string, aux string, rest []string) ([]string, int) {
	head := rest[1:]
	if i := slices.IndexFunc(head, func(s string) bool { return englishTies[s] || strings.HasSuffix(s, ",") }); i >= 0 {
		head = append(slices.Clone(head[:i]), bare(head[i]))
		if englishTies[head[len(head)-1]] {
			head = head[:len(head)-1]
		}
	}
	switch {
	case len(head) == 0:
		return nil, 0
	case !englishPersons[head[len(head)-1]]:
		if aux != "is" || len(rest) < 5 || strings.Count(r.text, strings.Join(name, " ")) < 3 {
			return nil, 0
		}
		return slices.Concat([]string{"What", aux}, name), definition
	case len(name) < 2:
		return nil, 0
	}
	return slices.Concat([]string{"Who", aux}, name), definition
}

// englishDeed turns a sentence with a full verb into a question.
func (r reader) englishDeed(w []string) ([]string, int) {
	for i := 1; i < min(len(w)-1, 7); i++ {
		if isThing(w[:i]) {
			if asked, worth := englishMuch(r.lowerFirst(w[:i], englishDeterminers), w[i], w[i+1:]); asked != nil {
				return asked, worth
			}
		}
	}
	n := slices.IndexFunc(w, func(s string) bool { return englishPast[s] != "" })
	if n < 1 || n+2 >= len(w) || !isEnglishSubject(w[:n]) || n == 1 && !r.isName(w[0]) {
		return englishWho(w), person
	}
	subject, base, first := r.lowerFirst(w[:n], englishDeterminers), englishPast[w[n]], until(w[n+1:], englishStops)
	if len(first) == 0 || englishRefers.has(first) {
		return nil, 0
	}
	if i, d := timePhrase(first); d > 0 && (first[i] == "in" || first[i] == "on") {
		return slices.Concat([]string{"When", "did"}, subject, []string{base}, first[:i]), moment
	}
	return englishWho(w), person
}

// englishMuch asks when, how long, how many or how much, depending on the verb.
func englishMuch(subject []string, verb string, rest []string) ([]string, int) {
	first := until(rest[1:], englishStops)
	switch {
	case englishStarts[verb] != "" && englishWhen[rest[0]] && dateLength(rest[1:]) > 0:
		return slices.Concat([]string{"When", "does"}, subject, []string{englishStarts[verb]}), moment
	case englishTakes[verb] != "" && len(first) > 0 && isAmount(rest[0]) && englishUnits[first[0]] && (len(first) == 1 || first[1] == "to") && !englishRefers.has(first):
		return slices.Concat([]string{"How", "long", "does"}, subject, []string{englishTakes[verb]}, first[1:]), amount
	case englishPast[verb] != "" && isMoney(rest[0]) && !englishRefers.has(first):
		return slices.Concat([]string{"How", "much", "did"}, subject, []string{englishPast[verb]}, first), amount
	case verb == "cost" && isSingular(subject) && (isNumber(rest[0]) || isMoney(rest[0])):
		return slices.Concat([]string{"How", "much", "did"}, subject, []string{"cost"}), amount
	case englishHolds[verb] != nil && (isNumber(rest[0]) || isMoney(rest[0])):
		return slices.Concat(englishHolds[verb][:3], subject, englishHolds[verb][3:]), amount
	case verb == "has" && isNumber(rest[0]) && len(first) > 0 && strings.HasSuffix(first[0], "s") && (len(first) == 1 || englishTies[first[1]]):
		return slices.Concat([]string{"How", "many", first[0], "does"}, subject, []string{"have"}), amount
	}
	return nil, 0
}

// isSingular reports whether a noun phrase speaks of one thing.
func isSingular(w []string) bool {
	head := until(w, englishTies)
	return len(head) > 0 && !strings.HasSuffix(head[len(head)-1], "s")
}

// englishWho asks who did something: "Maud Ferring founded the Velmdale Courant in
// 1878."
func englishWho(w []string) []string {
	n := slices.IndexFunc(w, func(s string) bool { return englishPast[s] != "" || isParticiple(s) })
	if n < 2 || n+2 >= len(w) || !isEnglishSubject(w[:n]) || !isCapital(w[n-1]) || englishPastOf[w[n]] != "" {
		return nil
	}
	object := until(w[n+1:], englishStops)
	if i, d := timePhrase(object); d > 0 {
		object = object[:i]
	}
	if i := englishLoose.index(object); i >= 0 {
		object = object[:i]
	}
	if len(object) < 2 || englishRefers.has(object) || object[0] == "a" || object[0] == "an" || object[0] != "for" && !englishDeterminers[object[0]] && !isCapital(object[0]) {
		return nil
	}
	named := slices.ContainsFunc(object, isCapital)
	if object = uncut(object, w[n+1:]); !named || object == nil {
		return nil
	}
	return slices.Concat([]string{"Who", w[n]}, object)
}

// isName reports whether the text contains a word only capitalised, and more than once.
func (r reader) isName(word string) bool {
	return strings.Count(r.text, word) > 1 && !strings.Contains(r.text, " "+strings.ToLower(word)+" ")
}

// isThing reports whether words are a noun phrase of a thing that may have no name.
func isThing(w []string) bool {
	return isEnglishSubject(w) || len(w) == 1 && strings.HasSuffix(w[0], "s") && isCapital(w[0]) && !englishNoSubject.has(w) && !englishRefers.has(w) || len(w) == 2 && englishDeterminers[strings.ToLower(w[0])] && !englishRefers.has(w) && !englishNoSubject.has(w[:1]) && !englishVague[w[1]]
}

// properName returns the number of words of the name that words begin with.
func properName(w []string) int {
	n := 0
	for n < len(w) && isCapital(w[n]) && !isShout(bare(w[n])) && !englishNoSubject[strings.ToLower(bare(w[n]))] && !englishRefers[strings.ToLower(bare(w[n]))] {
		if n++; hasComma(w[n-1 : n]) {
			break
		}
	}
	if n > 4 || n == 1 && englishDeterminers[strings.ToLower(w[0])] {
		return 0
	}
	return n
}

// until returns words up to the first comma or word of stops.
func until(w []string, stops set) []string {
	for i, s := range w {
		if stops[s] {
			return w[:i]
		}
		if hasComma(w[i : i+1]) {
			return append(slices.Clone(w[:i]), bare(s))
		}
	}
	return w
}

// uncut returns words, or nil if they end in one that asks for another, or if whole has
// more of the same clause after them.
func uncut(w, whole []string) []string {
	if len(w) > 0 && (englishTies[w[len(w)-1]] || englishDeterminers[w[len(w)-1]]) {
		return nil
	}
	if len(whole) > len(w) && whole[len(w)] == "and" {
		return nil
	}
	return w
}

func hasComma(w []string) bool {
	return slices.ContainsFunc(w, func(s string) bool { return strings.HasSuffix(s, ",") })
}

// fronted returns the number of words of the time that a sentence begins with.
func fronted(w []string) int {
	if !englishWhen[strings.ToLower(w[0])] {
		return 0
	}
	if n := dateLength(w[1:]); n > 0 {
		return n + 1
	}
	return 0
}

// timePhrase finds a time with its preposition: "in 1871", "on Tuesday 14 March".
func timePhrase(w []string) (at, n int) {
	for i := range w {
		if englishWhen[w[i]] {
			if n := dateLength(w[i+1:]); n > 0 {
				return i, n + 1
			}
		}
	}
	return 0, 0
}

// dateLength returns the number of words of the date or time that words begin with.
func dateLength(w []string) int {
	n, sure := 0, false
	for n < len(w) && n < 6 {
		s := strings.ToLower(bare(w[n]))
		switch {
		case isAmount(w[n]) && n+1 < len(w) && englishUnits[strings.ToLower(bare(w[n+1]))]:
			return n + 2
		case isYear(w[n]) || isTime(w[n]) || englishCalendar[s]:
			sure = true
		case s == "the" && n == 0, isDay(w[n]) && n+1 < len(w) && englishCalendar[strings.ToLower(bare(w[n+1]))], isDay(w[n]) && n > 0 && englishCalendar[strings.ToLower(bare(w[n-1]))]:
		case (s == "spring" || s == "summer" || s == "autumn" || s == "winter") && n > 0:
			sure = true
		default:
			if !sure {
				return 0
			}
			return n
		}
		n++
	}
	if !sure {
		return 0
	}
	return n
}

// isAmount reports whether a word is a number, in digits or letters.
func isAmount(w string) bool { return isNumber(w) || englishNumbers[w] }

func isParticiple(w string) bool {
	return strings.HasSuffix(w, "ed") && len(w) > 4 || englishPastOf[w] != "" || englishPast[w] != ""
}
