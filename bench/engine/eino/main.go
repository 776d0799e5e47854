// Command eino does with eino what bench/engine measures. It reads lines
// "WORK SIZE TIMES" and answers each: see there. It has no work for what eino
// has no counterpart to.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	works := works{folder: os.Args[len(os.Args)-1], ready: map[string]func() float64{}}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var work string
		var size, times int
		must(fmt.Sscan(in.Text(), &work, &size, &times))
		do := works.get(work, size)
		if do == nil {
			fmt.Println("none")
			continue
		}
		if times == 0 {
			debug.FreeOSMemory()
		}
		told := 0.0
		for range times {
			told = do()
		}
		fmt.Println(told)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
