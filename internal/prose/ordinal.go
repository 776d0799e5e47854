package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// endsOrdinal reports whether the full stop at byte at belongs to a German ordinal before rest: "am 31. Oktober", "im 19. Jahrhundert". The
// stop is followed by white space.
func (s *splitter) endsOrdinal(at int, rest string) bool {
	number, before, ok := s.ordinal(at)
	first, _ := utf8.DecodeRuneInString(rest)
	if !ok || !unicode.IsUpper(first) {
		return false
	}
	noun := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		noun = rest[:i]
	}
	after := strings.TrimLeft(rest[len(noun):], ". \u00a0\n")
	noun = strings.ToLower(noun)
	switch {
	case germanMonths[noun]:
		return isDay(number)
	case sharedMonths[noun]:
		return isDay(number) && (beforeDays[before] || len(after) >= 4 && isDigits(after[:4]))
	case countedNouns[noun]:
		return true
	case countedDays[noun]:
		return beforeDays[before]
	}
	return germanArticles[before] && !germanOpeners[noun] && !openers[noun]
}

// ordinal returns the number of up to three digits that ends at byte at, the last one of "18./19", and the word before it in lower case.
func (s *splitter) ordinal(at int) (number, before string, ok bool) {
	text := s.text[s.startByte:at]
	rest := strings.TrimRight(text, "0123456789")
	if number = text[len(rest):]; number == "" || len(number) > 3 {
		return "", "", false
	}
	for _, joint := range []string{"–", "-", "/"} {
		if first, is := strings.CutSuffix(rest, joint); is {
			first = strings.TrimRight(first, ".")
			rest = strings.TrimRight(first, "0123456789")
			if n := len(first) - len(rest); n < 1 || n > 3 {
				return "", "", false
			}
			break
		}
	}
	last, _ := utf8.DecodeLastRuneInString(rest)
	if rest != "" && !unicode.IsSpace(last) && last != '(' {
		return "", "", false
	}
	if last == '(' {
		return number, "(", true
	}
	rest = strings.TrimRightFunc(rest, unicode.IsSpace)
	return number, strings.ToLower(strings.TrimSuffix(s.lastWord(s.startByte+len(rest)), ",")), true
}

var (
	// germanMonths are months only in German, and not names.
	germanMonths = Set("januar jänner februar feber märz oktober dezember mrz okt dez")
	// sharedMonths are also months in English, or names.
	sharedMonths = Set("april mai juni juli august september november apr jun jul aug sep sept nov jan feb")
	// beforeDays are words that precede days.
	beforeDays = Set("( am dem der den des vom von mit zum bis und oder ab auf für seit beim montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag")
	// germanArticles are words before ordinals that are rarely English.
	germanArticles = Set(`der die das den dem des im zum zur vom beim ein eine einen einem einer eines sein seine seinen seinem seiner seines
		ihr ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer dieser diese dieses diesem diesen jeder jede jedes jedem jeden`)
	// countedDays are nouns that are counted after beforeDays.
	countedDays = Set("tag advent weihnachtstag weihnachtsfeiertag weihnachtsfeiertags")
	// countedNouns are nouns before which a number is an ordinal in any sentence.
	countedNouns = Set(`jahrhundert jahrhunderts jahrhunderte jahrhunderten jahrtausend jahrtausends jh jhd jhdt weltkrieg weltkriegs weltkrieges auflage auflagen
		lebensjahr lebensjahrs lebensjahres geburtstag geburtstags geburtstages todestag todestags jahrestag jahrestags jubiläum jubiläums legislaturperiode spieltag`)
	// germanOpeners are words that start sentences, so a full stop before them ends one.
	germanOpeners = Set(`der die das den dem des ein eine einen einem einer er sie es wir ich ihr ihre ihren ihrem sein seine seinen seinem man dann danach daher damals doch aber
		und oder als wenn weil da dort hier so nach vor bei mit in im am an auf aus zu zum zur für von seit bis nur auch noch schon jetzt heute später dieser diese
		dieses diesen kein keine alle viele einige was wer wie wo warum beide jeder jede jedes unter über um durch ohne während obwohl sowie insgesamt zuvor`)
)
