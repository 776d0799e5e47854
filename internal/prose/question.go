package prose

import "strings"

// pronouns refer to something said before.
var pronouns = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`he she it they him her them his hers its their theirs this that these those there then one
		er sie es ihn ihm ihr ihre ihren ihrem sein seine il elle ils elles lui leur él ella ellos ellas lui lei loro`) {
		set[word] = true
	}
	return set
}()

// Question returns the questions in a text without the sentences around them, which are
// no questions: "Leave out the files. Who built the quay?". It returns the whole text if
// it holds no question, or one that can't be understood alone.
func Question(text string) string {
	runes := []rune(text)
	var asks []string
	for _, s := range Sentences(text) {
		sentence := string(runes[s.Start:s.End])
		if strings.ContainsAny(sentence[max(0, len(sentence)-6):], "?？؟") {
			asks = append(asks, sentence)
		}
	}
	if len(asks) == 0 || !standsAlone(asks[0]) {
		return text
	}
	return strings.Join(asks, " ")
}

// standsAlone reports whether a sentence says what it is about.
func standsAlone(sentence string) bool {
	terms := 0
	for _, t := range Tokens(sentence) {
		switch word := strings.ToLower(t.Text); {
		case pronouns[word]:
			return false
		case t.Word && !IsStopWord(t.Text):
			terms++
		}
	}
	return terms > 0
}
