// Package sample holds the sample library: short documents, written for the
// purpose, about a valley that does not exist, and questions about them whose
// answers are known. The documents tell each fact once and refer to one
// another, so that some questions need two of them.
package sample

import (
	"embed"
	"fmt"
)

//go:embed files/*
var files embed.FS

// File is one document of the library as a visitor would upload it.
type File struct {
	Name string // its file name, without a folder
	Data []byte
}

// names fixes the order of the library, so that loading it is the same each time.
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

// Files returns the documents of the library in a fixed order. The caller may
// change what it gets. It panics only if the program was built without one of
// the files, which the tests rule out.
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
