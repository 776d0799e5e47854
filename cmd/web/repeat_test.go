package main

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestARequestSentAgainIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	s, sh := speak(t)
	s.secret, _, _ = strings.Cut(sh.must(t, "token", "create", "all", "--preset", "everything"), "\n")
	post := func(key, path, body string) (int, string, bool) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.secret)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text), answer.Header.Get("Idempotent-Replayed") != ""
	}
	const question = `{"question":"Who founded the Carrow Foundry?","wait":60}`
	status, first, _ := post("a", "/ask", question)
	_, second, replayed := post("a", "/ask", question)
	if status != 200 || first != second || !replayed {
		t.Errorf("status %d, replayed %t:\n%s\n%s", status, replayed, first, second)
	}
	if _, other, _ := post("b", "/ask", question); other == first {
		t.Error("another key got the answer of the first")
	}
	if status, text, _ := post("a", "/ask", `{"question":"Why?"}`); status != 422 || !strings.Contains(text, "Another request was sent") {
		t.Errorf("another request with the key: %d, %s", status, text)
	}
	if status, _, _ := post(strings.Repeat("x", 256), "/ask", question); status != 422 {
		t.Errorf("a long key: %d", status)
	}
	if status, refused, _ := post("c", "/ask", `{}`); status != 422 || !strings.Contains(refused, "question") {
		t.Errorf("a wrong request: %d, %s", status, refused)
	}
	if status, _, replayed := post("c", "/ask", `{}`); status != 422 || !replayed {
		t.Errorf("a wrong request again: %d, replayed %t", status, replayed)
	}
	var all sync.WaitGroup
	answers := make(chan int, 8)
	for range cap(answers) {
		all.Go(func() {
			status, _, _ := post("d", "/ask", question)
			answers <- status
		})
	}
	all.Wait()
	close(answers)
	for status := range answers {
		if status != 200 && status != 409 {
			t.Errorf("at the same moment: %d", status)
		}
	}
	if runs := strings.Count(sh.must(t, "run", "list", "--kind", "answer"), "Who founded the Carrow Foundry?"); runs != 3 {
		t.Errorf("the question was asked %d times, want 3", runs)
	}
}
