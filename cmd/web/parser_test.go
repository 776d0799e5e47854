package main

import (
	"bytes"
	"io"
)

// hostile stands before a child's parser and does what some bytes of a file say,
// as a parser with a defect might.
type hostile struct {
	r    io.Reader
	held [][]byte
}

// What a file tells a hostile parser to do.
const (
	spins = "!spin without end!"
	grows = "!grow without bound!"
	fills = "!hold 80 MB and spin!"
)

func (h *hostile) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	switch {
	case bytes.Contains(b[:n], []byte(spins)):
		h.grow(0)
	case bytes.Contains(b[:n], []byte(grows)):
		h.grow(1 << 20)
	case bytes.Contains(b[:n], []byte(fills)):
		h.grow(80)
	}
	return n, err
}

// grow holds so many megabytes and never returns.
func (h *hostile) grow(megabytes int) {
	for range megabytes {
		h.held = append(h.held, bytes.Repeat([]byte{1}, 1<<20))
	}
	for { //nolint:revive // spins
	}
}
