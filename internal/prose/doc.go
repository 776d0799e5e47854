// Package prose knows the little about written language that the rest of the
// program shares: where sentences end, what the words are, which of them are
// names, and when two names are spelt alike. It works by rules alone, so the
// same text always gives the same answer, and it is fast enough to run over
// every passage of a library. Its word lists are English; text in other
// languages and scripts passes through unharmed.
package prose
