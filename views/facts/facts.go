// Package facts says in words what is known of a document besides its text.
package facts

import (
	"fmt"
	"net/url"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
)

// Of names what is known of a document besides its text, each fact in a few
// words. The link is not among them.
func Of(d domain.Document) []string {
	var all []string
	add := func(words string) {
		if words != "" {
			all = append(all, words)
		}
	}
	if d.Author != "" {
		add("By " + d.Author)
	}
	add(Date(d.Published))
	add(Language(d.Language))
	add(cameBy(d))
	return all
}

// Origin names who wrote a document and when, to be set after its name: "" if
// neither is known.
func Origin(f domain.Facts) string {
	switch date := Date(f.Published); {
	case f.Author == "":
		return date
	case date == "":
		return f.Author
	default:
		return f.Author + ", " + date
	}
}

// cameBy describes how a document came into the library, "" where anybody would think so.
func cameBy(d domain.Document) string {
	words := Source(d.Source)
	switch {
	case d.Source == domain.SourceUpload:
		return ""
	case d.Source == domain.SourceWeb && d.Index > 0:
		return fmt.Sprintf("%s, page %s", words, format.Int(d.Index))
	case words != "" && d.Index > 0:
		return fmt.Sprintf("%s, file %s", words, format.Int(d.Index))
	}
	return words
}

// Source names how documents came into the library.
func Source(s domain.Source) string {
	switch s {
	case domain.SourceUpload:
		return "uploaded"
	case domain.SourceWeb:
		return "from the web"
	case domain.SourceFolder:
		return "from a folder"
	case domain.SourceStorage:
		return "from storage"
	case domain.SourceArchive:
		return "from an archive"
	case domain.SourceMail:
		return "attached to a mail"
	}
	return ""
}

// Date writes a year, a month or a day as people do: "3 May 2024".
func Date(s string) string {
	for layout, words := range map[string]string{time.DateOnly: "2 January 2006", "2006-01": "January 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(words)
		}
	}
	return s
}

// Language names a language by its code, or returns the code.
func Language(code string) string {
	if name := languages[code]; name != "" {
		return name
	}
	return code
}

var languages = map[string]string{
	"ar": "Arabic", "be": "Belarusian", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
	"et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
	"it": "Italian", "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "la": "Latin", "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
	"pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
	"vi": "Vietnamese", "zh": "Chinese",
}

// Address shortens a link to its host and its path.
func Address(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	short := u.Host + u.Path
	if u.RawQuery != "" {
		short += "?" + u.RawQuery
	}
	return domain.Cut(short, 60)
}
