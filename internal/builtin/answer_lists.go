package builtin

// Words that steer how a question is read.
var (
	// anybody are nouns that mean just a person.
	anybody = wordSet("man woman person people men women someone somebody individual boy girl lady gentleman one figure")

	// soft words can be missing from the evidence.
	soft = wordSet(`use used using make made get got do done give given need needed want work works go total overall actual actually real original originally famous well-known main whole entire exact exactly called named known name
		located situated happen happens happened occur occurs occurred place take took different various certain particular also still ever please
		come comes came stand stands mean means offer offers provide provides handle handles cover covers contain contains include includes tells most least`)

	// offices are nouns, besides those recognised by their ending, that belong
	// to one thing or person "of".
	offices = wordSet(`mayor king queen wife husband son daughter mother father brother sister author architect head chief captain bishop dean chairman
		chairwoman chair president spouse partner clerk secretary headmaster headmistress mistress widow widower heir owner engineer champion capital birthplace
		headquarters hometown seat home student pupil patron niece nephew uncle aunt cousin ally rival vicar curate abbot priest rector principal minister`)

	officeEndings = []string{"er", "or", "ress", "ist", "eer", "ian"}

	// samePast are verbs with equal past and present.
	samePast = wordSet("cast cut put set cost hit hurt let shut split spread burst beat read")

	// transparent words stand between a name and its verb without changing who
	// does what.
	transparent = wordSet("has had have did does do will would could can also later then first never once again soon still only")

	helping = wordSet("do does did can could may might will would should must has have had")

	// subordinating words begin a clause that says when or if.
	subordinating = wordSet("when if while unless")

	beings = wordSet("is are was were be been being")

	relatives = wordSet("who whom that which whose where")

	determiners = wordSet("the a an his her its their this that these those")

	participlesBefore = wordSet("by in at for to from on with near between during after before")

	places = wordSet("in at on to into near from off under beside above below within outside inside across towards toward behind by onto")

	pronounsOfPeople = wordSet("he she him her his hers")
	pronounsOfThings = wordSet("it its they them their")

	numberWords = wordSet(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
		thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half twice once`)

	// measures follow "how" in a question for a number.
	measures = wordSet("many much long far tall old big high deep often large wide heavy fast")

	timeNouns    = wordSet("year date month century decade time season week day")
	amountNouns  = wordSet("share number amount price sum height length depth age weight width distance size percentage population")
	monthsAndDay = wordSet(`january february march april may june july august september october november december
		monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter christmas easter yesterday morning evening night noon midnight`)

	// comparing words compare two things.
	comparing = wordSet(`same both either first last later earlier older younger longer more most oldest youngest common country nationality located
		older elder larger bigger higher came out person band release released share used lived`)

	datings = wordSet("first later earlier older younger elder born died longer lived released recently oldest youngest")

	placeNouns = wordSet("country state city county place nationality region town province district university school")

	// inviting words start a question about nothing in particular.
	inviting = wordSet("tell about know explain describe give information info show summarise summarize happen happened")
)
