package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project writes a program that prints its version, in a repository with one commit.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/small\n\ngo 1.26\n",
		"cmd/web/main.go": "package main\n\nvar version, commit = \"dev\", \"\"\n\nfunc main() { println(version, len(commit)) }\n",
		"README.md":       "Read me.\n", "CHANGELOG.md": "Changes.\n", "LICENSE": "Terms.\n",
	} {
		at := filepath.Join(root, name)
		noError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		noError(t, os.WriteFile(at, []byte(text), 0o600))
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "Begin"},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
}

// files returns what a folder holds, by name.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	entries, err := os.ReadDir(dir)
	noError(t, err)
	for _, e := range entries {
		all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		noError(t, err)
	}
	return all
}

// TestTheSameBytesTwice builds two copies of a project, in folders of different
// names, for a system with tar files and one with zip files.
func TestTheSameBytesTwice(t *testing.T) {
	t.Parallel()
	here, there := project(t), filepath.Join(t.TempDir(), "copied")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", here, there).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	r := release{version: "v1.2.3", largest: maxBinary, platforms: []platform{{runtime.GOOS, runtime.GOARCH}, {"windows", "arm64"}}}
	var made []map[string][]byte
	for _, root := range []string{here, there} {
		r.root, r.out = root, t.TempDir()
		noError(t, os.WriteFile(filepath.Join(r.out, "sbom.json"), []byte("{}"), 0o600))
		noError(t, os.WriteFile(filepath.Join(r.out, thirdParty), []byte("Others' terms.\n"), 0o600))
		noError(t, r.make(t.Context()))
		made = append(made, files(t, r.out))
	}
	tarred := fmt.Sprintf("clew-v1.2.3-%s-%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	var sums strings.Builder
	for _, name := range slices.Sorted(slices.Values([]string{tarred, thirdParty, "clew-v1.2.3-windows-arm64.zip", "sbom.json"})) {
		if !bytes.Equal(made[0][name], made[1][name]) {
			t.Errorf("%s differs from one folder to another", name)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(made[0][name]), name)
	}
	if got := string(made[0]["SHA256SUMS"]); got != sums.String() {
		t.Errorf("SHA256SUMS holds\n%s\nwant\n%s", got, sums.String())
	}
	unpackTar(t, made[0][tarred])
	unpackZip(t, made[0]["clew-v1.2.3-windows-arm64.zip"])
}

// unpackTar looks at the files of an archive and runs its program.
func unpackTar(t *testing.T, data []byte) {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(data))
	noError(t, err)
	folder := fmt.Sprintf("clew-v1.2.3-%s-%s/", runtime.GOOS, runtime.GOARCH)
	var names []string
	for r := tar.NewReader(plain); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		noError(t, err)
		names = append(names, head.Name)
		if head.Name != folder+"clew" {
			continue
		}
		content, err := io.ReadAll(r)
		noError(t, err)
		at := filepath.Join(t.TempDir(), "clew")
		noError(t, os.WriteFile(at, content, head.FileInfo().Mode()))
		out, err := exec.CommandContext(t.Context(), at).CombinedOutput()
		noError(t, err)
		if got := strings.TrimSpace(string(out)); got != "v1.2.3 40" {
			t.Errorf("the program says it is %q, want v1.2.3 and a commit of 40 letters", got)
		}
	}
	if want := []string{folder + "clew", folder + "CHANGELOG.md", folder + "LICENSE", folder + "README.md", folder + thirdParty}; !slices.Equal(names, want) {
		t.Errorf("the archive holds %v, want %v", names, want)
	}
}

func unpackZip(t *testing.T, data []byte) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	noError(t, err)
	f, err := r.Open("clew-v1.2.3-windows-arm64/clew.exe")
	noError(t, err)
	start := make([]byte, 2)
	if _, err := io.ReadFull(f, start); err != nil || string(start) != "MZ" {
		t.Errorf("the program for Windows begins with %q (%v), want MZ", start, err)
	}
}

func TestAReleaseIsRefused(t *testing.T) {
	t.Parallel()
	root := project(t)
	for _, tt := range []struct {
		name, version string
		largest       int64
		says          string
	}{
		{"too large a program", "v1", 1000, "the limit is 1000"},
		{"a version with a path", "../v1", maxBinary, "has other characters"},
		{"a version with a flag", "v1 -X main.x=y", maxBinary, "has other characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := release{root: root, version: tt.version, out: t.TempDir(), platforms: platforms()[:1], largest: tt.largest}
			if err := r.make(t.Context()); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("making it ends with %v, want an error that says %q", err, tt.says)
			}
			if made := files(t, r.out); len(made) > 0 {
				t.Errorf("it leaves %d files", len(made))
			}
		})
	}
}

// TestAllAreBuiltAlike compares how make and the image build the program with how
// releases are built.
func TestAllAreBuiltAlike(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Makefile", "Dockerfile"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		noError(t, err)
		if !bytes.Contains(data, []byte(slim)) {
			t.Errorf("%s builds without %s", name, slim)
		}
	}
}

func TestSomePlatforms(t *testing.T) {
	t.Parallel()
	r := release{platforms: platforms()}
	noError(t, r.only([]string{"darwin/arm64", "linux/amd64"}))
	if want := []platform{{"darwin", "arm64"}, {"linux", "amd64"}}; !slices.Equal(r.platforms, want) {
		t.Errorf("platforms: %v, want %v", r.platforms, want)
	}
	if err := r.only([]string{"plan9/386"}); err == nil {
		t.Error("a platform for which nothing is released is accepted")
	}
}

func TestAllPlatforms(t *testing.T) {
	t.Parallel()
	if got := platforms(); len(got) != 6 || !slices.Contains(got, platform{"windows", "arm64"}) {
		t.Errorf("platforms() = %v, want linux, darwin and windows, each on amd64 and arm64", got)
	}
}
