package worddiff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/views/worddiff"
)

func TestWords(t *testing.T) {
	t.Parallel()
	got := worddiff.Words("Who paid for the repair", "Who paid the repair levy")
	want := []worddiff.Part{
		{Kind: worddiff.Same, Text: "Who paid"}, {Kind: worddiff.Gone, Text: "for"}, {Kind: worddiff.Same, Text: "the repair"}, {Kind: worddiff.New, Text: "levy"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSignsMakeNoOtherWord compares wordings of a question.
func TestSignsMakeNoOtherWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after, want string }{
		{"signs of words that stay", "Who paid for Mercers’ Bridge?", "“Mercers’ Bridge”, 1899 – who paid", "-Who paid for =“Mercers’ Bridge”, +1899 – who paid"},
		{"a comma stays behind words that go", "rivets of the bridge were failing, and who paid?", "rivets of the bridge, and who paid?", "=rivets of the bridge -were failing |=, and who paid?"},
		{"within words that go", "first, reported, that Hanne", "Hanne", "-first, reported, that =Hanne"},
		{"the end stays behind words that change", "Who paid for the repair?", "Who paid the levy?", "=Who paid -for =the -repair +levy |=?"},
		{"words that come bring theirs", "who paid", "Orrin letter, 1909: who paid", "+Orrin letter, 1909: =who paid"},
		{"none before the first word", "– who", "... who?", "-– +... =who?"},
	} {
		var got []string
		for _, p := range worddiff.Wordings(tt.before, tt.after) {
			tight := map[bool]string{true: "|"}[p.Tight]
			got = append(got, tight+map[worddiff.Kind]string{worddiff.Same: "=", worddiff.Gone: "-", worddiff.New: "+"}[p.Kind]+p.Text)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestBothTextsComeBack(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		before, after := strings.Join(words.Draw(t, "before"), " "), strings.Join(words.Draw(t, "after"), " ")
		var a, b []string
		for _, p := range worddiff.Words(before, after) {
			if p.Kind != worddiff.New {
				a = append(a, p.Text)
			}
			if p.Kind != worddiff.Gone {
				b = append(b, p.Text)
			}
		}
		if got := strings.Join(a, " "); got != before {
			t.Fatalf("without what is new: %q, want %q", got, before)
		}
		if got := strings.Join(b, " "); got != after {
			t.Fatalf("without what is gone: %q, want %q", got, after)
		}
	})
}

// TestLinesReadAsBeforeAndAfter: however many lines differ.
func TestLinesReadAsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("line\nother\n", 2000)
	for _, tt := range []struct{ before, after, want string }{
		{"a\nb\nc", "a\nx\nc", "=a -b +x =c"},
		{"a\nb", "a\nb", "=a\nb"},
		{"", "a", "- +a"},
		{"a\nb\nc\nd", "b\nc2\nd", "-a =b -c +c2 =d"},
		{"a\na", "a", "=a -a"},
		{"x\n" + many + "y", "x\n" + many + many + "y", ""},
		{"x\n" + many + "y", "x\n" + strings.ToUpper(many) + "z", ""},
	} {
		var got, before, after []string
		for _, p := range worddiff.Lines(tt.before, tt.after) {
			got = append(got, map[worddiff.Kind]string{worddiff.Same: "=", worddiff.Gone: "-", worddiff.New: "+"}[p.Kind]+p.Text)
			if p.Kind != worddiff.New {
				before = append(before, p.Text)
			}
			if p.Kind != worddiff.Gone {
				after = append(after, p.Text)
			}
		}
		if tt.want != "" && strings.Join(got, " ") != tt.want {
			t.Errorf("%q to %q: %q", tt.before, tt.after, got)
		}
		if strings.Join(before, "\n") != tt.before || strings.Join(after, "\n") != tt.after {
			t.Errorf("%.20q to %.20q reads as %.20q and %.20q", tt.before, tt.after, before, after)
		}
	}
}
