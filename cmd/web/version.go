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

// release describes the program in one line: its version, the commit it was built from, Go and the platform.
func release() string {
	from := cmp.Or(commit, builtFrom(), "unknown")
	return fmt.Sprintf("%s (commit %s, %s, %s/%s)", version, from[:min(len(from), 12)], runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, with commit, Go and platform",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, "clew version "+release())
			return err
		},
	}
}
