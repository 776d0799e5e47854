package prose

import (
	"strings"
	"unicode"
)

// languageSample is how many bytes of a text tell its language.
const languageSample = 64 << 10

// fewWords is the minimum number of words of a text whose language is guessed from them.
const fewWords = 12

// Language returns the code of the language that most of a text is written in, or "" if that is not clear. It
// distinguishes languages by script, and those in Latin letters by their function words.
func Language(text string) string {
	text = text[:min(len(text), languageSample)]
	script, latin := scriptOf(text)
	if !latin {
		return script
	}
	hits, words := map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		words++
		for _, l := range languagesOf[word] {
			hits[l]++
		}
	}
	best, second := "", ""
	for _, l := range latinLanguages {
		switch {
		case hits[l.code] > hits[best]:
			best, second = l.code, best
		case hits[l.code] > hits[second]:
			second = l.code
		}
	}
	// Running text has a function word in every three to five words; lists of names and tables have
	// few, and their language stays open.
	if words < fewWords || hits[best]*12 < words || hits[best]*5 < hits[second]*6 {
		return ""
	}
	return best
}

// scriptOf returns the language that the letters of a text tell, or whether they
// are Latin.
func scriptOf(text string) (code string, latin bool) {
	letters := 0
	in := make([]int, len(scripts))
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		for i, s := range scripts {
			if unicode.Is(s.table, r) {
				in[i]++
				break
			}
		}
	}
	japanese := in[1] + in[2]
	switch {
	case letters < fewWords:
		return "", false
	case in[0]*2 > letters:
		return "", true
	case japanese*10 > letters && (japanese+in[3])*2 > letters:
		return "ja", false
	}
	for i, s := range scripts[3:] {
		if in[i+3]*2 > letters {
			for _, m := range s.marks {
				if strings.ContainsAny(text, m.letters) {
					return m.code, false
				}
			}
			return s.code, false
		}
	}
	return "", false
}

// A script is one that tells a language, unless letters in it tell another.
type script struct {
	table *unicode.RangeTable
	code  string
	marks []mark
}

// A mark is the letters that only one language of a script has.
type mark struct{ letters, code string }

var scripts = []script{
	{table: unicode.Latin},
	{table: unicode.Hiragana},
	{table: unicode.Katakana},
	{table: unicode.Han, code: "zh"},
	{table: unicode.Hangul, code: "ko"},
	{table: unicode.Cyrillic, code: "ru", marks: []mark{{"їєґЇЄҐ", "uk"}, {"ђћџљњЂЋЏЉЊ", "sr"}, {"ўЎ", "be"}}},
	{table: unicode.Greek, code: "el"},
	{table: unicode.Hebrew, code: "he"},
	{table: unicode.Arabic, code: "ar", marks: []mark{{"پچژگ", "fa"}}},
	{table: unicode.Devanagari, code: "hi"},
	{table: unicode.Thai, code: "th"},
	{table: unicode.Georgian, code: "ka"},
	{table: unicode.Armenian, code: "hy"},
}

// latinLanguages are recognised by words that occur in nearly every paragraph of one and in few of the others.
var latinLanguages = []struct{ code, words string }{
	{"en", "the of and to in is that was for with on as it by from at which this are were be not have had his her they"},
	{"de", "der die das und ist nicht ein eine zu den von mit sich auf für dem im des auch als wie war sie wurde werden bei oder nach"},
	{"fr", "le la les des et est une du dans que qui pour pas sur au par avec ce il elle ne plus sont était aux cette ses"},
	{"es", "el la los las de que y en un una es por con para del se no su al lo como más pero fue sus entre este"},
	{"it", "il di che è la un una per con non del della sono si da gli le dei nel alla come più anche era nella questo ed"},
	{"pt", "o a os as de que e do da em um uma para com não por dos das ao se mais como foi na no pela são"},
	{"nl", "de het een van en is dat niet op te zijn met voor aan er werd om ook door bij naar maar hij uit deze worden"},
	{"sv", "och att det som en på är av för med den till inte om ett var har de från vid när också efter hade"},
	{"da", "og at det som en på er af for med den til ikke om et var har de fra ved også efter blev eller men"},
	{"no", "og at det som en på er av for med den til ikke om et var har de fra ved også etter ble eller men"},
	{"fi", "ja on ei se että oli hän joka mutta kun ovat myös tai sen hänen niin ole kuin jotka sekä mukaan"},
	{"pl", "i w na z do się nie że jest to o jak po przez od za był ale dla jego oraz które który są przy"},
	{"cs", "a v na se je že s z do o k po ve který by jako za byl jeho ale aby jsou které není při"},
	{"hu", "a az és hogy nem is egy volt meg de csak ez már mint el vagy még ki szerint lehet között azt"},
	{"ro", "de în și la a cu pe o nu din că este un care pentru mai sau fost prin sunt ale lui fi dar"},
	{"tr", "ve bir bu da de için ile olarak çok daha olan gibi en ne var sonra kadar ama değil her onun"},
	{"id", "dan yang di dari untuk dengan pada ini itu dalam tidak adalah ke oleh juga sebagai atau telah akan karena"},
}

// languagesOf lists the languages in which a word is a function word.
var languagesOf = func() map[string][]string {
	by := map[string][]string{}
	for _, l := range latinLanguages {
		for w := range strings.FieldsSeq(l.words) {
			by[w] = append(by[w], l.code)
		}
	}
	return by
}()

// stopWords are English function words.
var stopWords = Set(`
a about above after again against all also am an and any are as at be because been before being below between both but by
can cannot could did do does doing don't down during each either else ever every few for from further had has have having he her here hers
herself him himself his how however i if in into is isn't it its itself just least less let many may me might more most much must my
myself neither no nor not now of off often on once one only onto or other others our ours ourselves out over own per rather same shall
she should since so some such than that the their theirs them themselves then there these they this those though through thus to
together too toward towards under until unto up upon us very was we were what whatever when where whereas whether which while
who whoever whom whose why will with within without would yet you your yours yourself yourselves
`)

// smallAcronyms are names, although they are stop words in other spellings. Other stop
// words in capitals are mostly stressed, see nameScanner.isStop.
var smallAcronyms = Set("WHO US IT")

// stressed are stop words that are written in capitals to stress them, or as the
// operators of a search, also after an article.
var stressed = Set("AND OR NOT IF THE NO ALL ANY IS ARE WAS BE DO MUST MAY CAN")

// abbreviations end in a full stop that rarely ends a sentence.
var abbreviations = Set(`
mr mrs ms dr prof st ste sr jr messrs rev hon gen col capt lt maj sgt cpl adm gov pres sen rep fr mt ft
vs etc pvt pty e.g i.e cf al fig figs vol vols pp ed eds est approx ca c dept univ assn bros inc ltd co corp llc
jan feb mar apr jun jul aug sept sep oct nov dec u.s u.k d.c ph.d
`)

// openers are words that start sentences, so a full stop before them ends one.
var openers = Set(`
the a an in on at by for from with after before during while when since although though however it its he she they his her their
this that these those there here we i you as if but and or so yet such some many most all both each among according following
`)

// alsoEnglish are small words of other languages that say something in English.
var alsoEnglish = Set("die men war hat van plus era ale jest mint pour dan")

// askers are words that ask, and forms of "have" and "be", in other languages than English.
var askers = Set(`
	wer wen wem wessen wann wo wohin woher warum wieso weshalb welche welcher welches welchem wie wieviel hat haben wurde wurden ist sind war
	qui quand où pourquoi comment combien quel quelle quels quelles quién quiénes cuándo dónde cómo cuál cuáles cuánta
	chi dove quando perché quale quali quanto quanti quante wanneer waar waarom hoe hoeveel welk heeft quem onde qual quais quantos quantas`)

// honorifics precede a person's name without being part of it. Ranks and
// offices are part of it: "Captain Cook", "King George".
var honorifics = Set("mr mrs ms miss dr doctor prof professor sir dame rev reverend mme mlle herr frau señor señora monsieur madame")

// particles join the parts of a name.
var particles = Set("of de del della di da do dos das du des der den van von zu zum zur la le les el al y e ibn bin ben af av til ter ten")

// epithets follow a person's name after "the".
var epithets = Set("Great Elder Younger Terrible Bold Fat Pious Bald Good Bad Wise Conqueror Confessor Lionheart Magnificent Short Tall Lion Bear Kid Child Red Black White Blind Brave Fair Just Simple Stammerer Fowler Apostate Baptist Evangelist")

// pairEnds end names after "and".
var pairEnds = Set("Sons Son Co Co. Company Brothers Daughters Associates Partners Tobago Herzegovina Caicos Nevis Barbuda Príncipe Principe Futuna Crafts Mary")

// suffixes follow a name after a comma.
var suffixes = Set("Jr Jr. Sr Sr. Inc Inc. Ltd Ltd. LLC LLP")

// offices name what a person is of something; nobles do where they follow a
// word of nobleAfter.
var (
	offices = Set(`president chairman chairwoman ceo secretary minister ambassador head director governor mayor professor dean chancellor commissioner
		treasurer bishop archbishop chair member`)
	nobles     = Set("king queen emperor empress count countess duke duchess earl baron prince princess lord marquess margrave viscount landgrave elector")
	nobleAfter = Set("was is as became and")
)

// institutions take "for" into their name, ministries "and".
var (
	institutions = Set(`Council Association Society Institute Institution Centre Center Foundation Fund Department Ministry Journal Office
		Academy Organization Organisation Committee Commission Award Awards Prize Medal Agency Network Alliance Campaign Movement School College
		Museum Union Federation Party Trust League Board Bureau Authority Coalition Fellowship Program Programme Administration Group Company`)
	ministries = Set("Ministry Department Secretary Minister Bureau Institute Academy Museum School College Faculty Center Centre Council Board Commission Journal Office Royal National Committee Society Association Federation Union Royal")
)

// genitiveHeads can follow a possessive within a name: "King's College".
var genitiveHeads = Set(`church abbey bridge college hospital school cathedral square theatre theater castle park court hall house inn gate
	island bay point creek lake hill well chapel priory society company association union league club day eve prize cup fund guild market
	station street road lane palace tower arms head hospice home college institute restaurant bar cabin convent ministry office committee council
	wharf mill row fair flood fire ferry quay yard brewery foundry library academy monastery basilica university hotel cave falls landing
	championship championships tour open tournament movement army war rebellion revolt gospel journal magazine kitchen f.c f.c.`)

// events end names that may start with a year.
var events = Set(`olympics olympic cup championship championships season election elections prix open games tournament series playoffs draft awards
	league uprising revolution coup war census earthquake flood fire final finals convention conference act bowl games tour masters riots
	crisis attacks bombing hurricane epidemic pandemic famine`)

var months = Set("January February March April May June July August September October November December")

var prepositionsOfTime = Set("in on since until by from during of early late mid before after last next")

// nameFollowers often follow a name that starts a sentence.
var nameFollowers = Set(`is was has had who which whose and or of lives lived died born may can could would will began became
	made wrote won took gave met left went came led held ran built sold grew knew sang drew saw told said says served lies
	stands stood sits hosts owns runs holds plays works makes contains includes remains does did gets got kept bought fought sent spent`)

// singularVerbs follow a singular.
var singularVerbs = Set("is was has does")

// headingOpeners start headings of manuals.
var headingOpeners = Set("how why getting frequently installing configuring contributing")

// commonOpeners are words, besides stop words, that often start sentences and
// rarely names.
var commonOpeners = Set(`
according additionally afterwards ago almost along already although altogether amid amongst announced anyone anything apart apparently
approximately around aside based beginning beside besides beyond born builders built capital certain certainly children clearly come
commonly compared composed concerning consequently considering contrary critics currently damage dear despite developed directed due early
earlier easy eight eighteen eighty elsewhere end eventually everybody everyone everything examples except experts families famous
fans fellow few first fewer fifteen fifty figures finally find five followed following for former forty fortunately founded four fourteen
fourth friends full furthermore generally given going good great half hence here high home hours however hundreds immediately important
indeed initially inside instead interestingly item items known language large last late later leaving left less let life like likewise
listed little local located long look low made mainly major make man many married maybe means meanwhile members men messages
million minor moreover mostly music named namely names near nearby nearly never nevertheless new next nine nobody nonetheless
nor north nothing notable note nowhere number numbers numerous observe old older once one open opened opposite order originally otherwise
outside overall parts past people perhaps place places plans please plus police possible possibly present previously prior probably produced published
raised read recent recently regarding released residents results return said scenes scholars scientists second see seen served set seven seventeen
seventy several shortly similar similarly six sixteen sixty small someone something sometimes somewhere soon sources south speaking special
specifically standing starting still stories students subsequently summary supported take taken ten thank thanks third thirteen thirty
thousands three throughout today tomorrow tonight total traditional travel twelve twenty twice two typical typically ultimately
underneath unfortunately unknown unlike use used using usually various versions view visitors water well went west whatever whenever
wherever whilst whole winter women words work workers works written years yes yesterday young
monday tuesday wednesday thursday friday saturday sunday january february april june july august september october november december
spring summer autumn fall morning evening night
click configure download install press unless
`)
