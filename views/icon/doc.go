// Package icon holds drawings of 16 by 16. They are decoration: what they mean
// stands beside them in words or in a label.
package icon
