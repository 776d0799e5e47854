package parse

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
)

// isTNEF reports whether a part of a mail is a file into which Outlook packs attachments.
func isTNEF(p part) bool {
	return p.kind == "application/ms-tnef" || p.kind == "application/vnd.ms-tnef" || strings.EqualFold(p.name, "winmail.dat")
}

// The attributes of a TNEF file that are read.
const (
	tnefSignature  = 0x223E9F78
	tnefAttachment = 0x00069002 // another one begins
	tnefTitle      = 0x00018010
	tnefData       = 0x0006800F
	tnefBody       = 0x0002800C
)

// unpackTNEF adds what is attached in a TNEF file, and its text if the mail has no other. What can't
// be read in it is told.
func (m *message) unpackTNEF(p part) {
	if len(p.data) < 6 || binary.LittleEndian.Uint32(p.data) != tnefSignature {
		m.warnings = append(m.warnings, "The file winmail.dat, into which Outlook packs attachments, is damaged and was left out.")
		return
	}
	found, cut := 0, false
	var open *part
	for data := p.data[6:]; len(data) > 0; {
		if cut = len(data) < 11; cut {
			break
		}
		id, size := binary.LittleEndian.Uint32(data[1:]), int64(binary.LittleEndian.Uint32(data[5:]))
		if id == 0 {
			break
		}
		if cut = size > int64(len(data)-11); cut {
			break
		}
		value := data[9 : 9+size]
		data = data[11+size:]
		switch {
		case id == tnefAttachment && len(m.attached) < maxMailParts:
			m.attached = append(m.attached, part{name: "without a name"})
			open = &m.attached[len(m.attached)-1]
			found++
		case id == tnefTitle && open != nil:
			name := m.headers.decode(string(bytes.TrimRight(value, "\x00")))
			open.name = path.Base("/" + strings.ReplaceAll(name, `\`, "/"))
		case id == tnefData && open != nil:
			open.data = value
		case id == tnefBody && !saysMore(m.plain):
			m.plain = append(m.plain, part{kind: "text/plain", data: bytes.TrimRight(value, "\x00")})
			found++
		}
	}
	if found == 0 || cut {
		m.warnings = append(m.warnings, "The file winmail.dat, into which Outlook packs text and attachments, could not be read to its end; parts of this mail may be missing. Ask for it without rich text.")
	}
}
