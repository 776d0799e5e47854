package parse

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/race"
)

// A written text is one of two in a language: the first served to weigh letters, the second
// to measure alone.
type written struct {
	language  string
	encodings string
	texts     [2]string
}

var writtenTexts = []written{
	{"German", "windows-1252 iso-8859-15 macintosh ibm850", [2]string{
		"Die Größe der Mühle überraschte viele Gäste; für fünf Kronen durften sie das Haus ansehen und später Äpfel kaufen. ",
		"Jürgen Schröder wohnt in Köln, seine Schwester Käthe führt in München eine Bäckerei. Früher gehörte ihnen ein Möbelgeschäft. ",
	}},
	{"French", "windows-1252 iso-8859-15", [2]string{
		"Le moulin a été bâti en mille neuf cent sept par la commune; après l'incendie, les élèves français y créèrent une école. ",
		"Où est la clé de la fenêtre? Hélène l'a laissée près du théâtre, à côté d'une boîte à thé que le garçon gardait déjà. ",
	}},
	{"Spanish", "windows-1252", [2]string{
		"El año pasado la señora Muñoz compró el jardín; según él, también había una fuente pequeña detrás de la estación. ",
		"¿Dónde está el niño? José Ibáñez cruzó el río Miño por la mañana y volvió más tarde con los pingüinos. ",
	}},
	{"Swedish", "windows-1252 ibm850", [2]string{
		"Färjan går över sjön på lördagar och söndagar, men när isen ligger får båten stå kvar vid bryggan till våren. ",
		"Åsa Öberg är född i Växjö; hennes bror Håkan äger två gårdar nära Malmö där han odlar äpplen och lök. ",
	}},
	{"Polish", "windows-1250 iso-8859-2", [2]string{
		"Wójt gminy ogłosił, że nowa łódź będzie pływać od piątku; mieszkańcy cieszą się, choć bilety są droższe niż wcześniej. ",
		"Małgorzata Świątek mieszka w Łodzi, a jej brat Józef pracuje w Gdańsku jako księgowy. Każdego roku jeżdżą razem nad jezioro. ",
	}},
	{"Czech", "windows-1250 iso-8859-2", [2]string{
		"Starý mlýn u řeky dnes patří městu; každý čtvrtek tam děti čtou pohádky a v zimě se uvnitř peče chléb. ",
		"Jiří Dvořák bydlí v Plzni, jeho žena Věra učí češtinu na škole v Táboře. Příští týden pojedou k moři. ",
	}},
	{"Hungarian", "windows-1250 iso-8859-2", [2]string{
		"A régi malmot a tűz után újjáépítették; a hídőr fia most könyvtárat nyitott benne, ahová sűrűn járnak a gyerekek. ",
		"Kovács Zoltán Győrben él, húga Erzsébet pedig Pécsett tanít. Jövőre közösen vesznek egy szőlőt a hegyoldalon. ",
	}},
	{"Russian", "windows-1251 koi8-r iso-8859-5 ibm866", [2]string{
		"Старая мельница стоит у реки, и каждое утро мельник открывает ворота. Весной вода поднимается до самого моста. ",
		"Иван Петров живёт в Казани, его сестра Ольга работает врачом в Москве. Летом они вместе ездят на дачу к родителям. ",
	}},
	{"Ukrainian", "windows-1251 koi8-u", [2]string{
		"Стара мельниця стоїть біля річки, і щоранку її господар відчиняє ворота. Навесні вода підіймається аж до мосту. ",
		"Олена Шевченко живе у Львові, її брат Андрій працює лікарем у Києві. Улітку вони їздять до бабусі в село. ",
	}},
	{"Greek", "windows-1253 iso-8859-7", [2]string{
		"Ο παλιός μύλος βρίσκεται δίπλα στο ποτάμι και κάθε πρωί ο μυλωνάς ανοίγει την πόρτα. Την άνοιξη ανεβαίνει το νερό. ",
		"Η Μαρία Παπαδοπούλου μένει στη Θεσσαλονίκη, ενώ ο αδελφός της Γιώργος εργάζεται ως γιατρός στην Αθήνα. ",
	}},
	{"Turkish", "windows-1254", [2]string{
		"Eski değirmen ırmağın kıyısında duruyor; her sabah değirmenci kapıyı açıyor, çocuklar da güneşte oynuyor. ",
		"Ayşe Yıldız İzmir'de yaşıyor, kardeşi Oğuz ise Eskişehir'de öğretmen. Yazın köye gidip büyükannelerini görürler. ",
	}},
	{"Lithuanian", "windows-1257 iso-8859-13", [2]string{
		"Senasis malūnas stovi prie upės, ir kiekvieną rytą malūnininkas atidaro duris. Pavasarį vanduo pakyla iki tilto. ",
		"Jūratė Žukauskienė gyvena Šiauliuose, jos brolis Ąžuolas dirba gydytoju Kaune. Vasarą jie važiuoja prie jūros. ",
	}},
	{"Hebrew", "windows-1255 iso-8859-8", [2]string{
		"הטחנה הישנה עומדת ליד הנהר ובכל בוקר פותח הטוחן את השער. באביב עולים המים עד הגשר. ",
		"דוד כהן גר בחיפה ואחותו מרים עובדת כרופאה בתל אביב. בקיץ הם נוסעים יחד אל הים. ",
	}},
	{"Arabic", "windows-1256 iso-8859-6", [2]string{
		"تقف الطاحونة القديمة قرب النهر وفي كل صباح يفتح الطحان الباب. وفي الربيع يرتفع الماء حتى الجسر. ",
		"يسكن محمد علي في القاهرة وتعمل أخته فاطمة طبيبة في الإسكندرية. وفي الصيف يسافران معا إلى القرية. ",
	}},
	{"Thai", "windows-874", [2]string{
		"โรงสีเก่าตั้งอยู่ริมแม่น้ำ ทุกเช้าคนโม่แป้งจะเปิดประตู ในฤดูฝนน้ำขึ้นถึงสะพาน ",
		"สมชายอาศัยอยู่ที่เชียงใหม่ ส่วนน้องสาวของเขาทำงานเป็นหมอในกรุงเทพ ทุกปีพวกเขาไปทะเลด้วยกัน ",
	}},
	{"Chinese", "gb18030", [2]string{
		"河边有一座旧磨坊，每天早上磨坊主都会打开大门。春天的时候，水会一直涨到桥边，孩子们喜欢在那里看船。",
		"张伟住在北京，他的妹妹李娜在上海的一家医院当医生。夏天他们一起回乡下看望祖父母，路上要坐六个小时的火车。",
	}},
	{"Chinese, traditional", "big5", [2]string{
		"河邊有一座舊磨坊，每天早上磨坊主人都會打開大門。春天的時候，水會一直漲到橋邊，孩子們喜歡在那裡看船。",
		"陳志明住在台北，他的妹妹在高雄的一家醫院當醫師。夏天他們一起回鄉下探望祖父母，路上要坐四個小時的火車。",
	}},
	{"Japanese", "shift_jis euc-jp iso-2022-jp", [2]string{
		"川のそばに古い水車小屋があり、毎朝その主人が門を開けます。春になると水は橋まで上がり、子どもたちは船を見に来ます。",
		"田中太郎は大阪に住んでいて、妹の花子は東京の病院で医者をしています。夏には二人で祖父母の家へ行きます。",
	}},
	{"Korean", "euc-kr", [2]string{
		"강가에 오래된 물레방앗간이 있고 아침마다 주인이 문을 엽니다. 봄이 되면 물이 다리까지 차오르고 아이들은 배를 보러 옵니다. ",
		"김철수는 부산에 살고 누나 이영희는 서울의 병원에서 의사로 일합니다. 여름에는 함께 시골에 계신 할머니를 뵈러 갑니다. ",
	}},
}

// A measure counts how texts of a length were read.
type measure struct{ right, warned, silent int }

func (m measure) all() int { return m.right + m.warned + m.silent }

// wideEncodings are written without a mark.
var wideEncodings = []string{"utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"}

// cutTo returns the beginning of a text, from a word on, that has at most most bytes in an
// encoding.
func cutTo(text string, from, most int, e *Encoding) (string, []byte) {
	runes := []rune(strings.Repeat(text, 2+most/len([]rune(text))))
	words := strings.Fields(text)
	if len(words) > 3 {
		from %= len(words)
		runes = []rune(strings.Repeat(strings.Join(append(append([]string{}, words[from:]...), words[:from]...), " ")+" ", 2+most/len([]rune(text))))
	} else {
		runes = runes[from%20:]
	}
	var said string
	var data []byte
	for n := min(len(runes), most); n > 0; n-- {
		said = string(runes[:n])
		if data = encode(e, said); len(data) <= most {
			break
		}
	}
	return said, data
}

// encode writes a text in an encoding, without a mark, or nil if it does not have all of it.
func encode(e *Encoding, text string) []byte {
	if e.Name == "utf-8" {
		return []byte(text)
	}
	data, err := e.codec.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil
	}
	for _, m := range byteOrderMarks {
		if m.name == e.Name {
			data = []byte(strings.TrimPrefix(string(data), m.mark))
		}
	}
	return data
}

// measureAll reads all texts of a half in all their encodings, cut to a length.
func measureAll(half, length int, wrong func(language, in, read, as string)) measure {
	var m measure
	for _, text := range writtenTexts {
		for _, name := range append(strings.Fields(text.encodings), wideEncodings...) {
			e := encodingOf(name)
			for from := range 5 {
				said, data := cutTo(text.texts[half], from, length, e)
				if utf8.RuneCountInString(said) == 0 || encode(e, said) == nil {
					continue
				}
				got, warning, err := decode(data, nil, "")
				switch {
				case err == nil && got == said:
					m.right++
				case err != nil || warning != "":
					m.warned++
					wrong(text.language, name, got, warning)
				default:
					m.silent++
					wrong(text.language, name, got, "SILENT")
				}
			}
		}
	}
	return m
}

// TestEncodingsAreTold reads texts in 19 languages without being told their encoding. The
// second half of them served for nothing but this.
func TestEncodingsAreTold(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		length int
		right  float64 // least part that is read right
	}{{20, 0.85}, {100, 0.97}, {1000, 0.99}} {
		for half := range 2 {
			var missed []string
			m := measureAll(half, c.length, func(language, in, read, as string) {
				missed = append(missed, fmt.Sprintf("%s in %s: %.40q %.90s", language, in, read, as))
			})
			t.Logf("%4d bytes, half %d: %4d texts, %5.1f %% right, %d wrong with a warning, %d wrong without one",
				c.length, half+1, m.all(), 100*float64(m.right)/float64(m.all()), m.warned, m.silent)
			if part := float64(m.right) / float64(m.all()); part < c.right || m.silent > m.all()/500 {
				t.Errorf("%d bytes, half %d: %.3f right, %d silently wrong", c.length, half+1, part, m.silent)
			}
			if half == 0 {
				t.Log(strings.Join(missed, "\n"))
			}
		}
	}
}

// TestEncodingsHaveNames looks each encoding up by its name and by names that people use.
func TestEncodingsHaveNames(t *testing.T) {
	t.Parallel()
	for _, e := range encodings() {
		if got, err := EncodingNamed(strings.ToUpper(e.Name)); err != nil || got != e.Name {
			t.Errorf("%s is %q, %v", e.Name, got, err)
		}
	}
	for label, want := range map[string]string{"gbk": "gb18030", "gb2312": "gb18030", "cp1251": "windows-1251", "latin1": "windows-1252", "utf8": "utf-8", "sjis": "shift_jis", "cp437": "ibm437", "": ""} {
		if got, err := EncodingNamed(label); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", label, got, err, want)
		}
	}
	if _, err := EncodingNamed("klingon"); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "shift_jis") {
		t.Errorf("an unknown name: %v", err)
	}
}
