// Package langchain reaches language models over HTTP: everything that speaks
// the OpenAI protocol, and Anthropic.
//
// The langchaingo library builds the requests. What comes back is read here,
// by the HTTP doer that is handed to the library: it adds to the request what
// the library can't say, reads whole answers and streams, and turns everything
// that can go wrong into an *llm.Error whose sentence names the address and
// what to check. The library never sees an answer.
package langchain
