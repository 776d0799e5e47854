package prose

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
