//go:build e2e

package main

import (
	"context"
	"crypto/rand"
	"io"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestTheServerGoesAwayAndComesBack stops the server in the middle of an answer and starts it again at the same
// address: the page says so, and goes on by itself.
func TestTheServerGoesAwayAndComesBack(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	grade, open := make(chan struct{}), make(chan struct{})
	close(open)
	script(model, grade, open, open)
	data, at := copyOfSample(t), "127.0.0.1:"+freePort(t)
	up := func() (down func()) {
		t.Helper()
		s := env{
			environ: []string{"DATA_DIR=" + data, "LISTEN=" + at, "LOG_LEVEL=error", "LLM_PROVIDER=openai", "LLM_BASE_URL=" + model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool"},
			stdout:  io.Discard, stderr: t.Output(), now: time.Now, random: rand.Reader,
		}
		cfg, err := s.load("")
		noError(t, err)
		ctx, stop := context.WithCancel(context.Background())
		ready, done := make(chan string, 1), make(chan error, 1)
		go func() { done <- serve(ctx, cfg, s, ready) }()
		select {
		case <-ready:
		case err := <-done:
			t.Fatalf("the server did not start: %v", err)
		}
		return func() { stop(); noError(t, <-done) }
	}
	down := up()
	b := newBrowser(t, "http://"+at, 1440)
	b.open("/ask")
	b.ask("Who designed Copper Bridge?")
	b.until(`document.querySelector('#trace .pulse') && document.querySelector('#trace [data-testid="node"][data-state="now"]')?.dataset.node === "grade_documents"`)
	down()
	b.until(`[...document.querySelectorAll(".turn .away")].some((e) => e.checkVisibility() && e.textContent.includes("does not answer"))`)
	if moves := js[string](b, `getComputedStyle(document.querySelector("#trace .pulse")).animationName`); moves != "none" {
		t.Errorf("the drawing still pulses: %s", moves)
	}
	b.click(sel("stop"))
	b.until(`!document.getElementById("alert").hidden`)
	if js[bool](b, `((a, c) => a.bottom > c.top && a.top < c.bottom)(document.getElementById("alert").getBoundingClientRect(), document.querySelector(".composer").getBoundingClientRect())`) {
		t.Error("the alert lies over the question's field")
	}
	b.shoot("away")
	down = up()
	t.Cleanup(func() { down() })
	b.until(`!document.querySelector(".away")`)
	close(grade)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done" && !document.querySelector(".away")`)
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	b.quiet("ERR_", "Failed to load resource")
}
