// Package sample contains the sample library: short documents about a fictitious valley, and questions
// with known answers. Each fact is in only one document, and some questions need two.
package sample

import (
	"embed"
	"fmt"
)

//go:embed files/*
var files embed.FS

// File is a document of the library.
type File struct {
	Name string // file name
	Data []byte
}

// names fixes the order of the library.
var names = [...]string{
	"walkers-guide-to-the-bridges.pdf",
	"bridge-trust-minutes-1924.docx",
	"osterby-messenger-1897.html",
	"obituary-maud-ferring.md",
	"carrow-foundry.md",
	"ferries-of-the-velm.txt",
	"inscriptions.txt",
	"museum-labels.html",
	"life-of-tobias-quennell.docx",
	"schools-of-the-upper-valley.md",
	"foundry-fire-inquiry.pdf",
	"letter-agnes-lovibond-1904.txt",
}

// Files returns the documents of the library in a fixed order, as copies. It
// panics if a file was not embedded.
func Files() []File {
	out := make([]File, 0, len(names))
	for _, name := range names {
		data, err := files.ReadFile("files/" + name)
		if err != nil {
			panic(fmt.Sprintf("sample: the program was built without a document: %v", err))
		}
		out = append(out, File{Name: name, Data: data})
	}
	return out
}
