package dates

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/prose"
)

// labels has the times that sentences of an encyclopedia name, read by a person. Each line begins with the first
// four bytes of the SHA-256 of its sentence.
//
//go:embed testdata/labels.txt
var labels string

func TestRealSentences(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for line := range strings.Lines(labels) {
		hash, times, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[hash] = times
	}
	var right, read, named, seen int
	for _, set := range []string{"2wiki", "hotpotqa", "musique_dev"} {
		for _, sentence := range sentencesOf(t, filepath.Join("..", "..", "..", "..", "shared", "data", "multihop", set, "passages.jsonl.gz")) {
			sum := sha256.Sum256([]byte(sentence))
			hash := hex.EncodeToString(sum[:4])
			label, ok := want[hash]
			if !ok {
				continue
			}
			delete(want, hash)
			seen++
			found := Read(sentence)
			rest := " " + label + ";"
			named += strings.Count(rest, "; ") + min(len(label), 1)
			for _, x := range found {
				text := x.From.String()
				if x.From != x.Until {
					text += ".." + x.Until.String()
				}
				read++
				if strings.Contains(rest, " "+text+";") {
					rest = strings.Replace(rest, " "+text+";", "", 1)
					right++
				} else {
					t.Logf("%s in %q", text, sentence)
				}
			}
		}
	}
	precision, recall := float64(right)/float64(read), float64(right)/float64(named)
	t.Logf("%d sentences, %d times: precision %.3f, recall %.3f", seen, named, precision, recall)
	if seen < 100 || precision < 0.98 || recall < 0.95 {
		t.Errorf("%d sentences with precision %.3f and recall %.3f", seen, precision, recall)
	}
}

// sentencesOf returns the sentences of the passages in a file.
func sentencesOf(t *testing.T, path string) (all []string) {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("left out: the folder with real passages is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		for _, s := range prose.Sentences(p.Text) {
			all = append(all, s.Slice(p.Text))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
