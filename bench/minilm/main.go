// Command minilm embeds batches of texts with the built-in model and measures itself, for
// compare.py, which does the same with ONNX Runtime. make bench-minilm runs both.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/llm/minilm"
)

// A request is a line of the input.
type request struct {
	Texts   []string `json:"texts"`
	Workers int      `json:"workers"`
}

// A reply is a line of the output.
type reply struct {
	Vectors   [][]float32 `json:"vectors"`
	Wall      float64     `json:"wall"` // seconds
	Processor float64     `json:"processor"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("usage: minilm DIR < requests > replies")
	}
	e, err := minilm.New(os.Args[1])
	if err != nil {
		return err
	}
	if _, err := e.Embed(context.Background(), []string{"load"}); err != nil {
		return err
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := embed(e, r)
		if err == nil {
			err = out.Encode(answer)
		}
		if err != nil {
			return err
		}
	}
}

// embed embeds the texts, 32 in a call, as many calls at once as there are workers.
func embed(e *minilm.Embedder, r request) (reply, error) {
	const atOnce = 32
	began, before := time.Now(), processor()
	vectors := make([][]float32, len(r.Texts))
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make([]error, max(1, r.Workers))
	for w := range errs {
		workers.Go(func() {
			for errs[w] == nil {
				at := int(next.Add(atOnce)) - atOnce
				if at >= len(r.Texts) {
					return
				}
				var some [][]float32
				some, errs[w] = e.Embed(context.Background(), r.Texts[at:min(at+atOnce, len(r.Texts))])
				copy(vectors[at:], some)
			}
		})
	}
	workers.Wait()
	return reply{vectors, time.Since(began).Seconds(), processor() - before}, errors.Join(errs...)
}

// processor returns the seconds of a core that this process has used.
func processor() float64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
