package prose

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
