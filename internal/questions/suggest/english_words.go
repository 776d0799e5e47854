package suggest

import "strings"

var (
	englishAux         = words("is are was were has have had will would can could must should may can't won't isn't aren't wasn't weren't")
	englishDeterminers = words("the a an all both every each some most many")
	englishTies        = words("of for in at on to from with and by near under over between into as after before through about against during until since")
	englishDropped     = words("also later now then already still finally soon afterwards only")
	englishStops       = words("and but which who whom whose when while where so although though if or that because since as than")
	englishRefers      = words("i me my we us our you your he him his she her hers it its they them their theirs this that these those here there such same other another former latter one ones itself himself herself themselves else above below following you'd you're you've you'll it's he's she's that's there's we're we'll we've they're i'm i've")
	englishNoSubject   = words("if when while because as since after before although though once unless whether and but or so then there here not no nothing none never nobody please what who which how why where in on at by for from with to of during under over until without despite instead however therefore thus yes both that whoever whatever everyone everybody anyone someone everything anything something much more less many few most some such let today yesterday tomorrow")
	englishWhen        = words("in on since until from at within after")
	englishCalendar    = words("january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday easter christmas noon midnight")
	englishPlaced      = words("kept held buried born stored located found installed situated made printed built parked hidden displayed exhibited published preserved")
	englishPlaces      = words("in at near under behind beside between on above opposite")
	englishMeasures    = words("long wide high deep tall old thick heavy")
	englishVague       = words("work thing things way case part place time man woman first second last next answer result rest")
	englishPersons     = words("engineer keeper teacher founder founder's owner builder architect painter writer author poet composer singer physicist chemist doctor nurse lawyer judge mayor king queen bishop priest farmer miller smith mason carpenter joiner baker merchant banker soldier sailor captain officer general clerk secretary chair chairman chairwoman chairperson president minister director manager treasurer professor scientist historian journalist photographer inventor designer developer programmer philosopher musician actor actress daughter son wife husband sister brother mother father apprentice foreman ferryman surveyor")
)

var (
	englishSums     = words("deposit rent fee fine charge grant budget salary premium excess discount loan donation balance refund allowance total")
	englishCoins    = words("pounds euros dollars crowns francs euro million billion")
	englishUnits    = words("minutes hours days weeks months years minute hour day week month year")
	englishNumbers  = words("one two three four five six seven eight nine ten eleven twelve twenty thirty")
	englishLoose    = words("shortly again early late without instead today twice once together alone")
	englishTakes    = map[string]string{"needs": "need", "takes": "take", "lasts": "last"}
	englishQuestion = words("who what when where why how which whose can do does is are may must should")
	englishStarts   = map[string]string{"begins": "begin", "starts": "start", "ends": "end", "opens": "open", "closes": "close", "leaves": "leave", "arrives": "arrive", "departs": "depart", "expires": "expire"}
)

// englishHolds maps verbs to the way they ask for an amount.
var englishHolds = map[string][]string{
	"costs":  strings.Fields("How much does cost"),
	"cost":   strings.Fields("How much do cost"),
	"holds":  strings.Fields("How much does hold"),
	"weighs": strings.Fields("How much does weigh"),
}

// englishPast maps past forms of verbs to infinitives, and englishPastOf participles to the past forms that differ.
var englishPast, englishPastOf = verbs(`
accept accepted; announce announced; apologise apologised; approve approved; attack attacked; award awarded; ban banned; call called; cancel cancelled; carry carried; collapse collapsed; conclude concluded; confirm confirmed; crash crashed; cross crossed; debut debuted; declare declared; die died; enter entered; fall fell fallen; fail failed; fix fixed; fly flew flown; form formed; happen happened; hire hired; hold held; issue issued; land landed; lodge lodged; merge merged; meet met; occur occurred; offer offered; pass passed; plunge plunged; present presented; print printed; produce produced; promise promised; register registered; reject rejected; remove removed; rent rented; restore restored; reveal revealed; separate separated; settle settled; ship shipped; sink sank sunk; stand stood; stop stopped; switch switched; travel travelled; unveil unveiled; vote voted; write wrote written; add added; adopt adopted; announce announced; appoint appointed; arrive arrived; become became become; begin began begun; bequeath bequeathed; break broke broken; bring brought;
build built; burn burnt; buy bought; carve carved; cast cast; catch caught; choose chose chosen; close closed; collect collected; commission commissioned; compose composed; complete completed; construct constructed;
create created; damage damaged; decide decided; deliver delivered; demolish demolished; describe described; design designed; destroy destroyed; develop developed; die died; discover discovered;
donate donated; draw drew drawn; elect elected; establish established; find found; finish finished; found founded; give gave given; grow grew grown; inherit inherited; inspect inspected; install installed;
introduce introduced; invent invented; isolate isolated; join joined; keep kept; launch launched; lead led; leave left; lend lent; lose lost; make made; marry married; mend mended; move moved; name named; open opened; order ordered; organise organised;
paint painted; pay paid; plant planted; premiere premiered; propose proposed; publish published; purchase purchased; raise raised; earn earned; receive received; record recorded; rebuild rebuilt; release released; repair repaired; replace replaced; report reported;
resign resigned; retire retired; return returned; save saved; sell sold; send sent; sign signed; start started; steal stole stolen; survey surveyed; take took taken; teach taught; translate translated;
visit visited; win won; write wrote written`)

// verbs reads a list of verbs: infinitive, past, and the participle if it differs.
func verbs(list string) (past, pastOf map[string]string) {
	past, pastOf = map[string]string{}, map[string]string{}
	for verb := range strings.SplitSeq(list, ";") {
		forms := strings.Fields(verb)
		past[forms[1]] = forms[0]
		if len(forms) > 2 {
			pastOf[forms[2]] = forms[1]
		}
	}
	return past, pastOf
}
