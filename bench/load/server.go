package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/clewhq/clew/bench/program"
	"github.com/clewhq/clew/views/link"
)

const password = "a password for the load"

// server is the program under measurement.
type server struct {
	*program.Process
	dir    string
	people []*person
}

// person is someone with an account. Each signed-in browser is a client.
type person struct {
	name   string
	client *http.Client
}

// startServer serves a new data folder with the sample library and accounts.
func startServer(ctx context.Context, clew string, people int) (s *server, err error) {
	s = &server{}
	if s.dir, err = os.MkdirTemp("", "clew-load-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	for i := range people {
		s.people = append(s.people, &person{name: fmt.Sprintf("person%d", i+1)})
	}
	if err := s.addAccounts(ctx, clew); err != nil {
		return nil, err
	}
	if s.Process, err = program.Serve(clew, filepath.Join(s.dir, "data")); err != nil {
		return nil, err
	}
	for _, p := range s.people {
		if p.client, err = s.signIn(ctx, p.name); err != nil {
			return nil, err
		}
	}
	return s, s.loadSample(ctx)
}

func (s *server) addAccounts(ctx context.Context, clew string) error {
	for _, p := range s.people {
		cmd := exec.CommandContext(ctx, clew, "user", "add", p.name, "--data", filepath.Join(s.dir, "data"))
		cmd.Stdin = strings.NewReader(password + "\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("add an account: %w: %s", err, out)
		}
	}
	return nil
}

// signIn returns a new browser of a person.
func (s *server) signIn(ctx context.Context, name string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Jar:           jar,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	_, _, err = s.post(ctx, client, link.Login, url.Values{"name": {name}, "password": {password}})
	return client, err
}

// loadSample adds the sample library and waits until it is read.
func (s *server) loadSample(ctx context.Context) error {
	p := s.people[0]
	if _, _, err := s.post(ctx, p.client, program.In(link.Sample), nil); err != nil {
		return err
	}
	for ctx.Err() == nil {
		page, err := s.get(ctx, p.client, program.In(link.Documents))
		if err != nil {
			return err
		}
		if !bytes.Contains(page, []byte(`data-status="waiting"`)) && !bytes.Contains(page, []byte(`data-status="working"`)) {
			return nil
		}
		pause(ctx, 100*time.Millisecond)
	}
	return ctx.Err()
}

// stop ends the server and removes its folder.
func (s *server) stop() error {
	if s.Process != nil {
		_ = s.Stop() // its log says what went wrong
	}
	return os.RemoveAll(s.dir)
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the most memory the server has used so far, in bytes.
func (s *server) peakMemory() (n int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		return 0, err
	}
	found := highWater.FindSubmatch(status)
	if found == nil {
		return 0, errors.New("this system does not say how much memory a process used")
	}
	_, err = fmt.Sscan(string(found[1]), &n)
	return n << 10, err
}
