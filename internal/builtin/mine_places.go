package builtin

import "strings"

// knownPlaces are the keys of countries, some of their regions, and large
// cities: names that texts rarely explain.
var knownPlaces = lines(`
afghanistan,albania,algeria,andorra,angola,argentina,armenia,australia,austria,azerbaijan,bahamas,bahrain,bangladesh,barbados,belarus,belgium,belize,benin,bhutan,
bolivia,bosnia and herzegovina,botswana,brazil,brunei,bulgaria,burkina faso,burundi,cambodia,cameroon,canada,cape verde,chad,chile,china,colombia,congo,costa rica,croatia,cuba,
cyprus,czech republic,czechoslovakia,denmark,djibouti,dominican republic,ecuador,egypt,el salvador,england,eritrea,estonia,eswatini,ethiopia,fiji,finland,france,gabon,gambia,germany,
ghana,great britain,greece,greenland,grenada,guatemala,guinea,guyana,haiti,honduras,hungary,iceland,india,indonesia,iran,iraq,ireland,israel,italy,ivory coast,jamaica,japan,
kazakhstan,kenya,kosovo,kuwait,kyrgyzstan,laos,latvia,lebanon,lesotho,liberia,libya,liechtenstein,lithuania,luxembourg,madagascar,malawi,malaysia,maldives,mali,malta,
mauritania,mauritius,mexico,moldova,monaco,mongolia,montenegro,morocco,mozambique,myanmar,namibia,nepal,netherlands,new zealand,nicaragua,niger,nigeria,north korea,
north macedonia,northern ireland,norway,oman,pakistan,palestine,panama,papua new guinea,paraguay,peru,philippines,poland,portugal,puerto rico,qatar,romania,russia,rwanda,samoa,
saudi arabia,scotland,senegal,serbia,sierra leone,singapore,slovakia,slovenia,somalia,south africa,south korea,south sudan,soviet union,spain,sri lanka,sudan,suriname,sweden,
switzerland,syria,taiwan,tajikistan,tanzania,thailand,togo,trinidad and tobago,tunisia,turkey,turkmenistan,uganda,ukraine,united arab emirates,united kingdom,united states,
united states of america,uruguay,uzbekistan,vatican city,venezuela,vietnam,wales,yemen,yugoslavia,zambia,zimbabwe,africa,america,asia,europe,north america,south america,
central america,latin america,middle east,scandinavia,antarctica,alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,hawaii,idaho,illinois,
indiana,iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,nebraska,nevada,new hampshire,new jersey,new mexico,
new york,new york city,north carolina,north dakota,ohio,oklahoma,oregon,pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,utah,vermont,west virginia,
wisconsin,wyoming,ontario,quebec,british columbia,alberta,new south wales,queensland,bavaria,saxony,prussia,bohemia,moravia,catalonia,normandy,brittany,tuscany,sicily,
london,paris,berlin,vienna,rome,milan,madrid,barcelona,lisbon,amsterdam,brussels,copenhagen,stockholm,oslo,helsinki,dublin,edinburgh,glasgow,manchester,birmingham,
liverpool,munich,hamburg,cologne,frankfurt,leipzig,dresden,zurich,geneva,prague,budapest,warsaw,krakow,moscow,saint petersburg,kiev,kyiv,athens,istanbul,cairo,jerusalem,
tel aviv,baghdad,tehran,mumbai,delhi,new delhi,kolkata,chennai,bangalore,karachi,lahore,dhaka,beijing,shanghai,hong kong,tokyo,osaka,kyoto,seoul,bangkok,jakarta,manila,
sydney,melbourne,toronto,montreal,vancouver,los angeles,chicago,san francisco,boston,philadelphia,detroit,houston,dallas,seattle,atlanta,miami,new orleans,baltimore,
cleveland,brooklyn,manhattan,hollywood,mexico city,havana,buenos aires,rio de janeiro,sao paulo,santiago,lima,bogota,caracas,nairobi,lagos,johannesburg,cape town,
georgia,virginia,washington,us,usa,u s,u k,uk,u s a,ceylon,burma,persia,siberia,crimea,lombardy,flanders,kerala,punjab,tamil nadu,west bengal,maharashtra,hokkaido,
yorkshire,kent,essex,sussex,surrey,devon,cornwall,norfolk,suffolk,lancashire,hampshire,new england,pacific ocean,atlantic ocean,caribbean,balkans,himalayas,alps`)

// lines returns the set of names separated by commas and line breaks.
func lines(list string) map[string]bool {
	s := map[string]bool{}
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '\n' }) {
		s[name] = true
	}
	return s
}
