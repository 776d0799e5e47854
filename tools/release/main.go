// Command release builds the files of a release of Clew: an archive for each
// platform, and their checksums. The same commit and version give the same bytes.
//
//	go run -C tools ./release ROOT VERSION OUTPUT
//
// OUTPUT holds THIRD-PARTY.txt, which tools/notices writes. PLATFORMS="linux/amd64
// darwin/arm64" leaves the other platforms out.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: release ROOT VERSION OUTPUT")
		os.Exit(2)
	}
	r := release{root: os.Args[1], version: os.Args[2], out: os.Args[3], platforms: platforms(), largest: maxBinary}
	if only := os.Getenv("PLATFORMS"); only != "" {
		if err := r.only(strings.Fields(only)); err != nil {
			fmt.Fprintln(os.Stderr, "release:", err)
			os.Exit(2)
		}
	}
	if err := r.make(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// maxBinary bounds a program, in bytes. docs/releases.md says what it is made of.
const maxBinary = 90_000_000

// A platform is what a program is built for.
type platform struct{ os, arch string }

func platforms() []platform {
	var all []platform
	for _, system := range []string{"linux", "darwin", "windows"} {
		all = append(all, platform{system, "amd64"}, platform{system, "arm64"})
	}
	return all
}

// only leaves all platforms but those of the names out.
func (r *release) only(names []string) error {
	all := r.platforms
	r.platforms = nil
	for _, name := range names {
		system, arch, _ := strings.Cut(name, "/")
		p := platform{system, arch}
		if !slices.Contains(all, p) {
			return fmt.Errorf("nothing is released for the platform %q", name)
		}
		r.platforms = append(r.platforms, p)
	}
	return nil
}

// release is what is built, from where and to where.
type release struct {
	root, version, out string
	platforms          []platform
	largest            int64
}

// versions are the names that may stand in the name of a file and in a flag.
var versions = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)

func (r release) make(ctx context.Context) error {
	if !versions.MatchString(r.version) {
		return fmt.Errorf("the version %q has other characters than letters, digits, dots, + and -", r.version)
	}
	from, err := r.commit(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.root, "LICENSE")); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "Warning: the project has no LICENSE, so nobody may use or copy what is released. Its owners choose one.")
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "clew-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var names []string
	for _, p := range r.platforms {
		name, err := r.pack(ctx, p, work, from)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
		names = append(names, name)
	}
	return r.sums(names)
}

// A source is the commit that is built, and when it was made, which the files in
// archives get.
type source struct {
	commit string
	at     time.Time
}

func (r release) commit(ctx context.Context) (source, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", r.root, "log", "-1", "--format=%H %cI").Output()
	if err != nil {
		return source{}, fmt.Errorf("asking git for the commit: %w", err)
	}
	commit, made, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	at, err := time.Parse(time.RFC3339, made)
	return source{commit, at.UTC()}, err
}

// pack builds the program for a platform and returns the name of its archive.
func (r release) pack(ctx context.Context, p platform, work string, from source) (string, error) {
	program, ending, write := "clew", ".tar.gz", writeTar
	if p.os == "windows" {
		program, ending, write = "clew.exe", ".zip", writeZip
	}
	binary := filepath.Join(work, program)
	if err := r.build(ctx, p, from.commit, binary); err != nil {
		return "", err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return "", err
	}
	if info.Size() > r.largest {
		return "", fmt.Errorf("the program has %d bytes; the limit is %d", info.Size(), r.largest)
	}
	folder := strings.Join([]string{"clew", r.version, p.os, p.arch}, "-")
	files := []entry{{folder + "/" + program, binary, 0o755}}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		at := filepath.Join(r.root, name)
		if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		files = append(files, entry{folder + "/" + name, at, 0o644})
	}
	files = append(files, entry{folder + "/" + thirdParty, filepath.Join(r.out, thirdParty), 0o644})
	if err := write(filepath.Join(r.out, folder+ending), files, from.at); err != nil {
		return "", err
	}
	fmt.Printf("%s: the program has %.1f MB\n", folder+ending, float64(info.Size())/1e6)
	return folder + ending, nil
}

// thirdParty is the file of what others require to be said with the program.
const thirdParty = "THIRD-PARTY.txt"

// slim keeps the parts of pages from being compiled again into each page that has
// them. make build and the image do the same.
const slim = "-gcflags=github.com/clewhq/clew/views/...=-l"

// build compiles the program. What differs from machine to machine or from
// checkout to checkout stays out of it.
func (r release) build(ctx context.Context, p platform, commit, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", slim,
		"-ldflags", "-s -w -buildid= -X main.version="+r.version+" -X main.commit="+commit, "-o", to, "./cmd/web")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// sums writes SHA256SUMS, as sha256sum -c reads it, of the archives, of the notices
// and of the list of what they are made of, if it is there.
func (r release) sums(names []string) error {
	names = append(names, thirdParty)
	if _, err := os.Stat(filepath.Join(r.out, "sbom.json")); err == nil {
		names = append(names, "sbom.json")
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(b.String()), 0o644)
}
