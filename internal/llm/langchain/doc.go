// Package langchain calls language models over HTTP: every server that speaks
// OpenAI's protocol, and Anthropic's.
//
// The langchaingo library builds the requests, and reads the whole answers and
// the embeddings of OpenAI's protocol after this package has repaired what the
// library would misread. This package adds the fields that the library lacks,
// and reads streams and Anthropic's answers itself: the library merges parallel
// tool calls, takes a broken stream for a whole answer, and alters the
// arguments of Anthropic's tools.
package langchain
