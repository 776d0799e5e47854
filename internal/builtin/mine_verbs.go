package builtin

import "strings"

// irregularVerbs lists base, past and participle.
const irregularVerbs = `
become became become|begin began begun|bear bore born|beat beat beaten|bind bound bound|blow blew blown|break broke broken|bring brought brought
build built built|burn burnt burnt|buy bought bought|cast cast cast|catch caught caught|choose chose chosen|come came come|cut cut cut
deal dealt dealt|draw drew drawn|drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|fight fought fought|find found found|fly flew flown
forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|get got gotten|give gave given|go went gone|grow grew grown
hang hung hung|hear heard heard|hide hid hidden|hit hit hit|hold held held|keep kept kept|know knew known|lay laid laid|lead led led
learn learnt learnt|leave left left|lend lent lent|lose lost lost|make made made|marry married married|meet met met|overcome overcame overcome|overlook overlooked overlooked
oversee oversaw overseen|overthrow overthrew overthrown|pay paid paid|put put put|read read read|rebuild rebuilt rebuilt|ride rode ridden|rise rose risen
run ran run|say said said|see saw seen|seek sought sought|sell sold sold|send sent sent|set set set|shoot shot shot|show showed shown
shut shut shut|sing sang sung|sink sank sunk|speak spoke spoken|spend spent spent|spread spread spread|stand stood stood|steal stole stolen|strike struck struck
swim swam swum|take took taken|teach taught taught|tear tore torn|tell told told|throw threw thrown|undertake undertook undertaken|wear wore worn
weave wove woven|win won won|withdraw withdrew withdrawn|write wrote written|rewrite rewrote rewritten|foresee foresaw foreseen|inherit inherited inherited
drink drank drunk|bury buried buried|study studied studied|try tried tried|carry carried carried|die died died`

// The forms of irregular verbs, mapped to the past tense.
var irregularBase, irregularPast, irregularParticiple = readIrregular()

func readIrregular() (base, past, participle map[string]string) {
	base, past, participle = map[string]string{}, map[string]string{}, map[string]string{}
	for line := range strings.FieldsFuncSeq(irregularVerbs, func(r rune) bool { return r == '|' || r == '\n' }) {
		f := strings.Fields(line)
		base[f[0]], past[f[1]], participle[f[2]] = f[1], f[1], f[1]
	}
	delete(participle, "become")
	delete(participle, "come")
	return base, past, participle
}
