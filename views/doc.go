// Package views is the parent of all packages that render HTML.
//
//	layout     the frame of every page
//	page       one file per screen; XxxPage takes an XxxProps
//	partial    parts with a stable id that are swapped or streamed into a page
//	component  buttons, fields, tables and other small parts
//	icon       icons of 16 by 16
//	diagram    the layout of a state graph (pure)
//	doctext    a stored text cut into blocks with links and marks (pure)
//	worddiff   the words that a rewrite removed and added (pure)
//	format     numbers, sizes and times as text (pure)
//	link       the addresses of all pages
//
// Props are plain values that a caller fills; values derived from them are methods on them. Nothing
// here reads a store or a request.
package views
