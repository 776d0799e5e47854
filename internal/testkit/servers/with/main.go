// With runs a command while one Neo4j server serves all tests that the command starts, so that not
// every package starts its own:
//
//	go run ./internal/testkit/servers/with make unit
//
// If CLEW_TEST_NEO4J_URL already names a server, that one is used.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/clewhq/clew/internal/testkit/servers"
)

func main() {
	err := run(os.Args[1:])
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(max(1, exit.ExitCode())) // the command has said why
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "with:", err)
		os.Exit(1)
	}
}

func run(command []string) error {
	if len(command) == 0 {
		return errors.New("name the command to run, for instance: with make unit")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, os.Environ()
	if os.Getenv("CLEW_TEST_NEO4J_URL") == "" {
		s, err := servers.StartNeo4j("")
		if err != nil {
			return err
		}
		defer s.Remove()
		cmd.Env = append(cmd.Env, "CLEW_TEST_NEO4J_URL="+s.URL, "CLEW_TEST_NEO4J_PASSWORD=")
	}
	return cmd.Run()
}
