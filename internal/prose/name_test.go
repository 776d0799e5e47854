package prose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{ // proper and quoted names, parted by |
		{"The bridge was built by Ilse Marrant in Velmdale.", "Ilse Marrant|Velmdale"},
		{"Marie Curie and Pierre Curie won the Nobel Prize.", "Marie Curie|Pierre Curie|Nobel Prize"},
		{"She works at the Bank of England and the University of Copenhagen.", "Bank of England|University of Copenhagen"},
		{"He joined the International Council for Small Business.", "International Council for Small Business"},
		{"He left Arsenal for Chelsea.", "Arsenal|Chelsea"},
		{"They visited Trinidad and Tobago with Smith & Sons.", "Trinidad and Tobago|Smith & Sons"},
		{"St Osyth's Church stands by Mercers' Bridge.", "St Osyth's Church|Mercers' Bridge"},
		{"The Drapers' Benefit Society paid for it.", "Drapers' Benefit Society"},
		{"Marie Curie's notebooks went to Paris.", "Marie Curie|Paris"},
		{"Dr. Clara Munnings met Sir Hubert Lacey.", "Clara Munnings|Hubert Lacey"},
		{"Lothair II of Lotharingia met Boso the Elder.", "Lothair II of Lotharingia|Boso the Elder"},
		{"Ludwig van Beethoven knew Jean de la Fontaine.", "Ludwig van Beethoven|Jean de la Fontaine"},
		{`They met James "Jimmy" McNatt and Harry Blackstone, Jr. there.`, `James "Jimmy" McNatt|Harry Blackstone, Jr.`},
		{"She was CEO of Lucasfilm and Count of Nassau- Siegen; the Duke of Ely left.", "CEO|Lucasfilm|Count|Nassau- Siegen|Duke of Ely"},
		{"Henry I of Nassau signed to Ananda Publishers Pvt. Ltd. in May.", "Henry I of Nassau|Ananda Publishers Pvt. Ltd."},
		{`He played "Starcraft 2" there.`, "Starcraft 2"},
		{"In Paris it rained.", "Paris"},
		{"She paid 1,850 EUR at 10 AM, USD 20 in GB for 16 GB, and EUR was old.", "GB|EUR"},
		{"However Anna Lind stayed.", "Anna Lind"},
		{"Bridges were built. Later they fell.", ""},
		{"Quickly they left. Walking was slow.", ""},
		{"Lambert was the son of Adalbert.", "Lambert|Adalbert"},
		{"Hammers fell. He lifted hammers.", ""},
		{`She wrote "The Past of Mary Holmes" and said "Come here now my friend".`, "The Past of Mary Holmes"},
		{"He flew on Apollo 11 with 3 friends.", "Apollo 11"},
		{"The 2012 Summer Olympics were held in London in 2012.", "2012 Summer Olympics|London"},
		{"CHAPTER ONE BEGINS HERE\nThen Anna came.", "Anna"},
		{"She met Anna, Bert and Carl.", "Anna|Bert|Carl"},
		{"They met Hans-J. Brandt and K.-H. Holm there.", "Hans-J. Brandt|K.-H. Holm"},
		{`They sang "Where Did They Go?" and left.`, "Where Did They Go"},
		{"Data Collection\nIt began with data from Osterby.\nIlse Marrant\nShe led the collection.", "Osterby|Ilse Marrant"},
		{"Set max_Size in cmd/Web with os.Args and open() or Open() for user@Example at Sony/ATV.", "Sony/ATV"},
		{"Life Is Ruff is a film.", "Life Is Ruff"},
		{"Getting Started\n\nRun make in Osterby.\n\nKnown Issues\n\nNone so far.", "Osterby"},
		{"How To Build It\n\nType make and visit Osterby.", "Osterby"},
		{"Unless Anna Lind stays, install it. Install Docker and press Enter.", "Anna Lind|Docker|Enter"},
		{"Use std::Vector, --With-Foo, /usr/share/Doc/Foo, ./Bin/Run and http://Host/Path in Osterby.", "Osterby"},
		{"Élodie Ångström lives in Łódź.", "Élodie Ångström|Łódź"},
		{"Москва и Владимир Ленин были там.", "Владимир Ленин"},
		{"他在东京。", ""},
	} {
		var got []string
		for _, n := range Names(tt.text) {
			if n.Kind == Proper || n.Kind == Quoted {
				got = append(got, n.Text)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("names of %q (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestKnownNamesAreFoundWhole(t *testing.T) {
	t.Parallel()
	var got []string
	for _, n := range Names("Life goes on wants it. Tudor's Cake World and Tudor's Cake World Park are in Tudor's Cake World's town.", "Tudor's Cake World", "Life goes on") {
		got = append(got, n.Text)
	}
	if diff := cmp.Diff("Life goes on|Tudor's Cake World|Tudor's Cake World Park|Tudor's Cake World", strings.Join(got, "|")); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"He died on 11 November 875 in Rome.", "11 November 875"},
		{"It premiered on June 20, 2010, in 3 towns.", "June 20, 2010"},
		{"From January 1960 to 1963 it was monthly.", "January 1960|1963"},
		{"They met in May and March of 1924.", "May|March of 1924"},
		{"On 4th July they left for May Hill.", "4th July"},
		{"Lenny came on 2009-02-14, not on 2009-02-30.", "2009-02-14"},
	} {
		var got []string
		for _, n := range Names(tt.text) {
			if n.Kind == Date {
				got = append(got, n.Text)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("dates of %q (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestFormsOfAddressAreKeptApart(t *testing.T) {
	t.Parallel()
	names := Names("In 1904 Dr. Clara Munnings came.")
	if len(names) != 2 || names[1].Title != "Dr" || names[1].Text != "Clara Munnings" {
		t.Errorf("names %+v, want 1904 and Clara Munnings with the title Dr", names)
	}
}

func TestNamesAreWhatTheirSpansHold(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"Anna", "the", "of", "'s", "’s", "'", "\"", "“", "”", "2012", "May", "11", "Dr.", "&", "and", "Church", ",", ".", " ", " ", " ", "\n", "東京", "É", "e\u0301", "\xff", "🎉"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 25).Draw(t, "pieces"), "")
		last := 0
		for _, n := range Names(text) {
			if n.Span.Start < last || n.Span.Empty() || n.Span.Slice(text) != n.Text {
				t.Fatalf("name %+v of %q: its span holds %q", n, text, n.Span.Slice(text))
			}
			last = n.Span.End
		}
	})
}

func BenchmarkNames(b *testing.B) {
	text := strings.Repeat("Dr. Clara Munnings of the University of Copenhagen met Boso the Elder at St Osyth's Church in 1904. ", 8)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Names(text)
	}
}
