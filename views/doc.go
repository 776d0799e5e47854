// Package views is the parent of everything that is drawn in the browser.
//
//	layout     what surrounds every page
//	page       one file a screen; XxxPage takes one XxxProps
//	partial    parts with a stable id that are swapped or streamed into a page
//	component  buttons, fields, tables and other small parts
//	icon       drawings of 16 by 16
//	diagram    where the nodes and lines of a state graph stand (pure)
//	sheet      a stored text cut into paragraphs, links and marks (pure)
//	worddiff   which words a rewrite took away and added (pure)
//	format     numbers, sizes and times in words (pure)
//	link       the addresses of all pages
//
// Props are plain values that a caller fills; what follows from them is a
// method on them. Nothing here reads a store or knows a request.
package views
