package child

import (
	"context"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
)

// Why a pool ends a child.
var (
	errTimeout = errors.New("it took too long")
	errMemory  = errors.New("it took too much memory")
)

// explain returns the error of a call whose child ended because of cause.
func (p *Pool) explain(ctx context.Context, cause error) error {
	mb := p.Memory >> 20
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("read a file: %w", context.Cause(ctx))
	case errors.Is(cause, errTimeout):
		return death(domain.TooLarge, cause, "Reading this file took longer than PARSE_TIMEOUT allows (%s), so it was given up; it may be damaged or far too complex.", p.Timeout)
	case errors.Is(cause, errMemory):
		return death(domain.TooLarge, cause, "This file needs more memory to read than PARSE_MEMORY_MB allows (%d MB): raise it, or split the file into smaller ones.", mb)
	case errors.Is(cause, errKilled):
		return death(domain.TooLarge, cause, "The system ended the process that read this file, most likely because the machine ran out of memory: give it more, or split the file into smaller ones.")
	case errors.Is(cause, errCrashed):
		return death(domain.Invalid, cause, "This file is damaged, or was made to do harm: reading it broke the process that read it.")
	}
	return cause
}

func death(kind domain.Kind, cause error, format string, args ...any) error {
	return &parse.DeathError{Err: domain.Because(kind, cause, format, args...)}
}
