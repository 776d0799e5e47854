package minilm

import (
	"slices"
	"strings"
	"testing"
)

// TestWordsAreCutAsTheModelLearned: the pieces are those of the reference implementation
// with the model's whole vocabulary.
func TestWordsAreCutAsTheModelLearned(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"When did the designer of Copper Bridge die?":                        "when did the designer of copper bridge die ?",
		"Hello, World! It's 3.14—“quoted” …":                                 "hello , world ! it ' s 3 . 14 — “ quoted ” …",
		"Café NAÏVE Ångström İstanbul ΣΟΦΟΣ straße":                          "cafe naive ang ##strom istanbul σ ##ο ##φ ##ο ##σ st ##raße",
		"東京は日本の首都 is Tokyo":                                                  "東 京 は 日 本 の [UNK] 都 is tokyo",
		"a\x00b\ufffdc\u200bd\u00ade\tf\u00a0g\u3000h\u2028i":                "abc ##de f g h i",
		"unaffable antidisestablishmentarianism " + strings.Repeat("x", 101): "una ##ffa ##ble anti ##dis ##est ##ab ##lish ##ment ##arian ##ism [UNK]",
		"yyyy":                                       "y ##y ##y ##y",
		"don't $5.00 €7 №8 10² ½ ﬁ":                  "don ' t $ 5 . 00 € ##7 № ##8 10 ##² ½ ﬁ",
		"emoji 😀 mixed👍🏽text":                        "em ##oj ##i [UNK] [UNK]",
		"résumé re\u0301sume\u0301 가각":               "resume resume ᄀ ##ᅡ ##ᄀ ##ᅡ ##ᆨ",
		"กิ कि \u0300abc":                            "ก क ##ि abc",
		"tab\tnew\nline\r\nend":                      "tab new line end",
		"foo_bar-baz/qux@ex.com #1 a+b=c <tag> `~^|": "foo _ bar - ba ##z / qu ##x @ ex . com # 1 a + b = c < tag > ` ~ ^ |",
		"   ": "",
	}
	v := vocabulary{pieces: map[string]int32{}}
	var names []string
	add := func(name string) int32 {
		if id, ok := v.pieces[name]; ok {
			return id
		}
		v.pieces[name] = int32(len(names))
		names = append(names, name)
		return int32(len(names) - 1)
	}
	v.begin, v.end, v.unknown = add("[CLS]"), add("[SEP]"), add("[UNK]")
	for _, pieces := range cases {
		for piece := range strings.FieldsSeq(pieces) {
			add(piece)
		}
	}
	for text, want := range cases {
		var got []string
		for _, id := range v.split(text, maxPieces) {
			got = append(got, names[id])
		}
		if wanted := append(append([]string{"[CLS]"}, strings.Fields(want)...), "[SEP]"); !slices.Equal(got, wanted) {
			t.Errorf("%q\n got %q\nwant %q", text, got, wanted)
		}
	}
	if got := v.split(strings.Repeat("die yyyy ", 100), 8); len(got) != 8 || got[7] != v.end {
		t.Errorf("a long text has the pieces %v, want 8 that end with %d", got, v.end)
	}
}
