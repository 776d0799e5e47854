//go:build !amd64

package child

var forbiddenHere []uint32
