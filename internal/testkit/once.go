package testkit

import "context"

// Once is a process that ends with its one command, so that it does not follow what is saved.
type Once struct{}

// Follow implements connections.Process.
func (Once) Follow(context.Context) error { return nil }
