// Package stores measures the sets of stores on one library of made-up
// documents: how fast each takes documents in, is rebuilt, backed up and
// restored, and what it needs of memory and disk. make bench-stores runs it.
package stores
