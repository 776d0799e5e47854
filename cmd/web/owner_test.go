package main

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// twoLibraries returns two libraries that are pointed at the same stores.
func twoLibraries(t *testing.T) (one, two shell) {
	t.Helper()
	dir := t.TempDir()
	stores := func(a *app, ctx context.Context) error {
		was := a.cfg
		defer func() { a.cfg = was }()
		a.cfg.Data = dir
		return a.openStores(ctx)
	}
	one, two = newShell(t), newShell(t)
	one.stores, two.stores = stores, stores
	return one, two
}

// TestTwoLibrariesOnOneSetOfStores: the second is refused in words and changes
// nothing, until it takes over.
func TestTwoLibrariesOnOneSetOfStores(t *testing.T) {
	t.Parallel()
	one, two := twoLibraries(t)
	foundryFile, bridgeFile := letters(t)
	one.must(t, "ingest", foundryFile)
	want := contentsIn(t, one.app(t))

	refused := func(sh shell, args ...string) {
		t.Helper()
		if _, err := sh.run(t, args...); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "belongs to another library") || !strings.Contains(err.Error(), "clew rebuild --take-over") {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, args := range [][]string{{"ingest", bridgeFile}, {"rebuild"}, {"fsck"}, {"fsck", "--repair"}, {"ask", "Who?"}} {
		refused(two, args...)
	}
	if out, err := two.run(t, "doctor"); err == nil || strings.Count(out, "belongs to another library") != 2 {
		t.Errorf("the doctor says %q, error %v", out, err)
	}
	one.must(t, "fsck")
	if diff := cmp.Diff(want, contentsIn(t, one.app(t))); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}

	out := two.must(t, "rebuild", "--take-over")
	for _, says := range []string{"The graph of another library is replaced: 1 document, ", "The search index of another library is replaced: 1 chunk.", "is filled: "} {
		if !strings.Contains(out, says) {
			t.Errorf("not said: %s\nin %s", says, out)
		}
	}
	two.must(t, "ingest", bridgeFile)
	two.must(t, "fsck")
	refused(one, "ask", "Who founded the Carrow Foundry?")
	one.must(t, "rebuild", "--take-over")
	one.must(t, "fsck")
	if diff := cmp.Diff(want, contentsIn(t, one.app(t))); diff != "" {
		t.Errorf("-before +taken back\n%s", diff)
	}
}

// TestARestoredLibraryAndItsStores: where a library is replaced, the stores stay its;
// one restored elsewhere is another library.
func TestARestoredLibraryAndItsStores(t *testing.T) {
	t.Parallel()
	one, copied := twoLibraries(t)
	foundryFile, _ := letters(t)
	one.must(t, "ingest", foundryFile)
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	one.must(t, "backup", archive)
	if _, err := copied.run(t, "restore", archive); !strings.Contains(domain.InWords(err), "belongs to another library") {
		t.Errorf("restored beside the original: %v", err)
	}
	one.must(t, "fsck")
	one.must(t, "restore", "--force", archive)
	one.must(t, "fsck")
	copied.must(t, "rebuild", "--take-over")
	copied.must(t, "fsck")
}

// TestStoresAreTakenBackOnThePage: the page says that another library has taken the
// stores over, and its form takes them back.
func TestStoresAreTakenBackOnThePage(t *testing.T) {
	t.Parallel()
	one, two := twoLibraries(t)
	foundryFile, _ := letters(t)
	one.must(t, "ingest", foundryFile)
	v := one.serve(t)
	two.must(t, "rebuild", "--take-over")
	if _, page := v.get(t, "/health"); !strings.Contains(page, "belongs to another library") || !strings.Contains(page, `name="take_over"`) {
		t.Error("the page doesn't say that the stores belong to another library")
	}
	if status, _ := v.post(t, "/health/rebuild", url.Values{"take_over": {"yes"}}); status != 303 {
		t.Errorf("status %d", status)
	}
	for deadline := time.Now().Add(hangs); ; time.Sleep(50 * time.Millisecond) {
		_, page := v.get(t, "/health")
		if !strings.Contains(page, "belongs to another library") && strings.Contains(page, `data-testid="rebuild"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the stores were not taken back")
		}
	}
	one.must(t, "fsck")
}
