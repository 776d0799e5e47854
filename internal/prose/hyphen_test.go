package prose

import "testing"

// TestMend joins two lines, of which the first ends with a hyphen.
func TestMend(t *testing.T) {
	t.Parallel()
	compounds := Compounds{}
	compounds.Add("Many are Kiel-based, a few are Lim‐based.")
	for _, tt := range []struct{ line, next, want string }{
		{"more infor-", "mation here", "more information here"},
		{"more infor\u2010", "mation here", "more information here"},
		{"more infor\u00AD", "mation here", "more information here"},
		{"a well-", "known name", "a well-known name"},
		{"from end-to-", "end, at last", "from end-to-end, at last"},
		{"the Kiel-", "based", "the Kiel-based"},
		{"the lim-", "based", "the limbased"},
		{"the Lim-", "based", "the Lim-based"},
		{"for some-", "times", "for sometimes"},
		{"in pre-", "and postwar years", "in pre- and postwar years"},
		{"Vor-", "und Nachteile", "Vor- und Nachteile"},
		{"an Anglo-", "Saxon", "an Anglo-Saxon"},
		{"after 30-", "day trials", "after 30-day trials"},
		{"ISO-", "8601", "ISO-8601"},
		{"from 3 -", "day trials", "from 3 - day trials"},
		{"so --", "said he", "so -- said he"},
		{"so", "said he", "so said he"},
		{"infor-", "", "infor- "},
	} {
		end, hyphen, ok := compounds.Mend(tt.line, tt.next)
		got := tt.line + " " + tt.next
		if ok {
			got = tt.line[:end] + hyphen + tt.next
		}
		if got != tt.want {
			t.Errorf("%q and %q are %q, want %q", tt.line, tt.next, got, tt.want)
		}
	}
}
