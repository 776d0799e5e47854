package prose_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/prose"
)

func TestLanguage(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"en": "The foundry was sold to a merchant who lived by the harbour, and the bells that it cast were taken to the school on the hill.",
		"de": "Die Gießerei wurde an einen Händler verkauft, der am Hafen wohnte, und die Glocken kamen auf den Hügel, wo auch die Schule war.",
		"fr": "La fonderie fut vendue à un marchand qui habitait sur le port, et les cloches sont montées avec le maître dans la cour de l'école.",
		"es": "La fundición se vendió a un comerciante que vivía en el puerto, y las campanas se llevaron a la escuela con los demás bienes.",
		"it": "La fonderia fu venduta a un mercante che viveva nel porto, e le campane della chiesa sono state portate alla scuola con gli altri beni.",
		"pt": "A fundição foi vendida a um comerciante que vivia no porto, e os sinos da igreja não foram levados para a escola com as outras coisas.",
		"nl": "De gieterij werd verkocht aan een koopman die bij de haven woonde, en de klokken zijn met het schip naar de school op de heuvel gebracht.",
		"sv": "Gjuteriet såldes till en köpman som bodde vid hamnen, och klockorna var inte längre i kyrkan när de kom från staden till skolan på kullen.",
		"da": "Støberiet blev solgt til en købmand, som boede ved havnen, og klokkerne var ikke i kirken, da de kom af sted fra byen efter krigen.",
		"no": "Støperiet ble solgt til en kjøpmann som bodde ved havnen, og klokkene var ikke i kirken da de kom etter krigen, av frykt for brann.",
		"fi": "Valimo myytiin kauppiaalle, joka asui satamassa, mutta kellot ovat kirkossa, ja hän sanoi, että se oli myös koulun oma.",
		"pl": "Odlewnia została sprzedana kupcowi, który mieszkał przy porcie, ale dzwony są w szkole na wzgórzu.",
		"cs": "Slévárna byla prodána kupci, který bydlel v přístavu, ale zvony jsou na kopci ve škole a není to za dlouho, co se o nich psalo.",
		"hu": "Az öntödét egy kereskedő vette meg, aki a kikötőben élt, és a harangok már nem a templomban voltak, hanem egy iskolában is meg az udvaron.",
		"ro": "Turnătoria a fost vândută unui negustor care locuia în port, și clopotele nu mai sunt în biserică, dar au ajuns la școala de pe deal.",
		"tr": "Dökümhane limanda yaşayan bir tüccara satıldı ve çanlar bu okul için çok önemli olan bir yere kadar geldi, ama daha sonra da değil.",
		"id": "Pabrik itu dijual kepada pedagang yang tinggal di pelabuhan, dan lonceng dari gereja dibawa untuk sekolah dengan kereta pada hari itu juga.",
		"ru": "Литейная мастерская была продана купцу, который жил у гавани.",
		"uk": "Ливарню продали купцеві, який жив біля гавані, і дзвони її перевезли.",
		"el": "Το χυτήριο πουλήθηκε σε έναν έμπορο που ζούσε στο λιμάνι.",
		"he": "בית היציקה נמכר לסוחר שגר ליד הנמל.",
		"ar": "بيع المسبك لتاجر كان يعيش قرب الميناء.",
		"ja": "鋳造所は港の近くに住む商人に売られました。",
		"zh": "铸造厂卖给了一位住在港口附近的商人。",
		"ko": "주조소는 항구 근처에 살던 상인에게 팔렸다.",
		"":   "Screws 3.50 | Nails 4 | Bolts 5 | Harbour Street 12 | Zürich | Bern | Basel | Genf | Lausanne | Chur",
	} {
		if got := prose.Language(text); got != want {
			t.Errorf("%s is told as %q, want %q", text, got, want)
		}
		if want != "" && prose.Language(strings.Repeat(text+"\n", 2000)) != want {
			t.Errorf("many times %s is not told as %q", text, want)
		}
	}
}
