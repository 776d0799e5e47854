// Package facts formats the metadata of documents as text.
package facts

import (
	"context"
	"net/url"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// Of names the facts about a document besides its text, each in a few words. The link is not among them.
func Of(ctx context.Context, d domain.Document) []string {
	var all []string
	add := func(words string) {
		if words != "" {
			all = append(all, words)
		}
	}
	if d.Author != "" {
		add(lang.F(ctx, "By %s", d.Author))
	}
	add(Date(ctx, d.Published))
	add(Language(d.Language))
	add(cameBy(ctx, d))
	return all
}

// Origin names who wrote a document and when, to be set after its name: "" if
// neither is known.
func Origin(ctx context.Context, f domain.Facts) string {
	switch date := Date(ctx, f.Published); {
	case f.Author == "":
		return date
	case date == "":
		return f.Author
	default:
		return f.Author + ", " + date
	}
}

// cameBy describes how a document came into the library, "" where anybody would think so.
func cameBy(ctx context.Context, d domain.Document) string {
	words := Source(ctx, d.Source)
	switch {
	case d.Source == domain.SourceUpload:
		return ""
	case d.Source == domain.SourceWeb && d.Index > 0:
		return lang.F(ctx, "%s, page %s", words, lang.Int(ctx, d.Index))
	case words != "" && d.Index > 0:
		return lang.F(ctx, "%s, file %s", words, lang.Int(ctx, d.Index))
	}
	return words
}

// Source names how documents came into the library.
func Source(ctx context.Context, s domain.Source) string {
	switch s {
	case domain.SourceUpload:
		return lang.T(ctx, "uploaded")
	case domain.SourceWeb:
		return lang.T(ctx, "from the web")
	case domain.SourceFolder:
		return lang.T(ctx, "from a folder")
	case domain.SourceStorage:
		return lang.T(ctx, "from storage")
	case domain.SourceArchive:
		return lang.T(ctx, "from an archive")
	case domain.SourceMail:
		return lang.T(ctx, "attached to a mail")
	case domain.SourceGit:
		return lang.T(ctx, "from a Git repository")
	}
	return ""
}

// Date writes a year, a month or a day as people do: "3 May 2024".
func Date(ctx context.Context, s string) string {
	for layout, words := range map[string]string{time.DateOnly: lang.T(ctx, "2 January 2006"), "2006-01": "January 2006"} {
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
