// Package llmtest provides models for tests: an HTTP server that speaks OpenAI's
// and Anthropic's protocols and answers by a script, and an embedder whose
// vectors depend only on the words.
//
//	s := llmtest.New(t)
//	s.On(llmtest.Tool("grade"), llmtest.Call("grade", map[string]any{"binary_score": "yes", "reason": "names her"}))
//	s.On(llmtest.Prompt("Where was"), llmtest.Say("In Warsaw [1]."))
//	chat, _ := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: s.URL, Model: "scripted"})
//
// The first matching rule answers with its replies in turn, and then always with the last one. A
// request without a matching rule is answered 400 with a message that shows it.
package llmtest
