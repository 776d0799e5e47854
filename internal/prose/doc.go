// Package prose holds what the program knows about written language: where
// sentences end, what the words are, which words are names, and when two names
// are spelt alike. It works by rules, so the same text always gives the same
// result, and is fast enough to run over every passage of a library. Its word
// lists are English; text in other languages and scripts passes through
// unharmed.
package prose
