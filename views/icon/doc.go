// Package icon contains 16 by 16 icons. They are decoration: text or a label next to them carries the
// meaning.
package icon
