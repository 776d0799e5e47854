package builtin

import "strings"

func set(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

// abstract endings are of words that are no names of people.
var abstract = []string{"tion", "tions", "ment", "ments", "ness", "ship", "ity", "ities", "ism", "ics", "ences", "ology", "ical", "airs", "ive", "ious", "able"}

// notions precede names in quotation marks that are no works: the genus "X".
var notions = set("genus species tribe term word phrase nickname nicknamed pseudonym alias")

// suffered are participles by the label of what they are said of, after "was".
var suffered = byWord(map[string]map[string]bool{
	person: set(`born raised educated appointed elected hired married knighted ordained arrested sentenced convicted drafted traded murdered killed
		assassinated imprisoned executed nominated baptised baptized succeeded canonized exiled inducted crowned promoted survived engaged trained`),
	organization: set("founded formed disbanded dissolved headquartered bankrupt relegated acquired renamed"),
	place:        set("built constructed situated located inhabited annexed demolished"),
	work:         set("released recorded published written directed composed filmed adapted premiered broadcast serialized produced aired shot screened rereleased re-released"),
	event:        set("held fought contested postponed cancelled"),
})

// acting words say that somebody plays a part.
var acting = set("starring stars starred star featuring features featured played plays portrayed cast appeared appears voiced film series show episode directed")

// callingWords precede another name of the same.
var callingWords = set("known called nicknamed named as titled styled stylized stylised abbreviated simply formerly originally also aka dubbed renamed entitled translated")

// epithets follow a person's name after "the".
var epithets = set("younger elder great terrible bold fat pious bald good bad wise conqueror confessor lionheart magnificent lame blind brave fair just baptist evangelist theologian martyr")

// heldOffices stand within the name of somebody who holds them, see isTitled.
var heldOffices = set("president senator governor king queen prince princess duke duchess emperor empress pope lord lady admiral colonel captain lieutenant sergeant bishop archbishop mayor sultan")

// titleEndings end titles about a part of something, by the label of the whole.
var titleEndings = map[string]string{"season": organization, "seasons": organization, "roster": organization, "episodes": work, "characters": work, "soundtrack": work, "filmography": person, "bibliography": person}

// bestOf start the names of collections: "The Best of".
var bestOf = set("best essential complete art story adventures legend return rise fall curse history book books tale tales secret mystery life death revenge night day birth")

// legal forms end the full names of companies.
var legal = set("ltd inc corp corporation co company llc plc sa ag gmbh limited spa nv")

// surnames are words for places that also end names of people.
var surnames = set("park hall lane hill house field street church bridge mill wood woods castle farm banks forest rivers lake garden manor court ward beach fields heights waters ford brook stone marsh")

// memberNouns follow the name of what somebody belongs to: "the Weir Rovers
// striker".
var memberNouns = set(`frontman frontwoman guitarist bassist drummer vocalist singer keyboardist member player coach manager ceo executive founder co-founder employee
	chairman spokesman spokeswoman midfielder goalkeeper striker defender quarterback presenter anchor correspondent franchise`)

var (
	articles      = set("a an the this that these those its their our some another each every")
	plainArticles = set("a an the one")
	possessives   = set("his her my your their its our")
	copulas       = set("is was are were be")
	auxiliaries   = set("has have had")
	pronouns      = set("him her it them me us you himself herself itself themselves one another something somebody nothing")
	unfulfilled   = set("unable unavailable unwilling refused failed reluctant expected planned supposed scheduled due likely unlikely ready willing intended hoped afraid free")
	denials       = set("not never no neither nor n't isn't wasn't didn't hardly scarcely nobody")
	modals        = set("would could should might may must can will shall did does do didn't won't wouldn't couldn't cannot")

	// clauseWords separate clauses.
	clauseWords = set("and but or that which who whom whose when while where because since although though if whether than so yet whereas until unless before after as")

	// conditions start clauses that may not be so.
	conditions = set("if unless whether")

	prepositions = set("of in on at by for to from with into onto over under near through across against between among during within without about above below behind beside towards toward upon via around off along beyond despite until since after before like outside inside throughout alongside")

	// rolePrepositions follow an office or a description.
	rolePrepositions = set("of in at for to from near on")

	// timely prepositions give time or manner, not a target.
	timely = set("during until since after before within without about despite like between among")

	particles = set("up out over off down away back together")
	adverbs   = set("also later then first now once again soon still already ever always often twice thus jointly formerly currently originally since eventually together alone too even just only perhaps long best well")

	// notAdverbs end in ly.
	notAdverbs = set("family assembly monopoly anomaly butterfly jelly belly bully ally reply supply apply rally fly italy july daily weekly monthly early only")

	// vague nouns say nothing about what follows "of".
	vague = set("one number kind type sort form result name end rest majority group pair lot variety series list set example top bottom side case way time year day month century beginning member-state some most all many much any each both several")

	// ranks single out one who did something.
	ranks = set("first second third fourth fifth last only sole next")

	// made are participles that tell how a work came about, also far behind it.
	made = set("directed written produced released published composed recorded performed created developed distributed designed illustrated narrated edited hosted presented adapted")

	// doubts make a statement less than a fact.
	doubts = set("allegedly reportedly supposedly possibly probably presumably perhaps almost nearly purportedly apparently hypothetically")

	// hedges are words of sentences that pass on what others say.
	hedges = set("believed rumored rumoured alleged claimed claims legend legendary disputed supposed speculated speculation purported hearsay uncertain unclear unconfirmed")

	// winners map nouns to the verb of what was won.
	winners = map[string]string{"winner": "won", "co-winner": "won", "cowinner": "won", "recipient": "received", "founder": "founded", "co-founder": "founded", "cofounder": "founded", "discoverer": "discovered", "inventor": "invented"}

	// appointing verbs give their object an office.
	appointing = set("appointed elected named made chose crowned")

	// including verbs enumerate what somebody has: "his films include".
	including = set("include includes included consists consisted comprises comprised")

	// callings stand between other words for what somebody does.
	callings = set("lead rhythm bass former fellow star")

	// far prepositions attach to the verb across an intervening phrase.
	far = set("for to from with")

	// deeds are nouns for what is done to the name after "of".
	deeds = set("building cleaning construction conversion creation defence defense demolition design development discovery education enlargement extension foundation founding invention maintenance making painting preservation production publication purchase rebuilding renovation repair repairs restoration sale training translation upkeep")

	// giving verbs take the recipient first.
	giving = set("sold gave lent sent showed offered left paid told bought awarded granted")

	// humanDeeds are done by people, and occasionally by institutions.
	humanDeeds = set("designed built founded wrote taught trained discovered bought sold gave commanded chaired succeeded examined invented served joined moved composed directed produced played led met took became painted won")

	placing = set("born died lived lives located situated based held stands lies raised educated buried settled resides reside filmed built")

	personVerbs = set("said says wrote married painted taught studied retired drowned thinks thought believed died recalled argued sang acted composed graduated resigned born")
)

// officeWords name offices; a name of nothing else is no entity.
var officeWords = set(`president vice prime minister chief executive officer ceo chairman chairwoman secretary director head governor mayor professor dean
	chancellor commissioner treasurer ambassador general bishop archbishop king queen emperor prince princess count duke earl member baronet master chair`)

// legislatures are named by a single word.
var legislatures = set("congress parliament senate")

// makers are works and deeds whose author follows "by": "a novel by X".
var makers = map[string]string{
	"book": "wrote", "novel": "wrote", "poem": "wrote", "play": "wrote", "memoir": "wrote", "essay": "wrote", "treatise": "wrote", "novella": "wrote", "story": "wrote",
	"trilogy": "wrote", "autobiography": "wrote", "opera": "composed", "symphony": "composed", "concerto": "composed", "ballet": "composed", "painting": "painted",
	"portrait": "painted", "film": "directed", "movie": "directed", "documentary": "directed", "album": "recorded", "song": "recorded", "single": "recorded", "ep": "recorded",
	"mixtape": "recorded", "track": "recorded", "ballad": "recorded", "compilation": "released",
}

// participial words make an adjective of a name: "CBS-affiliated".
var participial = set("affiliated based born language style speaking owned like themed led era")

// carriers send broadcasts; another station is a place.
var carriers = set("radio television tv broadcasting broadcast rock hits news talk music format fm am")

// cues are the words before a name that say what it is, with or without an
// article between.
var cues = phrases(map[string]string{
	person: `directed by,written by,produced by,composed by,painted by,starring,featuring,married,portrayed by,played by,voiced by,hosted by,edited by,sung by,
		translated by,invented by,discovered by,narrated by,photographed by,choreographed by,designed by,sculpted by,conducted by,co-written by,co-directed by,
		created by,assassinated by,illustrated by,presented by,authored by,led by,coached by,taught by,founded by`,
	organization: `released by,published by,distributed by,owned by,acquired by,manufactured by,developed by,airs on,aired on,broadcast on,broadcast by,member of,
		members of,joined,signed to,signed with,played for,plays for,player for,division of,subsidiary of,worked for,works for,working for,employed by,branch of,licensed by,
		sponsored by,operated by,run by,student at,graduated from,studied at,educated at,professor at,taught at,lecturer at,attended,drafted by,guitarist of,drummer of,
		bassist of,singer of,vocalist of,frontman of,coach of,manager of,stood for,chairman of,founder of,president of,ceo of`,
	place: `born in,died in,based in,located in,situated in,headquartered in,lives in,lived in,moved to,emigrated to,immigrated to,capital of,town of,native of,native to,
		endemic to,raised in,takes place in,buried in,north of,south of,east of,west of,licensed to,filmed in,shot in,village in,city in,county in,town in,community in,
		resident of,residents of,coast of,population of,grew up in,up in,island of,region of,area of,serves,represented,resides in,returned to,fled to,exclusive to,suburb of,
		district of,outskirts of,banks of,between,via,across,exiled to,count of,duke of,earl of,margrave of,prince of,king of,queen of,bishop of,archbishop of,migrated to,traveled to,travelled to,toured`,
	work: `appeared in,appears in,starred in,role in,roles in,soundtrack of,episode of,author of,sequel to,adaptation of,cameo in,featured in,remake of,known for,
		co-wrote,music for,album,single,entitled,titled,song,film,novel,game`,
	event: "competed in,participated in,took part in,part in,fought in,during,medal at,medal in,qualified for,premiered at,runner-up in,compete in",
	award: "nominated for,recipient of,awarded,won an,received an",
})

// phrases maps each of the phrases of one or two words, separated by commas, to
// its label.
func phrases(lists map[string]string) map[[2]string]string {
	all := map[[2]string]string{}
	for label, list := range lists {
		for phrase := range strings.SplitSeq(list, ",") {
			words := append([]string{""}, strings.Fields(phrase)...)
			all[[2]string(words[len(words)-2:])] = label
		}
	}
	return all
}

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
		prefecture municipality township parish neighborhood parkway highway coast plateau cove point gate theatre theater stadium arena dam mill wood woods lakes heights springs gardens garden zoo house manor hall center centre mall estate estates boulevard drive turnpike trail tunnel reservoir volcano glacier canyon basin delta ward quarter peak ridge monument temple shrine mosque monastery priory ranch farm airfield terminal states territory isles fort barracks field route prison tavern line seaway ground grounds speedway raceway village plaza pavilion colosseum coliseum amphitheatre amphitheater
		moor heath swamp bluff hollow rapids pond lagoon bend crossing junction corner corners acres fields meadows terrace circle expressway freeway motorway loop crescent
		aquarium preserve sanctuary wilderness oblast governorate voivodeship canton commune borough shire strip battlefield yard yards crater marina`),
	organization: set(`university college school institute academy company corporation ltd inc corp co llc plc society association foundation council
		committee commission agency ministry department bureau board authority union federation league club party bank group records pictures
		studios entertainment productions press newspaper times gazette courier courant messenger herald tribune post telegraph journal chronicle observer
		orchestra band ensemble choir museum library hospital army navy police guild trust brothers sons airlines airways railways railway
		foundry ironworks works brewery factory mills court senate parliament congress church-council order fund network television radio team fc united regiment battalion industries systems technologies partners laboratories observatory media motors software games pictures films studio publishers publishing books breweries brewing holdings ventures ag gmbh spa sa nv ab oy stores foods pharmaceuticals energy oil petroleum steel rangers rovers wanderers athletic giants tigers lions bears eagles wildcats bulldogs legion corps fleet forces division brigade administration service services institution movement front coalition alliance fellowship seminary polytechnic conservatory faculty treasury team squad enterprises international label congregation order reserve limited assembly channel guard cinemas theatres solutions resources properties capital securities insurance communications telecommunications telecom wireless networks
		electronics electric semiconductor labs laboratory consulting logistics shipping aerospace aviation aircraft chemical chemicals textiles clothing restaurants hotels resorts
		railroad force forces survey forum project command commission secretariat office lines motorcycles motorcars cars
		brotherhood fraternity sorority syndicate consortium cooperative archdiocese diocese sox cowboys panthers falcons hawks cardinals knights warriors raiders broncos rams bills jets
		ravens steelers dolphins patriots packers redskins browns bengals colts jaguars titans texans chargers seahawks buccaneers cavaliers celtics lakers knicks bulls bucks pistons pacers
		hornets raptors spurs mavericks rockets grizzlies nuggets clippers braves mets phillies brewers cubs reds pirates astros athletics mariners orioles royals twins dodgers padres
		rockies bruins canadiens senators hurricanes flyers penguins capitals predators oilers flames sharks ducks coyotes wolverines buckeyes spartans gators longhorns huskies trojans
		rebels hoosiers badgers huskers jayhawks cyclones cougars owls hokies mountaineers vandals outlaws hotspur albion athletic`),
	event: set(`war battle flood fire revolution rebellion uprising festival olympics championship championships cup tournament treaty siege massacre earthquake
		election elections conference congress-of crisis riots coup expedition exhibition fair riot strike famine campaign marathon derby prix hurricane games bowl finals final playoffs open masters tour season convention expo showdown classic invitational eisteddfod tournaments wars cups day game games summit symposium biennale regatta fight rally relay referendum genocide crusade crusades armistice ceremony parade carnival gala eruption tornado
		tsunami typhoon bombings bombing attacks shooting assassination trial trials scandal affair incident uprisings mutiny raid offensive operation landings blitz census finals`),
	work:  set("symphony sonata concerto opera novel song album film suite overture trilogy saga poem quartet requiem series chronicles story tales adventures diaries mysteries rhapsody act show bible gospel encyclopedia dictionary handbook anthology manifesto cantata elegy ode sonnet memoirs trilogy"),
	award: set("award awards prize prizes medal medals oscar oscars grammys emmys trophy scholarship grammy emmy laureate"),
}

// beginnings are the first words of names, or the words before "of".
var beginnings = map[string]string{
	"lake": place, "mount": place, "mt": place, "river": place, "cape": place, "fort": place, "port": place, "isle": place, "republic": place, "kingdom": place, "duchy": place,
	"university": organization, "bank": organization, "ministry": organization, "department": organization, "institute": organization, "academy": organization, "house": organization, "order": organization,
	"battle": event, "siege": event, "treaty": event, "war": event, "feast": event,
	"king": person, "queen": person, "prince": person, "princess": person, "pope": person, "saint": "", "president": person, "emperor": person, "empress": person,
	"captain": person, "major": person, "colonel": person, "general": person, "gen": person, "canon": person, "judge": person, "bishop": person, "archbishop": person, "lord": person, "lady": person, "count": person, "countess": person, "duke": person, "duchess": person, "baron": person, "senator": person, "governor": person, "mayor": person, "sergeant": person, "lieutenant": person, "brother": person, "sister": person, "father": person,
	"journal": work, "symphony": work, "team": organization, "athletic": organization, "radio": organization, "club": organization, "fc": organization, "district": place, "company": organization, "church": place, "bay": place, "gulf": place, "isles": place, "county": place, "city": place, "state": place, "sultan": person, "dr": person, "shri": person, "pandit": person, "sheikh": person, "ustad": person, "maharaja": person, "dj": person, "mc": person,
	"chronicle": work, "chronicles": work, "book": work, "books": work, "tale": work, "tales": work, "story": work, "adventures": work, "legend": work,
	"ministers": organization, "museum": organization, "college": organization, "school": organization, "association": organization, "society": organization, "federation": organization,
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
		swimmer skier golfer jockey quarterback pitcher goalkeeper midfielder defender striker apprentice governess sexton pupil student surveyor inspector academic diplomat gamer trumpeter sprinter cyclist guru gangster mobster gambler frontman frontwoman vocalist conductor bandleader racer driver gymnast trainer theologian rabbi imam martyr attorney barrister solicitor aristocrat ambassador envoy premier soprano tenor baritone animator illustrator heir heiress claimant ruler monarch sultan tsar pharaoh chief warrior commander marshal lieutenant colonel major sergeant criminal murderer outlaw pirate spy cardinal abbot deacon pastor preacher magician chef restaurateur consultant analyst programmer socialite financier investor landowner pioneer mountaineer astronaut aviator hero heroine superhero superheroine villain protagonist character star personality anchor correspondent referee umpire trumpet rower sailor fencer weightlifter runner hurdler bowler batsman ceo chairman chairwoman commissioner secretary orator rapper emcee dj youtuber blogger laureate refugee immigrant veteran naturalist`),
	organization: set(`company corporation firm newspaper magazine publisher bank university college school band group orchestra club team party
		union association society organization organisation institute institution agency label studio airline railway manufacturer foundry brewery
		museum library church-body charity foundation league federation guild council committee network station channel initiative automaker carmaker corps army navy orchestra gang movement militia broadcaster retailer brand conglomerate paper chain duo trio ensemble choir consortium venture cooperative nonprofit regiment brigade battalion unit squad squadron faction parliament legislature ministry bureau department faculty seminary sect denomination dynasty division subsidiary franchise startup bookmaker supermarket brewer distillery record-label conference`),
	place: set(`town city village hamlet river lake mountain hill island country county province state region district municipality suburb
		neighborhood neighbourhood borough capital port harbour valley street road bridge park castle palace cathedral church abbey tower building
		airport peninsula bay forest township parish commune settlement prefecture kingdom republic nation continent community locality inn theatre stadium development skyscraper house mansion manor estate farm ranch plantation temple mosque synagogue monastery convent priory cemetery arena venue hotel resort zoo garden reserve highway route motorway canal reservoir lagoon waterfall glacier volcano peak ridge gorge canyon desert plateau plain basin ward quarter precinct arrondissement comune place oblast raion voivodeship taluk territory colony seat metropolis bathhouse mill lighthouse fort fortress archipelago atoll reef strait creek stream tributary headland restaurant railway neighbourhood countryside area parish civil-parish suburb`),
	work: set(`film movie novel book album song single poem play opera symphony painting portrait sculpture series sitcom show episode soundtrack musical ballet
		magazine-article game comic manga anime documentary drama thriller comedy western track ballad memoir autobiography pamphlet season ep mixtape compilation miniseries sequel prequel remake trilogy saga novella webcomic cartoon strip website podcast programme program telenovela sitcom concerto mass hymn carol anthem treatise essay short volume remix biopic adaptation allegory video installment instalment teleplay screenplay statue mural fresco sketch lp soap`),
	award: set("award prize medal honour honor scholarship"),
	event: set("war battle festival flood championship tournament competition election revolution rebellion siege conference ceremony race season expedition uprising massacre match bout tour exhibition operation campaign strike protest riot massacre bombing attack disaster trial convention summit holiday referendum conflict skirmish mutiny coup crisis epidemic pandemic"),
}

var personEndings = []string{"ist", "woman", "sman", "cian", "rian", "keeper", "maker", "wright", "ologist"}

// notPast are words in -ed that are not verbs.
var notPast = set("hundred sacred indeed kindred hatred wicked naked rugged ragged united limited crooked aged beloved learned unmarried so-called unnamed unknown alleged")

// presents are third-person verbs that follow a name.
var presents = set(`consists comprises owns runs holds plays writes makes contains includes publishes produces designs leads edits directs teaches manages operates serves
	represents borders adjoins overlooks crosses connects links joins hosts houses employs manufactures sells supplies builds features stars
	portrays voices narrates lives works resides lies stands sits belongs flows governs administers controls commands chairs heads sponsors
	funds supports opposes follows precedes succeeds covers serves teaches trains married paints sings composes`)

// bareWords are capitalised words that name nothing alone.
var bareWords = set(`jan feb mar apr jun jul aug sep sept oct nov dec north south east west northern southern eastern western i mr mrs ms dr sir century god day street road city county river chapter
	figure table section part volume no page appendix monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays christmas easter internet bc ad ce bce am pm pe zip phd
	federal state kw mhz ghz khz gwh mwh kwh tj pj kt mt fm tv cd dvd ii iii iv sr jr zip usd gdp`)

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
	victor victoria vincent viola violet virginia vivian vladimir wallace walter wanda warren wayne wendy werner wilfred wilhelm wilhelmina will willem william willie winifred winston wolfgang yvonne
	jonas alfonso ximena carly rae abdul abdullah abel achim adele adrian adriana ahmed ahmet agata agnieszka aicha akira alain alba alberto alejandro alejandra aleksandr aleksandra alena alessandro alessandra alexandre alexei ali alicia alina
	aline allison alma alvaro amelie amina amir amit ana-maria anatoly andrej andrei andres andrzej angelo angelina anil anita anja anja anke anneliese annette annika antje antonia antonella antoni anya aoife arjun armando arne arturo
	asha astrid atsushi aurelie axel ayesha aylin ayse baptiste barbel bartosz bastien beata beatrix beatriz benedict benedikt benoit berit bernadette bernardo birgit birgitta bjorn bogdan boguslaw bridget brigitte brigid britta burak camille carina
	carmen carmela caterina catarina cecile celine cem cesar chantal chiara chloe ciaran clemens clement clementine colette concepcion cormac corinna corinne cristina cristiano dagmar damian damien daniela daniele danielle dariusz deepa deirdre delphine denise
	diego dietmar dirk dolores dominik dominique dorota doreen eamon edoardo edouard eduardo ekaterina elena eleni elif elisa elise elizaveta elke elodie eloise elvira emanuele emilia emilie emilio emmanuel emmanuelle emre enzo ernesto esteban estelle esther
	ettore eugenio eva-maria fabian fabio fabrice fatima federica federico felipe femi filip finn florian florence francesca francine francoise franziska frauke frida fritz gaspard geoff georgios gerda gerhard germain ghislaine giacomo gianni gilles giorgio giulia giulio
	gisela goran grazia graziella gregor gretchen grzegorz guillaume guillermo gunnar gunter gunther haakon hakan hamza hanna hannelore hans-peter haruki hartmut hassan hedwig heidi heike heinz helga helge helmut henning henryk hiroshi hiromi hildegard holger ibrahim ignacio
	igor imran inga ingeborg inge ingo ines ioana irina irma isabelle ismail itziar iwona jacek jadwiga jakob jakub jamal jana janina janos jaroslav javier jean-claude jean-luc jean-marie jean-paul jean-pierre jelena jens jerzy jesper jiri joachim joana joao joaquin jochen
	joerg johan johanna joris jorg jorge josie juliane juliette jurgen justine jutta kai kamal kamil karim karin karsten katarina katarzyna katja katrin kaveh kazuo keiko keisha kemal kenji kerstin khalid kirsten kjell klaus kofi krishna krystyna krzysztof
	lars laszlo laurent lea leila lena leonie leticia liesel ligia lilly lina lionel lorena lothar luc lucie lucien luciano ludmila ludovic ludwig luiz lukas lydie maarten maciej madhav magda magdalena mahmoud maja malgorzata manfred manon manuel manuela mara marcelo marcin
	margarete margarita margherita margit margot marguerite mariana marianne marija marina marit marlene marta mateo mateusz mathieu mathis matteo maurizio mehmet mercedes merle michaela michal michele mihai milan milena miroslav mirjam mohamed monika monique murat mustafa
	nadia nadine naomi narayan natalia natasha nathalie nele nicola nicoletta niklas nils noah noemi norbert norma octavio odile ola olaf ole olena olivier omar orla orhan oskar osman otmar ottilie paola paolo pascale patrice patrik pavel pawel peggy per petra philipp pieter pilar piotr
	prakash priya radu rafael rainer raj rajesh ramon raquel raul regina reiner reinhard reinhold remedios remi rene renate renato ricardo riccardo roberta rocio rodrigo rolf roman romain ronan rosalind rosalie rosario ruben rudiger sabine sabrina sachiko salma salvador salvatore sanjay
	sandrine santiago saskia sascha satoshi sebastien selim selin serena serge sergey sergio severin sibylle siegfried sigrid silke silvia silvio simone sinead siobhan slavko slobodan soren stanislav stefania stefano stephane steffen subhash sunil sunita suresh susana susanne svea svetlana sybille sylvain
	sylvie szymon tadeusz takashi tamara tanja tariq tatiana teodor terezia thea theo thibault thierry thilo thomasina thorsten till tina tiziana tobin tomas tomasz torsten traudl tristan udo ulf ulrich ulrike umar urs uta uwe valentina valerio vanessa vasco veronika veronique vicente vijay
	viktor viktoria vincenzo viviana volker waltraud wiebke wladyslaw wojciech wolf xavier ximena yann yannick yasmin yasmina yoko yolanda yuki yuri yusuf yves zainab zbigniew zeynep zofia zoltan
	abraham adeline alec alfie alistair alma amber angus annabel archie arlene barnaby beverly blanche bonnie brendan bridget bryce caleb callum cameron candace carmel casey cedric chad chester chloe claudius clifford clint clyde colleen connor cordelia courtney craig curtis cyril damon daphne darcy
	darryl deborah declan delia delores desmond dexter dinah dolly dora dougal duane dwight dylan edna edwina effie eliot eliza elliot elmer elton elvis enid ephraim ernestine ethan eunice ezra fay felicity fergus fern finley flora floyd fraser freda garrett gemma genevieve geoff gilda gladys glenn glenda
	godfrey gwen hamish harley hattie hayley hazel hilary hilda hollis honor humphrey imogen ingram iris irving isla isobel ivor ivy jared jasmine jasper jeanette jeannie jemima jerald jesse joann jocelyn jodie josh josiah kathy kayla keira kelsey kendall kerry kirk kirsty kyle lana lance lara leigh lena
	leonora leroy lester lettie libby lionel lorna lorraine lottie lowell lucinda lyle lynn mabel maeve maggie mamie mandy marcia margery marian marsha marvin maryann mavis mckenzie melvin meredith merle millicent millie milton mitch mollie mona mort muriel myra myrtle nadine neville nell nellie nettie
	newton-john noelle norris opal orville osborne ottis patsy pearl perry petra phoebe polly prudence quentin raymond reginald rhoda rhys roderick rodolfo rory roscoe ross rowan roxanne rufus rupert russ sadie selma serena shane shannon shaun shelley sherry shirley sibyl silvester sinclair
	skye spencer stacey stan stuart summer sybil tabitha tamsin tess thelma thaddeus tilda toby tracey trent trish trudy ulysses una valerie vaughn velma vince virgil wade walt wendell wilbur wilma winona yasmin zach zachary zara zelda zoe`)
