package page

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/worddiff"
)

// VersionProps hold the differences between an earlier version of a document and the
// present one.
type VersionProps struct {
	App      layout.Props
	Document domain.Document
	Number   int // from 0
	Changes  []worddiff.Change
	Same     int // passages after the last change
}
