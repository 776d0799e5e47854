package openai

import "testing"

func TestRequestsBesideAQuestionStartNoSearch(t *testing.T) {
	t.Parallel()
	const history = "USER: Who founded the Carrow Foundry?\nASSISTANT: Maud Ferring [1]. Its tags and title are lost.\nUSER: When did Ada Brell leave?"
	chat := "\n### Chat History:\n<chat_history>\n" + history + "\n</chat_history>"
	for _, tt := range []struct{ name, text, want string }{
		{"title as JSON", "### Task:\nMake a short title, with an emoji, that sums up the chat.\n### Output:\nJSON format: { \"title\": \"a title\" }" + chat, `{"title":"Who founded the Carrow Foundry?"}`},
		{"title as text", "### Task:\nMake a short title." + chat, "Who founded the Carrow Foundry?"},
		{"tags", "### Task:\nMake 1-3 broad tags for the title of the chat.\n### Output:\nJSON: { \"tags\": [\"one\"] }" + chat, `{"tags":["Carrow Foundry","Ada Brell"]}`},
		{"tags, no proper names", "### Task:\nMake tags.\nJSON: { \"tags\": [] }\n### Chat History:\nUSER: what is iron made of?", `{"tags":["General"]}`},
		{"further questions", "### Task:\nSuggest follow-up questions.\nJSON: { \"follow_ups\": [] }" + chat, `{"follow_ups":["What else is known of Carrow Foundry?","What else is known of Ada Brell?"]}`},
		{"queries", "### Task:\nDecide whether to search; write queries.\nJSON: { \"queries\": [] }" + chat, `{"queries":["When did Ada Brell leave?"]}`},
		{"autocomplete", "### Task:\nYou complete what is typed in <text>.\nJSON: { \"text\": \"<completion>\" }\n<text>When did the</text>", `{"text":""}`},
		{"form below the history", "### Task:\nFind what fits." + chat + "\nJSON: { \"title\": \"\" }", `{"title":"Who founded the Carrow Foundry?"}`},
		{"a task without a history", "### Task:\nMake a title in JSON, as { \"title\": \"\" }", `{"title":"Conversation"}`},
		{"LibreChat", "Provide a title of at most five words for the conversation, and nothing else.\n\nConversation:\nUser: Who founded the Carrow Foundry?\nAI: Maud Ferring.", "Who founded the Carrow Foundry?"},
		{"LibreChat as before", "Please generate a five-word title for this talk.\n\n||>User:\n\"Who founded the Carrow Foundry?\"\n||>Response:\n\"Maud Ferring.\"", "Who founded the Carrow Foundry?"},
	} {
		if got, ok := chore(tt.text); !ok || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, ok, tt.want)
		}
	}
	for _, question := range []string{
		"Who founded the Carrow Foundry?", "Give me the title of the conversation between Maud and Ada.", "What is the Task: of the council?",
		"What does this mean?\nUser: Maud\nRole: owner", "Suggest a title", "Give me every name in this list.\nUser: Maud", "Conversation: who spoke?",
	} {
		if got, ok := chore(question); ok {
			t.Errorf("%q is taken for a chore, answered %q", question, got)
		}
	}
}
