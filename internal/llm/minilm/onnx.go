package minilm

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// A tensor is a named array of numbers in a file in the format ONNX.
type tensor struct {
	name string
	dims []int
	data []byte // the numbers, little-endian
}

// The numbers of the fields that are read, in the format's definition.
const (
	fieldGraph       = 7
	fieldInitializer = 5
	fieldDims        = 1
	fieldName        = 8
	fieldData        = 9
)

// readTensors returns the stored arrays of a file in their order. What is computed with
// them is known from elsewhere.
func readTensors(file []byte) ([]tensor, error) {
	var all []tensor
	err := fields(file, func(number protowire.Number, graph []byte) error {
		if number != fieldGraph {
			return nil
		}
		return fields(graph, func(number protowire.Number, value []byte) error {
			if number != fieldInitializer {
				return nil
			}
			t, err := readTensor(value)
			all = append(all, t)
			return err
		})
	})
	return all, err
}

func readTensor(data []byte) (tensor, error) {
	var t tensor
	err := fields(data, func(number protowire.Number, value []byte) error {
		switch number {
		case fieldName:
			t.name = string(value)
		case fieldData:
			t.data = value
		case fieldDims:
			t.dims = append(t.dims, int(binary.LittleEndian.Uint64(value)))
		}
		return nil
	})
	return t, err
}

// fields calls visit with each field of a message. The value of a number is eight bytes.
func fields(message []byte, visit func(protowire.Number, []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var value []byte
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(message)
			value = binary.LittleEndian.AppendUint64(nil, v)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return fmt.Errorf("field %d: %w", number, protowire.ParseError(n))
		}
		message = message[n:]
		if value == nil {
			continue
		}
		if err := visit(number, value); err != nil {
			return err
		}
	}
	return nil
}
