package main

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/servers"
)

func TestTheDoctorSaysWhatWorks(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	out := sh.must(t, "doctor")
	for _, says := range []string{"Settings: in order", "is up to date, at change 1", "No model is configured", "Disk: "} {
		if !strings.Contains(out, says) {
			t.Errorf("not said: %s\nin %s", says, out)
		}
	}
	model := obliging(t)
	model.First(func(llmtest.Request) bool { return true }, llmtest.Unauthorized())
	if out, err := connected(t, model).run(t, "doctor"); err == nil || !strings.Contains(out, "_API_KEY") {
		t.Errorf("a model that refuses the key: %v\n%s", err, out)
	}
}

// TestTheDoctorLooksAtEachServer has one server that answers, one with wrong settings, which keeps the program closed, and one that is away.
func TestTheDoctorLooksAtEachServer(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(nil)
	defer plain.Close()
	sh := newShell(t, "DATABASE_URL="+servers.PostgresURL(t), "NEO4J_URL=bolt+s://"+plain.Listener.Addr().String(), "QDRANT_URL=http://127.0.0.1:1")
	out, err := sh.run(t, "doctor")
	for _, says := range []string{
		"Stores: Ledger answers.", "Stores: Graph can't be read: The server at NEO4J_URL takes no encrypted connections",
		"Stores: Search index can't be read: The search index (Qdrant) does not answer",
	} {
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("not said: %s\nin %s%v", says, out, err)
		}
	}
}

// TestTheDoctorCountsWhatIsAway names each of two servers that are away, once.
func TestTheDoctorCountsWhatIsAway(t *testing.T) {
	t.Parallel()
	out, err := newShell(t, "NEO4J_URL=bolt://127.0.0.1:1", "QDRANT_URL=http://127.0.0.1:1").run(t, "doctor")
	if err == nil || !strings.Contains(err.Error(), "2 things are wrong.") || strings.Count(out, "(Qdrant) does not answer") != 1 || strings.Count(out, "Neo4j does not answer") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTheDoctorMarksWhatItCounts has a receiver of traces that is away: the JSON marks it, and the exit status counts it.
func TestTheDoctorMarksWhatItCounts(t *testing.T) {
	t.Parallel()
	out, err := newShell(t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1").run(t, "doctor", "--json")
	said := decoded[checkup](t, out)
	wrong := slices.DeleteFunc(said.Findings, func(f finding) bool { return !f.Wrong })
	if err == nil || !strings.Contains(err.Error(), "1 thing is wrong.") || said.OK || len(wrong) != 1 || !strings.HasPrefix(wrong[0].Says, "Traces do not arrive at http://127.0.0.1:1") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAQuestionNamesWhatIsAway asks here while both servers are away, as it is asked while one is.
func TestAQuestionNamesWhatIsAway(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	sh.environ = append(sh.environ, "NEO4J_URL=bolt://127.0.0.1:1", "QDRANT_URL=http://127.0.0.1:1")
	_, err := sh.run(t, "ask", "Who founded the Carrow Foundry?")
	if err == nil || !strings.Contains(err.Error(), "(Qdrant) does not answer") || !strings.Contains(err.Error(), "Neo4j does not answer") {
		t.Errorf("%v", err)
	}
}
