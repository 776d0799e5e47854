//go:build !amd64

package child

var forbiddenHere, ofToolsHere []uint32
