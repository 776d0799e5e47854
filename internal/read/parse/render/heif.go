package render

import (
	"encoding/binary"
	"io"
)

// Limits on a file of boxes (ISO/IEC 14496-12).
const (
	maxBoxes = 10_000
	maxMeta  = 4 << 20 // bytes of the box that lists the images
)

// A store is a file that is changed in place.
type store interface {
	io.ReaderAt
	io.WriterAt
}

// primaryOnly hides every image of a HEIF file except the primary one, so that a program decodes only that. It leaves a malformed
// file unchanged, so that the program reports the error.
func primaryOnly(f store) error {
	at, size := int64(0), uint64(0)
	for range maxBoxes {
		var head [16]byte
		if n, _ := f.ReadAt(head[:], at); n < 8 {
			return nil
		}
		skip := uint64(8)
		if size = uint64(binary.BigEndian.Uint32(head[:])); size == 1 { // it follows the name
			size, skip = binary.BigEndian.Uint64(head[8:]), 16
		}
		if size < skip || size > 1<<40 {
			return nil
		}
		if string(head[4:8]) == "meta" && size <= maxMeta {
			meta := make([]byte, size-skip)
			if n, _ := f.ReadAt(meta, at+int64(skip)); n < len(meta) || !hideOthers(meta) {
				return nil
			}
			_, err := f.WriteAt(meta, at+int64(skip))
			return err
		}
		at += int64(size)
	}
	return nil
}

// hideOthers marks the images in a list as hidden but the primary one, and reports whether it did.
func hideOthers(meta []byte) bool {
	const full = 4 // bytes of the version and the flags of a box
	var primary, list []byte
	for name, box := range boxes(meta[min(full, len(meta)):]) {
		switch name {
		case "pitm":
			primary = box
		case "iinf":
			list = box
		}
	}
	id := func(b []byte, wide bool) (uint32, bool) {
		switch {
		case wide && len(b) >= full+4:
			return binary.BigEndian.Uint32(b[full:]), true
		case !wide && len(b) >= full+2:
			return uint32(binary.BigEndian.Uint16(b[full:])), true
		}
		return 0, false
	}
	shown, ok := id(primary, len(primary) > 0 && primary[0] > 0)
	counted := full + 2
	if len(list) > 0 && list[0] > 0 {
		counted = full + 4
	}
	if !ok || len(list) < counted {
		return false
	}
	for name, box := range boxes(list[counted:]) {
		if item, ok := id(box, len(box) > 0 && box[0] > 2); ok && name == "infe" && box[0] >= 2 && item != shown {
			box[3] |= 1 // hidden
		}
	}
	return true
}

// boxes yields the names and the contents of the boxes in data.
func boxes(data []byte) func(yield func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for len(data) >= 8 {
			size := binary.BigEndian.Uint32(data)
			if size < 8 || uint64(size) > uint64(len(data)) || !yield(string(data[4:8]), data[8:size]) {
				return
			}
			data = data[size:]
		}
	}
}
