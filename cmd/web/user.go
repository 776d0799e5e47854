package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/clewhq/clew/internal/domain"
)

// password prompts twice on a terminal and otherwise reads one line.
func (s env) password() (string, error) {
	in, ok := s.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(s.stdin, maxKey)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var typed [2]string
	for i, prompt := range []string{"Password: ", "Repeat: "} {
		fmt.Fprint(s.stderr, prompt)
		b, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(s.stderr)
		if err != nil {
			return "", err
		}
		typed[i] = string(b)
	}
	if typed[0] != typed[1] {
		return "", domain.Errorf(domain.Invalid, "The passwords do not match. Nothing was changed.")
	}
	return typed[0], nil
}
