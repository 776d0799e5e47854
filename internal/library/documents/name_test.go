package documents

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

func TestSafeName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 300)
	tests := []struct{ name, in, want string }{
		{"plain", "letters.pdf", "letters.pdf"},
		{"above the folder", "../../x", "x"},
		{"absolute", "/etc/passwd", "passwd"},
		{"of Windows", `C:\x\y.pdf`, "y.pdf"},
		{"mixed separators", `..\../a/b\c.md`, "c.md"},
		{"folder at the end", "a/b/", "b"},
		{"300 characters", long + ".pdf", strings.Repeat("ä", 195) + "….pdf"},
		{"300 characters without extension", long, strings.Repeat("ä", 199) + "…"},
		{"an extension that is none", "a." + long, "a." + strings.Repeat("ä", 197) + "…"},
		{"200 characters", long[:400], long[:400]},
		{"control characters", "a\x00b\nc\x7f\td\u009fe.txt", "abcde.txt"},
		{"line separators", "a\u2028b\u2029c.txt", "abc.txt"},
		{"right to left override", "harmless\u202efdp.exe", "harmlessfdp.exe"},
		{"direction marks", "\u200fa\u2066b\u2069.txt", "ab.txt"},
		{"byte order mark", "\ufeffa.txt", "a.txt"},
		{"emoji", "🧵 thread.md", "🧵 thread.md"},
		{"decomposed", "Cafe\u0301.txt", "Café.txt"},
		{"decomposed around what is dropped", "A\x00\u030a.txt", "Å.txt"},
		{"white space around", "  a b .txt ", "a b .txt"},
		{"not UTF-8", "a\xff\xfeb.txt", "ab.txt"},
		{"hidden file", ".notes.md", ".notes.md"},
		{"arabic stays", "رسالة.pdf", "رسالة.pdf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := SafeName(tt.in)
			if err != nil || got != tt.want {
				t.Errorf("SafeName(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestSafeNameRefusesUnusableNames(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", ".", "..", "...", " . . ", "/", `\`, "../..", "a/..", "\x00\x01", "\u202e", "\xff", "\u2028"} {
		if got, err := SafeName(in); domain.KindOf(err) != domain.Invalid {
			t.Errorf("SafeName(%q) = %q, %v, want an error of kind Invalid", in, got, err)
		}
	}
}

func TestSafeNamesAreSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\a-z\x00-\x1f\x{200b}-\x{202e} ]{0,250}`)).Draw(t, "name")
		name, err := SafeName(in)
		if err != nil {
			return
		}
		if domain.Runes(name) > maxName || strings.ContainsAny(name, `/\`) || strings.Trim(name, ". ") == "" {
			t.Fatalf("got SafeName(%q) = %q", in, name)
		}
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) {
			t.Fatalf("SafeName(%q) = %q contains an invisible character", in, name)
		}
		if again, err := SafeName(name); err != nil || again != name {
			t.Fatalf("SafeName(%q) = %q, %v: a safe name must not change", name, again, err)
		}
	})
}
