package parse

import "time"

// Limits bound what one file may cost. A zero field takes its default.
type Limits struct {
	MaxBytes    int64         // of the file; 50 MiB
	MaxExpanded int64         // of what a packed file (DOCX, PDF) unpacks to, in all; 256 MiB
	MaxPages    int           // of a PDF; 3,000
	MaxChars    int           // code points of the text; 10 million
	Timeout     time.Duration // for one file; 2 minutes
}

// withDefaults is l with its zero fields filled in.
func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = 50 << 20
	}
	if l.MaxExpanded <= 0 {
		l.MaxExpanded = 256 << 20
	}
	if l.MaxPages <= 0 {
		l.MaxPages = 3000
	}
	if l.MaxChars <= 0 {
		l.MaxChars = 10_000_000
	}
	if l.Timeout <= 0 {
		l.Timeout = 2 * time.Minute
	}
	return l
}
