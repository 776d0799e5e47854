//go:build faults

package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestFaultKilledWhileSentencesAreEmbedded kills servers while they embed what was read, each after some more calls of the
// model. The next one goes on: in the end every sentence has a vector, and no more was embedded twice than was in flight.
func TestFaultKilledWhileSentencesAreEmbedded(t *testing.T) {
	t.Parallel()
	const documents, sentences = 6, 400
	model := llmtest.New(t)
	calls := make(chan int, 10*documents*sentences) // texts of each call, once it is answered
	model.First(llmtest.Embedding, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		time.Sleep(callTakes)
		vectors, err := llmtest.Embedder{}.Embed(t.Context(), r.Inputs)
		if err != nil {
			t.Error(err)
		}
		calls <- len(r.Inputs)
		return llmtest.Vectors(vectors...)
	}))
	sh := embeds(t, model)
	bare := sh
	bare.environ = []string{"EMBED_PROVIDER=none"}
	bare.must(t, append([]string{"ingest"}, manySentences(t, documents, sentences)...)...)
	seed, kills := rand.Uint64()%1_000_000, long.Or(4, 20)
	random := rand.New(rand.NewPCG(seed, 85))
	for n := range kills {
		cmd := sh.process(t, "serve")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(1+documents*sentences/textsOfACall/kills) {
			select {
			case <-calls:
			case <-time.After(hangs):
				t.Fatalf("seed %d: server %d embeds nothing", seed, n+1)
			}
		}
		time.Sleep(time.Duration(random.Int64N(int64(callTakes)))) // any moment of the next call
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		for len(calls) > 0 { // what the last one asked for
			<-calls
		}
	}
	if done, of := sh.app(t).embedded(t, vectorstore.Sentences); done == of {
		t.Errorf("seed %d: all %d sentences were embedded before the last kill", seed, of)
	}
	sh.serve(t)
	sh.app(t).untilEmbedded(t)
	again := twice(model)
	t.Logf("seed %d: %d kills, %d texts embedded twice", seed, kills, len(again))
	if most := kills * callsAtOnce * textsOfACall; len(again) > most {
		t.Errorf("seed %d: %d texts were embedded twice, want at most the %d in flight at the kills", seed, len(again), most)
	}
	sh.must(t, "fsck")
}
