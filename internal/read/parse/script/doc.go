// Package script turns what a document shows by the look of its characters into
// plain text: struck, raised and lowered runs, marks of notes, characters of
// symbol fonts, and formulas. It knows no format; every reader of files uses it,
// so that the same look becomes the same text.
//
//   - Struck text is left out, or kept as ~~400~~.
//   - A raised figure is a power (10⁶, m², x^n) or the mark of a note (1200 [^3]),
//     by what it stands behind. Ordinals stay whole: 19th.
//   - A lowered figure stays on its letters (H2O), else it is written x_i.
//   - A note begins with its mark: [^3] Without the tax.
//   - Characters of the fonts Symbol and Wingdings are those that they look like.
//   - A formula is a line: 1/(sin 45.0), ∑_(i=1)^n i², √(x + 1).
//
// Runs never fuse into one number or word across such a boundary. Marks of notes
// have a circumflex, so that nobody takes them for the citations of an answer.
package script
