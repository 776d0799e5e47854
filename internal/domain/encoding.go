package domain

// A TextEncoding is a character encoding of text files.
type TextEncoding struct {
	Name  string // as a person chooses it
	Title string // in words
}

// TextEncodings lists the encodings that a person can choose for a text.
func TextEncodings() []TextEncoding {
	return []TextEncoding{
		{"utf-8", "UTF-8"},
		{"utf-16le", "UTF-16"},
		{"utf-16be", "UTF-16, big end first"},
		{"utf-32le", "UTF-32"},
		{"utf-32be", "UTF-32, big end first"},
		{"windows-1252", "Windows-1252 (Latin-1, Western Europe)"},
		{"gb18030", "GB18030 (GBK, simplified Chinese)"},
		{"shift_jis", "Shift-JIS (Japanese)"},
		{"euc-jp", "EUC-JP (Japanese)"},
		{"iso-2022-jp", "ISO-2022-JP (Japanese)"},
		{"big5", "Big5 (traditional Chinese)"},
		{"euc-kr", "EUC-KR (Korean)"},
		{"windows-1251", "Windows-1251 (Cyrillic)"},
		{"koi8-r", "KOI8-R (Russian)"},
		{"koi8-u", "KOI8-U (Ukrainian)"},
		{"iso-8859-5", "ISO 8859-5 (Cyrillic)"},
		{"ibm866", "CP866 (Cyrillic of DOS)"},
		{"x-mac-cyrillic", "Mac Cyrillic"},
		{"windows-1250", "Windows-1250 (Central Europe)"},
		{"iso-8859-2", "ISO 8859-2 (Central Europe)"},
		{"ibm852", "CP852 (Central Europe, DOS)"},
		{"windows-1253", "Windows-1253 (Greek)"},
		{"iso-8859-7", "ISO 8859-7 (Greek)"},
		{"windows-1254", "Windows-1254 (Turkish)"},
		{"windows-1255", "Windows-1255 (Hebrew)"},
		{"iso-8859-8", "ISO 8859-8 (Hebrew)"},
		{"windows-1256", "Windows-1256 (Arabic)"},
		{"iso-8859-6", "ISO 8859-6 (Arabic)"},
		{"windows-1257", "Windows-1257 (Baltic)"},
		{"iso-8859-13", "ISO 8859-13 (Baltic)"},
		{"windows-1258", "Windows-1258 (Vietnamese)"},
		{"windows-874", "Windows-874 (Thai)"},
		{"iso-8859-1", "ISO 8859-1 (Latin-1)"},
		{"iso-8859-3", "ISO 8859-3 (Southern Europe)"},
		{"iso-8859-4", "ISO 8859-4 (Northern Europe)"},
		{"iso-8859-9", "ISO 8859-9 (Turkish)"},
		{"iso-8859-10", "ISO 8859-10 (Nordic)"},
		{"iso-8859-14", "ISO 8859-14 (Celtic)"},
		{"iso-8859-15", "ISO 8859-15 (Western Europe, with the euro)"},
		{"iso-8859-16", "ISO 8859-16 (South-Eastern Europe)"},
		{"macintosh", "Mac Roman"},
		{"ibm850", "CP850 (Western Europe, DOS)"},
		{"ibm437", "CP437 (DOS)"},
		{"hz-gb-2312", "HZ (simplified Chinese)"},
	}
}

// ChooseEncoding ends warnings about texts with a guessed encoding.
const ChooseEncoding = "If words look wrong, choose another encoding on the document's page or with clew documents retry --encoding."

// HasEncoding reports whether the encoding of a format's text can be chosen. Other formats
// state or fix it, or have no text of their own.
func (f Format) HasEncoding() bool {
	switch f {
	case FormatPDF, FormatDOCX, FormatSheets, FormatSlides, FormatODT, FormatImage:
		return false
	}
	return true
}
