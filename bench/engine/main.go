// Command engine measures internal/stategraph beside LangGraph and eino and
// prints one table. Each of the three is a program of its own, whose command is
// an argument here; `make bench-engine` builds and names them.
//
// The programs only do the work. What it costs is measured here, from outside
// and so for all in one way: CPU is user+sys of the program's process, the
// median of several rounds; memory is the most that was resident. It needs
// Linux.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

func main() {
	commands := []*string{
		flag.String("langgraph", "", "command of the program that runs LangGraph"),
		flag.String("eino", "", "command of the program that runs eino"),
		flag.String("clew", "", "command of the program that runs Clew"),
	}
	only := flag.String("rows", "", "measure only rows whose title has this in it")
	flag.Parse()
	if err := table(commands, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// table prints the rows. It measures each row for all programs in turn, so that
// they see the same machine.
func table(commands []*string, only string) error {
	fmt.Printf("%s, %s/%s, %d CPUs, %s\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Println("| | checkpointer | LangGraph | eino | ours | at least |\n| --- | --- | ---: | ---: | ---: | ---: |")
	programs := make([]*program, len(commands))
	for i, command := range commands {
		p, err := start(*command)
		if err != nil {
			return err
		}
		defer p.end()
		programs[i] = p
	}
	for _, r := range rows {
		if !strings.Contains(r.title, only) {
			continue
		}
		var values [3]value
		for i, p := range programs {
			v, err := r.measure(p)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p.command, r.title, err)
			}
			values[i] = v
		}
		fmt.Println(r.line(values[0], values[1], values[2]))
	}
	return nil
}
