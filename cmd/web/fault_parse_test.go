//go:build faults

package main

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
)

// bomb returns a PDF of a few kilobytes whose one page unpacks, in two steps, to
// so many megabytes of text.
func bomb(t *testing.T, megabytes int) string {
	t.Helper()
	packed := strings.Repeat("BT /F1 12 Tf (Tobias Quennell built the Velm Bridge.) Tj ET\n", megabytes<<20/60)
	for range 2 {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, err := w.Write([]byte(packed))
		noError(t, err)
		noError(t, w.Close())
		packed = b.String()
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
		fmt.Sprintf("<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%s\nendstream", len(packed), packed),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.String()
}

// TestFaultAHostileFile reads a file that takes all memory, and after it a PDF
// that unpacks to 100 MB, which the parser cuts off, and a harmless file.
func TestFaultAHostileFile(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t, "PARSE_MEMORY_MB=128", "INGEST_CONCURRENCY=2"), t.TempDir()
	temporary := t.TempDir()
	cmd := sh.process(t, "ingest", "--json", file(t, dir, "grows.txt", grows), file(t, dir, "bomb.pdf", bomb(t, 100)), file(t, dir, "bridge.md", bridge))
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	noError(t, cmd.Start())
	held := make(chan int)
	go func() { held <- peak(cmd.Process.Pid) }()
	if _, failed := errors.AsType[*exec.ExitError](cmd.Wait()); !failed {
		t.Fatalf("the command did not fail: %s", stderr.String())
	}
	results := decoded[[]ingested](t, stdout.String())
	if len(results) != 3 {
		t.Fatalf("%s\n%s", stdout.String(), stderr.String())
	}
	if r := results[0]; r.Status != string(domain.DocumentFailed) || !strings.Contains(r.Problem, "needs more memory than PARSE_MEMORY_MB allows (128 MB)") {
		t.Errorf("%s is %s: %s", r.Document, r.Status, r.Problem)
	}
	for _, r := range results[1:] {
		if r.Status != string(domain.DocumentReady) {
			t.Errorf("%s is %s: %s", r.Document, r.Status, r.Problem)
		}
	}
	info, _ := debug.ReadBuildInfo()
	raced := info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if most := <-held; most > 300 && !raced { // the detector takes a multiple
		t.Errorf("the program held %d MB, more than 300", most)
	} else {
		t.Logf("the program held %d MB", most)
	}
	left, err := os.ReadDir(temporary)
	noError(t, err)
	for _, l := range left {
		if strings.HasPrefix(l.Name(), "clew-") {
			t.Errorf("%s is left", l.Name())
		}
	}
}

// peak returns the most megabytes that a process held, once it has ended.
func peak(pid int) (megabytes int) {
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, ok := strings.Cut(string(status), "VmHWM:")
		if err != nil || !ok { // it has ended
			return megabytes
		}
		var kilobytes int
		if _, err := fmt.Sscan(rest, &kilobytes); err == nil {
			megabytes = kilobytes >> 10
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestFaultKilledWhileAFileIsParsed kills the program twice while
// the parser holds much memory, as a machine that runs out of it may.
func TestFaultKilledWhileAFileIsParsed(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "PARSE_MEMORY_MB=128")
	a, err := openAt(t.Context(), sh.data, t.Output())
	noError(t, err)
	defer a.Close()
	added, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, "fills.txt", documents.How{}, strings.NewReader(fills)).One()
	noError(t, err)
	for deaths := 1; deaths <= 2; deaths++ {
		cmd := sh.process(t, "work")
		noError(t, cmd.Start())
		a.reaches(t, added.Document.ID, func(d domain.Document) bool { return d.Deaths == deaths })
		noError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
	worker := a.worker(a.kinds().Concurrency(documents.Kind))
	noError(t, worker.Start(t.Context()))
	defer worker.Stop(t.Context())
	a.finishes(t, added.Document.Run)
	d, err := a.ledger.Document(t.Context(), domain.DefaultWorkspace, added.Document.ID)
	if says := "Twice, the program ended while this file took more than half of PARSE_MEMORY_MB to read."; err != nil || !strings.Contains(d.Problem, says) {
		t.Errorf("the document is %s: %s, error %v; want %s", d.Status, d.Problem, err, says)
	}
}
