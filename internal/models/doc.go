// Package models opens the models of all roles. A [Set] holds the settings and models in
// use at a moment, with what they cost. It never changes: a process that is told of
// others opens another Set, and what began with the former one ends with it.
package models
