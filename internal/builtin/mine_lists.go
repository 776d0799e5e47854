package builtin

import "strings"

func set(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

var (
	articles    = set("a an the this that these those its their our some another each every")
	possessives = set("his her my your their its our")
	copulas     = set("is was are were be")
	auxiliaries = set("has have had")
	pronouns    = set("him her it them me us you himself herself itself themselves one another something somebody nothing")
	denials     = set("not never no neither nor n't isn't wasn't didn't hardly scarcely nobody")
	modals      = set("would could should might may must can will shall did does do didn't won't wouldn't couldn't cannot")

	// clauseWords separate clauses.
	clauseWords = set("and but or that which who whom whose when while where because since although though if whether than so yet whereas until unless before after as")

	prepositions = set("of in on at by for to from with into onto over under near through across against between among during within without about above below behind beside towards toward upon via around off along beyond despite until since after before like")

	// rolePrepositions follow an office or a description.
	rolePrepositions = set("of in at for to from near on")

	// timely prepositions give time or manner, not a target.
	timely = set("during until since after before within without about despite like between among")

	particles = set("up out over off down away back together")
	adverbs   = set("also later then first now once again soon still already ever always often twice thus jointly formerly currently originally since eventually together alone too even just only perhaps long best well")

	// notAdverbs end in ly.
	notAdverbs = set("family assembly monopoly anomaly butterfly jelly belly bully ally reply supply apply rally fly italy july daily weekly monthly early only")

	// vague nouns say nothing about what follows "of".
	vague = set("one part number kind type sort form result name end rest majority group pair lot variety series list set example top bottom side case way time year day month century beginning member-state some most all many much any each both several")

	// winners map nouns to the verb of what was won.
	winners = map[string]string{"winner": "won", "co-winner": "won", "cowinner": "won", "recipient": "received", "founder": "founded", "co-founder": "founded", "cofounder": "founded", "discoverer": "discovered", "inventor": "invented"}

	// appointing verbs give their object an office.
	appointing = set("appointed elected named made chose crowned")

	// far prepositions attach to the verb across an intervening phrase.
	far = set("for to from with")

	// giving verbs take the recipient first.
	giving = set("sold gave lent sent showed offered left paid told bought awarded granted")

	// humanDeeds are done by people, and occasionally by institutions.
	humanDeeds = set("designed built founded wrote taught trained discovered bought sold gave commanded chaired succeeded examined invented served joined moved composed directed produced played led met took became painted won")

	placing = set("born died lived lives located situated based held stands lies raised educated buried settled resides reside filmed built")

	personVerbs = set("said says wrote married painted taught studied retired drowned thinks thought believed died recalled argued sang acted composed graduated resigned born")
)

// kin are nouns for a relation between two people.
var kin = set(`wife husband widow widower son daughter brother sister mother father uncle aunt cousin nephew niece grandson granddaughter
	grandfather grandmother stepmother stepfather stepson stepdaughter half-brother half-sister partner friend colleague pupil student teacher mentor
	successor predecessor assistant apprentice rival master servant secretary editor publisher director founder owner author friend ally
	brother-in-law sister-in-law mother-in-law father-in-law son-in-law daughter-in-law sideman bandmate manager capital`)

var kinGender = map[string]string{
	"wife": "she", "widow": "she", "daughter": "she", "sister": "she", "mother": "she", "aunt": "she", "niece": "she", "granddaughter": "she", "grandmother": "she", "stepmother": "she", "stepdaughter": "she", "half-sister": "she", "sister-in-law": "she", "mother-in-law": "she", "daughter-in-law": "she",
	"husband": "he", "widower": "he", "son": "he", "brother": "he", "father": "he", "uncle": "he", "nephew": "he", "grandson": "he", "grandfather": "he", "stepfather": "he", "stepson": "he", "half-brother": "he", "brother-in-law": "he", "father-in-law": "he", "son-in-law": "he",
}

// endings are the last words of names of each label.
var endings = map[string]map[string]bool{
	place: set(`river lake bridge street road avenue square park island islands bay county city town village valley mountain mountains hill hills
		castle palace tower cathedral church abbey chapel airport station harbour harbor port beach desert forest peninsula province district
		region state republic kingdom empire canal creek falls sea ocean gulf strait pass inn hotel guildhall cemetery lane alley quay landing
		prefecture municipality township parish neighborhood parkway highway coast plateau cove point gate theatre theater stadium arena dam mill wood woods`),
	organization: set(`university college school institute academy company corporation ltd inc corp co llc plc society association foundation council
		committee commission agency ministry department bureau board authority union federation league club party bank group records pictures
		studios entertainment productions press newspaper times gazette courier courant messenger herald tribune post telegraph journal chronicle observer
		orchestra band ensemble choir museum library hospital army navy police guild trust brothers sons airlines airways railways railway
		foundry ironworks works brewery factory mills court senate parliament congress church-council order fund network television radio team fc united regiment battalion industries systems technologies partners laboratories observatory`),
	event: set(`war battle flood fire revolution rebellion uprising festival olympics championship championships cup tournament treaty siege massacre earthquake
		election elections conference congress-of crisis riots coup expedition exhibition fair parade riot strike famine campaign marathon derby prix storm hurricane`),
	work: set("symphony sonata concerto opera novel song album film suite overture trilogy saga poem quartet requiem"),
}

// beginnings are the first words of names, or the words before "of".
var beginnings = map[string]string{
	"lake": place, "mount": place, "mt": place, "river": place, "cape": place, "fort": place, "port": place, "isle": place, "republic": place, "kingdom": place, "duchy": place,
	"university": organization, "bank": organization, "ministry": organization, "department": organization, "institute": organization, "academy": organization, "house": organization, "order": organization,
	"battle": event, "siege": event, "treaty": event, "war": event, "feast": event,
	"king": person, "queen": person, "prince": person, "princess": person, "pope": person, "saint": "", "president": person, "emperor": person, "empress": person,
	"captain": person, "major": person, "colonel": person, "general": person, "gen": person, "canon": person, "judge": person, "bishop": person, "archbishop": person, "lord": person, "lady": person, "count": person, "countess": person, "duke": person, "duchess": person, "baron": person, "senator": person, "governor": person, "mayor": person, "sergeant": person, "lieutenant": person, "brother": person, "sister": person, "father": person,
	"journal": work, "symphony": work,
}

// nouns describe things of each label.
var nouns = map[string]map[string]bool{
	person: set(`actor actress singer songwriter composer writer author poet novelist journalist painter sculptor artist architect engineer designer
		mason printer doctor physician surgeon nurse lawyer judge politician statesman king queen emperor prince princess duke bishop priest canon vicar
		pope saint soldier officer general admiral captain pilot sailor diver teacher professor lecturer headmaster headmistress schoolmaster scholar
		physicist chemist mathematician philosopher historian economist inventor explorer businessman businesswoman entrepreneur executive
		director producer editor publisher player footballer cricketer athlete coach manager dancer musician guitarist drummer rapper model
		comedian presenter host chef farmer fisherman boatbuilder treasurer clerk mayor governor president chancellor senator minister
		wife husband widow widower son daughter brother sister mother father uncle aunt cousin nephew niece grandson granddaughter friend
		man woman girl boy child baby person nobleman noblewoman baron earl count countess knight monk nun missionary activist revolutionary
		carpenter smith blacksmith baker brewer merchant dealer trader banker shopkeeper gardener shepherd miller weaver clockmaker photographer
		filmmaker screenwriter playwright critic translator linguist biologist botanist geologist astronomer psychologist sociologist wrestler boxer
		swimmer skier golfer jockey quarterback pitcher goalkeeper midfielder defender striker apprentice governess sexton pupil student surveyor inspector`),
	organization: set(`company corporation firm newspaper magazine publisher bank university college school band group orchestra club team party
		union association society organization organisation institute institution agency label studio airline railway manufacturer foundry brewery
		museum library church-body charity foundation league federation guild council committee network station broadcaster retailer brand conglomerate paper`),
	place: set(`town city village hamlet river lake mountain hill island country county province state region district municipality suburb
		neighborhood neighbourhood borough capital port harbour valley street road bridge park castle palace cathedral church abbey tower building
		airport peninsula bay forest township parish commune settlement prefecture kingdom republic nation continent community locality inn theatre stadium`),
	work: set(`film movie novel book album song single poem play opera symphony painting portrait sculpture series sitcom show episode soundtrack musical ballet
		magazine-article game comic manga anime documentary drama thriller comedy western track ballad memoir autobiography pamphlet`),
	event: set("war battle festival flood championship tournament competition election revolution rebellion siege conference ceremony race season expedition uprising massacre"),
}

var personEndings = []string{"ist", "woman", "sman", "keeper", "maker", "wright", "ologist"}

// notPast are words in -ed that are not verbs.
var notPast = set("hundred sacred indeed kindred hatred wicked naked rugged ragged united limited crooked aged beloved learned unmarried so-called unnamed unknown alleged")

// presents are third-person verbs that follow a name.
var presents = set(`owns runs holds plays writes makes contains includes publishes produces designs leads edits directs teaches manages operates serves
	represents borders adjoins overlooks crosses connects links joins hosts houses employs manufactures sells supplies builds features stars
	portrays voices narrates lives works resides lies stands sits belongs flows governs administers controls commands chairs heads sponsors
	funds supports opposes follows precedes succeeds covers serves teaches trains married paints sings composes`)

// bareWords are capitalised words that name nothing alone.
var bareWords = set(`north south east west northern southern eastern western i mr mrs ms dr sir century god day street road city county river chapter
	figure table section part volume no page appendix monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays christmas easter internet bc ad ce bce am pm pe zip phd`)

// demonyms are adjectives and inhabitants of countries, and languages.
var demonyms = set(`american british english french german italian spanish portuguese dutch belgian swiss austrian polish czech slovak hungarian romanian
	bulgarian greek turkish russian ukrainian belarusian lithuanian latvian estonian finnish swedish norwegian danish icelandic irish scottish
	welsh european asian african australian canadian mexican brazilian argentine argentinian chilean peruvian colombian venezuelan cuban
	chinese japanese korean vietnamese thai indian pakistani bangladeshi nepali iranian persian iraqi israeli jewish arab arabic egyptian
	moroccan algerian tunisian libyan ethiopian kenyan nigerian ghanaian south-african indonesian malaysian filipino philippine singaporean
	taiwanese tibetan mongolian kazakh uzbek afghan georgian armenian azerbaijani serbian croatian slovenian bosnian albanian macedonian
	soviet roman latin christian catholic protestant muslim islamic buddhist hindu byzantine ottoman kuwaiti saudi syrian lebanese jordanian
	palestinian yoruba hebrew sanskrit hindi urdu bengali tamil telugu malayalam punjabi marathi gujarati catalan basque americans germans
	romans greeks jews christians muslims catholics protestants new-yorker african-american anglo-american`)

// givenNames are common first names of people.
var givenNames = set(`aaron abigail ada adam adela adele adolf agnes alan albert alex alexander alexandra alfred alice alison allen amanda amelia amos amy
	ana anders andre andrea andreas andrew andy angela anita ann anna anne annie anthony antoine anton antonio april arnold arthur ashley audrey augusta
	augustus barbara barry beatrice ben benjamin bernard bernhard bert bertha beth betty bill billy bob bobby boris brad bradley brandon brenda brian bruce
	bruno bryan carl carla carlos carol caroline carolyn caspar catherine cecilia charles charlie charlotte chris christian christina christine
	christopher claire clara clarence claude claudia clive colin conrad craig cynthia dan daniel danny darren dave david dean deborah denis dennis derek
	diana diane dick dieter dmitri dominic don donald donna doris dorothea dorothy doug douglas duncan earl ed eddie edgar edith edmund eduard edward edwin
	eileen elaine eleanor elias elisabeth elizabeth ella ellen elsie emil emily emma enrique eric erich erik erika ernest ernst ethel eugene eva evan evelyn
	felix fernando fiona florence frances francesco francis francisco franco francois frank franz fred frederick friedrich gabriel gareth gary gavin geoffrey georg george
	georges gerald gerard gertrude gideon gilbert giovanni giuseppe gloria gordon grace graham greg gregory guido gustav guy hannah hans harald harold harriet harry
	harvey heather hector heinrich helen helena henri henrik henrike henry herbert herman hermann hester horace howard hubert hugh hugo ian ida igor ilse ingrid irene
	isaac isabel isabella ivan ivo jack jackson jacob jacques jake james jan jane janet jason jay jean jeff jeffrey jennifer jenny jeremy jerome jerry jessica jill jim
	jimmy joan joanna joe joel johann johannes john johnny jon jonah jonathan jose josef joseph josephine joshua josias joyce juan judith judy julia julian julie julius
	justin karen karl kate katherine kathleen kathryn katie keith kelly ken kenneth kevin kim konrad kristin kurt larry laura lauren laurence lavinia lawrence lee leo leon leonard
	leonardo leopold leslie lewis liam lilian lily linda lisa lloyd lois lorenzo louis louisa louise lucas lucia lucy luigi luis luke luther lydia madeleine malcolm
	marc marcel marco marcus margaret maria marie marilyn mario marion marjorie mark markus martha martin martina mary mathilde matilda matt matthew matthias maud maurice max
	maximilian maxwell megan melissa michael michel michelle miguel mike mikhail mildred miles miriam mitchell mohammed molly monica morgan muhammad murray nancy naomi natalie
	nathan nathaniel neil nicholas nick nicolas nicole nigel nikolai nina noel nora norman oliver olivia olga oscar otto owen pablo pamela patricia patrick paul paula pauline
	pedro penelope percival percy peter phil philip philippe phillip phyllis piers pierre pietro rachel ralph randy raymond rebecca reginald rex richard rick rita robert roberto
	robin rodney roger roland ron ronald rosa rose rosemary roy rudolf rudolph rupert russell ruth ryan sally sam samantha samuel sandra sara sarah scott sean sebastian sergei
	seth sharon sheila shirley sidney silas simon sofia sonia sophia sophie stanley stefan stella stephan stephanie stephen steve steven stewart stuart sue susan susanna
	sven sylvia tara ted teresa terry theodor theodore theresa thomas tim timothy tobias todd tom tommy tony tracy trevor tyler ursula valentin valerie vera vernon veronica
	victor victoria vincent viola violet virginia vivian vladimir wallace walter wanda warren wayne wendy werner wilfred wilhelm wilhelmina will willem william willie winifred winston wolfgang yvonne`)
