// Command ingest measures the program on real passages: each becomes a file,
// one process ingests them all the way through, and another measures retrieval.
// It prints documents per second, the peak of memory, and what was stored.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clewhq/clew/bench/made"
	"github.com/clewhq/clew/bench/measure"
)

func main() {
	sets := flag.String("sets", "../../shared/data/multihop", "folder of the sets of passages")
	clew := flag.String("clew", "../bin/clew", "the program to measure")
	most := flag.Int("n", 2000, "passages at most")
	flag.Parse()
	if err := run(*clew, *sets, *most); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(clew, sets string, most int) (err error) {
	temp, err := os.MkdirTemp("", "clew-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	dir, err := made.Set(sets, "musique_dev", filepath.Join(temp, "sets"))
	if err != nil {
		return err
	}
	files, err := writeFiles(dir, filepath.Join(temp, "files"), most)
	if err != nil {
		return err
	}
	data := filepath.Join(temp, "data")
	cmd := exec.Command(clew, "ingest", "--data", data, "--json", filepath.Join(temp, "files"))
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s ingest: %w", clew, err)
	}
	took := time.Since(began)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system does not say how much memory a process used")
	}
	fmt.Printf("passages as files     %d\n", files)
	fmt.Printf("documents per second  %.0f (%.1f s in all, %.1f s of processor time)\n", float64(files)/took.Seconds(), took.Seconds(),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	fmt.Printf("peak memory           %.0f MB\n", float64(usage.Maxrss)/1000)
	return printSizes(data)
}

// writeFiles writes each passage as a Markdown file with its title as the
// heading.
func writeFiles(set, to string, most int) (n int, err error) {
	corpus, err := measure.LoadCorpus(set)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return 0, err
	}
	for _, p := range corpus.Passages[:min(most, len(corpus.Passages))] {
		n++
		text := "# " + p.Title + "\n\n" + p.Text + "\n"
		if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%05d.md", n)), []byte(text), 0o644); err != nil {
			return n, err
		}
	}
	return n, nil
}

// printSizes prints the sizes of the files in the data folder.
func printSizes(data string) error {
	sizes := map[string]int64{}
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(data, path)
		if err != nil {
			return err
		}
		top := rel
		if i := len("files"); len(rel) > i && rel[:i] == "files" {
			top = "files"
		}
		sizes[top] += info.Size()
		return nil
	})
	for _, name := range []string{"files", "clew.db", "graph.db", "vectors.db"} {
		fmt.Printf("%-21s %.1f MB\n", name, float64(sizes[name])/1e6)
	}
	return err
}
