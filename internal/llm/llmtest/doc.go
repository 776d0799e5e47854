// Package llmtest stands in for language models in tests: a server that speaks
// the OpenAI protocol (and Anthropic's messages) over real HTTP and answers by
// a script, and an embedder whose vectors depend on the words alone.
//
//	s := llmtest.New(t)
//	s.On(llmtest.Tool("grade"), llmtest.Call("grade", map[string]any{"binary_score": "yes", "reason": "names her"}))
//	s.On(llmtest.Prompt("Where was"), llmtest.Say("In Warsaw [1]."))
//	chat, _ := langchain.NewChat(langchain.Config{Provider: "openai", BaseURL: s.URL, Model: "scripted"})
//
// The first rule that matches answers; its replies are used one after the
// other, the last again and again. A request that no rule matches is answered
// 400 with a sentence that shows it.
package llmtest
