package sample

import (
	"bytes"
	"os"
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFilesAreAllThatIsEmbedded(t *testing.T) {
	t.Parallel()
	entries, err := files.ReadDir("files")
	if err != nil {
		t.Fatal(err)
	}
	onDisk := map[string]bool{}
	for _, e := range entries {
		onDisk[e.Name()] = true
	}
	listed := map[string]bool{}
	for _, f := range Files() {
		listed[f.Name] = true
	}
	if diff := cmp.Diff(onDisk, listed); diff != "" {
		t.Errorf("files in the folder (-) and in the list (+) differ:\n%s", diff)
	}
}

func TestFilesAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	first := Files()
	first[0].Data[0] = '!' // a caller may change its copy
	if diff := cmp.Diff(Files()[1:], first[1:]); diff != "" {
		t.Errorf("second call differs:\n%s", diff)
	}
	if Files()[0].Data[0] == '!' {
		t.Error("a caller's change reached the library")
	}
}

func TestLibraryHasEveryFormat(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for _, f := range Files() {
		got[path.Ext(f.Name)]++
	}
	want := map[string]int{".pdf": 2, ".docx": 2, ".md": 3, ".html": 2, ".txt": 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDocumentsAreShort(t *testing.T) {
	t.Parallel()
	for _, f := range Files() {
		if n := len(strings.Fields(plainText(t, f))); n < 250 || n > 600 {
			t.Errorf("%s has %d words, want 250 to 600", f.Name, n)
		}
	}
}

func TestMadeFilesMatchTheirSources(t *testing.T) {
	t.Parallel()
	for _, f := range Files() {
		if ext := path.Ext(f.Name); ext != ".pdf" && ext != ".docx" {
			continue
		}
		if diff := cmp.Diff(sourceText(t, f.Name), plainText(t, f)); diff != "" {
			t.Errorf("%s is not what its source says; run src/build.py:\n%s", f.Name, diff)
		}
	}
}

func TestEverySourceMakesAFile(t *testing.T) {
	t.Parallel()
	sources, err := os.ReadDir("src")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for _, f := range Files() {
		made[f.Name] = true
	}
	for _, s := range sources {
		if name, is := strings.CutSuffix(s.Name(), ".txt"); is && !made[name] {
			t.Errorf("src/%s makes no file of the library", s.Name())
		}
	}
}

func TestGuideHasSeveralPages(t *testing.T) {
	t.Parallel()
	if n := bytes.Count(file(t, "walkers-guide-to-the-bridges.pdf").Data, []byte("/Type /Page\n")); n != 3 {
		t.Errorf("the guide has %d pages, want 3", n)
	}
}

func TestScriptsHoldWhatNobodyMayRead(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]string{
		"osterby-messenger-1897.html": "The Ansel Ironworks cast the bell Great Margery",
		"museum-labels.html":          "The Great Velm Map was drawn by nobody",
	} {
		f := file(t, name)
		if !bytes.Contains(f.Data, []byte(lie)) {
			t.Errorf("%s lost its false sentence", name)
		}
		if strings.Contains(plainText(t, f), lie) {
			t.Errorf("%s says %q outside its script", name, lie)
		}
	}
}

// Positions count code points of the text in NFC; this file is where bytes,
// UTF-16 units, graphemes and unnormalised text would all count differently.
func TestInscriptionsExercisePositions(t *testing.T) {
	t.Parallel()
	text := string(file(t, "inscriptions.txt").Data)
	if !utf8.ValidString(text) {
		t.Fatal("not UTF-8")
	}
	for what, in := range map[string]func(rune) bool{
		"combining marks":        func(r rune) bool { return unicode.Is(unicode.Mn, r) && r < 0xFE00 },
		"beyond the basic plane": func(r rune) bool { return r > 0xFFFF },
		"zero-width joiners":     func(r rune) bool { return r == 0x200D },
		"Greek":                  func(r rune) bool { return unicode.Is(unicode.Greek, r) },
		"Japanese":               func(r rune) bool { return unicode.Is(unicode.Hiragana, r) },
		"Cyrillic":               func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) },
		"right-to-left (Hebrew)": func(r rune) bool { return unicode.Is(unicode.Hebrew, r) },
		"skin-tone modifiers":    func(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF },
	} {
		if strings.IndexFunc(text, in) < 0 {
			t.Errorf("no %s", what)
		}
	}
}

func file(t *testing.T, name string) File {
	t.Helper()
	for _, f := range Files() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no document %s", name)
	return File{}
}
