package extract

import "encoding/json"

// A Once states whether an entity has at most one of something. In JSON and YAML it is true or false, and omitted if
// unknown.
type Once int8

// What a schema may say.
const (
	Unsaid    Once = iota // depends on the name: people are born once
	AtMostOne             // two values contradict each other
	Several               // several values never contradict each other, whatever the name
)

// MarshalJSON writes true or false.
func (o Once) MarshalJSON() ([]byte, error) { return json.Marshal(o == AtMostOne) }

// UnmarshalJSON reads true or false.
func (o *Once) UnmarshalJSON(data []byte) error {
	var one bool
	err := json.Unmarshal(data, &one)
	o.set(one)
	return err
}

// UnmarshalYAML reads true or false.
func (o *Once) UnmarshalYAML(read func(any) error) error {
	var one bool
	err := read(&one)
	o.set(one)
	return err
}

func (o *Once) set(one bool) {
	*o = Several
	if one {
		*o = AtMostOne
	}
}
