// Package models opens the models of all roles. A [Set] has the settings and models in use at a
// moment, with their costs. It never changes: when others are announced, a process opens another Set,
// and work begun with the former one ends with it.
package models
