// Package disk gives tests a small file system of their own, to be filled or
// to be made read-only.
package disk
