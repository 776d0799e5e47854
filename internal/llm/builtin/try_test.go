package builtin

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"github.com/clewhq/clew/internal/domain"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func show(title, text string) {
	g := (&Miner{}).Mine(title, domain.Chunk{Text: text, Span: domain.Span{Start: 0, End: domain.Runes(text)}})
	for _, n := range g.Nodes {
		fmt.Printf("[%s:%s", n.Name, n.Label[:2])
		if len(n.Aliases) > 0 {
			fmt.Printf(" =%q", n.Aliases)
		}
		fmt.Print("] ")
	}
	fmt.Println()
	for _, r := range g.Relationships {
		fmt.Printf("    %s --%s--> %s %v\n", g.Nodes[r.Source].Name, r.Type, g.Nodes[r.Target].Name, r.Properties)
	}
}
func TestTry(t *testing.T) {
	show("Marie Curie", "Marie Curie, born in 1867, was a Polish and naturalised-French physicist and chemist who conducted pioneering research on radioactivity. She was the first woman to win a Nobel Prize, the first person to win a Nobel Prize twice, and the only person to win a Nobel Prize in two scientific fields. Her husband, Pierre Curie, was a co-winner of her first Nobel Prize, making them the first-ever married couple to win the Nobel Prize and launching the Curie family legacy of five Nobel Prizes. She was, in 1906, the first woman to become a professor at the University of Paris.")
	fs, _ := filepath.Glob("../../sample/src/*.txt")
	f2, _ := filepath.Glob("../../sample/files/*.md")
	f3, _ := filepath.Glob("../../sample/files/*.txt")
	for _, f := range append(append(fs, f2...), f3...) {
		b, _ := os.ReadFile(f)
		fmt.Println("##", f)
		show(filepath.Base(f), string(b))
	}
	for _, d := range []string{"hotpotqa", "2wiki", "musique_openie"} {
		f, _ := os.Open("../../../../shared/data/multihop/" + d + "/passages.jsonl.gz")
		z, _ := gzip.NewReader(f)
		sc := bufio.NewScanner(z)
		sc.Buffer(nil, 1<<20)
		n := 0
		var all [][2]string
		for sc.Scan() {
			var p struct{ Title, Text string }
			json.Unmarshal(sc.Bytes(), &p)
			all = append(all, [2]string{p.Title, p.Text})
			n++
			if n%40 == 7 {
				fmt.Println("##", p.Title, "|", p.Text)
				show(p.Title, p.Text)
			}
		}
		t0 := time.Now()
		rel, nod := 0, 0
		for _, x := range all {
			g := (&Miner{}).Mine(x[0], domain.Chunk{Text: x[1]})
			rel += len(g.Relationships)
			nod += len(g.Nodes)
		}
		fmt.Println(len(all), nod, rel, time.Since(t0))
	}
}
