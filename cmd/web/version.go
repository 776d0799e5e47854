package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version and commit are set by the build.
var (
	version = "dev"
	commit  = ""
)

// buildInfo is what the program was built from and for.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func build() buildInfo {
	from := cmp.Or(commit, builtFrom(), "unknown")
	return buildInfo{version, from[:min(len(from), 12)], runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

// release describes the program in one line: its version, the commit it was built from, Go and the platform.
func release() string {
	b := build()
	return fmt.Sprintf("%s (commit %s, %s, %s)", b.Version, b.Commit, b.Go, b.Platform)
}

// builtFrom returns the commit that go build found, or "".
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// versionCommand prints what program this is.
func versionCommand(s env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, with commit, Go and platform",
		Args:  cobra.NoArgs,
	}
	return withJSON(cmd, s, jsonObject, func(_ *cobra.Command, _ []string, s env) (buildInfo, error) {
		_, err := fmt.Fprintln(s.stdout, "clew version "+release())
		return build(), err
	})
}
