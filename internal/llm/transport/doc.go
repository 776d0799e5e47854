// Package transport sends requests to model servers for a library that builds them
// but can't express all of a request, misreads some answers and hides failures.
// A Client completes the request, reads the answer as its Exchange says, and
// turns every failure into an *llm.Error whose message names the address and
// what to check.
package transport
