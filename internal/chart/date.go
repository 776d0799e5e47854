package chart

import (
	"regexp"
	"strconv"
)

// Dates and years are categories, not amounts.
var (
	wholeDates = regexp.MustCompile(`(?i)\b\d{4}-\d{1,2}(?:-\d{1,2})?\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|` +
		`\b\d{1,2}\.?(?:st|nd|rd|th|er)?\s(?:of\s|de\s)?(?:` + months + `)\b\.?(?:,?\s(?:de\s)?\d{4})?|\b(?:` + months + `)\b\.?\s(?:\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s\d{4})?|(?:de\s)?\d{4}\b)`)
	yearSpans = regexp.MustCompile(`\b([12]\d{3})\s?(?:[-–—/]|to|bis|and|und|à|a)\s?([12]\d{3}|\d{2})\b`)
	yearAlone = regexp.MustCompile(`(?i)(?:\b(?:in|since|until|till|from|year|years|anno|of|im|jahr|jahre|seit|ab|en|depuis|jusqu'en|année|desde|hasta|año|nel|dal|fino al|before|after|around|circa|c\.|early|late|mid|about|vor|nach|um|avant|après|antes de|después de|prima del|dopo il)\s|\()([12]\d{3})(?:s\b|\b)`)
	decades   = regexp.MustCompile(`\b[12]\d{3}s\b`)
	firstCell = regexp.MustCompile(`(?m)^\s*\|?\s*([12]\d{3})\s*(?:\||:|\t|$)`)
)

const months = `jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|febrero|febbraio|mar(?:ch|s|zo)?|märz|apr(?:il|ile)?|avril|abril|may|mai|mayo|maggio|jun(?:e|i|io)?|juin|giugno|` +
	`jul(?:y|i|io)?|juillet|luglio|aug(?:ust)?|août|agosto|sep(?:t|tember|tembre)?|septiembre|settembre|oct(?:ober|obre)?|okt(?:ober)?|octubre|ottobre|nov(?:ember|embre)?|noviembre|dec(?:ember)?|dez(?:ember)?|décembre|diciembre|dicembre|enero|gennaio`

// dateSpans returns the byte ranges of dates, years and times of day.
func dateSpans(text string) [][]int {
	out := wholeDates.FindAllStringIndex(text, -1)
	out = append(out, decades.FindAllStringIndex(text, -1)...)
	for _, m := range yearSpans.FindAllStringSubmatchIndex(text, -1) {
		if isYearRange(text[m[2]:m[3]], text[m[4]:m[5]]) {
			out = append(out, m[:2])
		}
	}
	for _, pattern := range []*regexp.Regexp{yearAlone, firstCell} {
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			if isYear(text[m[2]:m[3]]) && !unitAfter.MatchString(text[m[3]:]) {
				out = append(out, m[2:4])
			}
		}
	}
	return out
}

// isYear reports whether four digits may be a year.
func isYear(digits string) bool {
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 1000 && n < 2200
}

func isYearRange(first, second string) bool {
	if len(second) == 2 {
		second = first[:2] + second
	}
	return isYear(first) && isYear(second) && first < second
}

// unitAfter matches a unit behind a number, which is no year then.
var unitAfter = regexp.MustCompile(`^(?i)\s?(?:%|€|\$|£|¥|percent\b|prozent\b|(?:kg|km|m|cm|mm|t|l|g|tons?|tonnes?|tonnen|metres?|meters?|people|inhabitants|pieces|copies|euros?|dollars?|pounds?|francs?|marks?|million|thousand|billion)\b)`)

// areYears reports whether all categories are years.
func areYears(categories []string) bool {
	for _, c := range categories {
		if len(c) != 4 || !isYear(c) {
			return false
		}
	}
	return len(categories) > 0
}
