//go:build !linux

package render

import (
	"errors"
	"io"
)

// hold fails where programs can't be confined, so that none draws.
func hold(string) (io.Closer, error) {
	return nil, errors.ErrUnsupported
}
