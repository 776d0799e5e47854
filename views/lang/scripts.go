package lang

import (
	"context"

	"github.com/clewhq/clew/internal/domain/lists"
)

// ofScripts are the words that scripts say.
var ofScripts = []string{
	"%s words",
	"%s: %s begin, %s end",
	"1 word",
	"A file in it could not be opened. What was found before it is added.",
	"Any time",
	"Call it %s",
	"Checking each sentence",
	"Clew can't read files of these kinds: %s.",
	"Clew can't read files of this kind. Nothing was sent.",
	"Collecting the summaries",
	"Combining the summaries",
	"Copied",
	"Could not be read.",
	"Grading what was found",
	"Hidden files and what hidden folders hold are left out.",
	"It contains no files.",
	"It has %s, the limit is %s (MAX_UPLOAD_MB). Nothing was sent.",
	"It is empty. Nothing was sent.",
	"Only %s files are taken at once. Add the rest separately.",
	"Next",
	"Open the documents",
	"Page %s of %s",
	"Pause",
	"Picture of %s: %s. The table has the same content.",
	"Play",
	"Read. %s",
	"Reading the question",
	"Rewording the question",
	"Searching for passages",
	"Sending %s",
	"Sent",
	"Splitting the texts into parts",
	"Stopped, not in the graph.",
	"Summarising each part",
	"The browser did not allow copying. Mark the text and copy it by hand.",
	"The browser did not allow copying. Open the JSON and copy it by hand.",
	"The chart could not be saved as %s.",
	"The connection was lost during the upload. The file was not saved. Try again.",
	"The folder",
	"The pages are locked by a password. Here is the text.",
	"The pages could not be shown. Here is the text.",
	"The picture could not be saved as %s.",
	"The picture of the chart could not be loaded. Its table is here.",
	"The server does not answer, so nothing was sent. Your text is still here: check the connection, and send it again.",
	"The server does not answer. Is Clew still running?",
	"The server does not answer. This page goes on by itself when it does.",
	"The server refused this (%s).",
	"The table could not be copied. Download it as CSV, or mark it and copy it by hand.",
	"The words could not be found on the page as it is printed. The text has them marked.",
	"There is no step to undo.",
	"Writing",
	"Writing the summary",
}

// Scripts returns the words of scripts in the language of the page, by the English, or nil for English.
func Scripts(ctx context.Context) map[string]string {
	l := Of(ctx)
	if l.words == nil {
		return nil
	}
	return lists.Pairs(ofScripts, func(words string) (string, string) { return words, l.T(words) })
}
