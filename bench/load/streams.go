package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/clewhq/clew/bench/program"
	"github.com/clewhq/clew/views/link"
)

// streams are open streams that nobody reads from but the network.
type streams struct {
	open, refused int
	ended         atomic.Int64
	close         context.CancelFunc
}

func (s *streams) alive() int { return s.open - int(s.ended.Load()) }

// openStreams opens n streams of the list of documents, from as many browsers
// as that takes.
func (s *server) openStreams(ctx context.Context, n int) (_ *streams, err error) {
	all := &streams{}
	ctx, all.close = context.WithCancel(ctx)
	var client *http.Client
	for i := range n {
		if i%streamsEach == 0 {
			if client, err = s.signIn(ctx, s.people[i/streamsEach%len(s.people)].name); err != nil {
				return nil, err
			}
		}
		if err := all.add(ctx, client, s.URL+program.In(link.DocumentsEvents)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add opens a stream and reads it in the background. It returns once the server
// has answered.
func (s *streams) add(ctx context.Context, client *http.Client, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	status := make(chan error, 1)
	go func() {
		response, err := client.Do(r)
		if err != nil {
			status <- err
			return
		}
		defer response.Body.Close()
		switch response.StatusCode {
		case http.StatusOK:
			s.open++
			status <- nil
			_, _ = io.Copy(io.Discard, response.Body)
			s.ended.Add(1)
		case http.StatusTooManyRequests:
			s.refused++
			status <- nil
		default:
			status <- fmt.Errorf("GET %s: status %d", r.URL.Path, response.StatusCode)
		}
	}()
	return <-status
}
