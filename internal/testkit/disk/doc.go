// Package disk mounts a small file system for a test to fill or to make read-only.
package disk
