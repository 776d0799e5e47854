// Package icon holds 16 by 16 icons. They are decoration: text or a label
// beside them carries the meaning.
package icon
