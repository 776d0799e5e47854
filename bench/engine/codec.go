//go:build !goexperiment.jsonv2

package main

import "github.com/clewhq/clew/internal/stategraph"

// coded is the engine's default codec, encoding/json.
func coded() []stategraph.CompileOption { return nil }
