package dates

import (
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// said writes the times of a sentence with their phrases.
func said(sentence string) string {
	var all []string
	for _, t := range Read(sentence) {
		text := t.Span.Slice(sentence) + " = " + t.From.String()
		if t.From != t.Until {
			text += ".." + t.Until.String()
		}
		if t.About {
			text += " about"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func TestRead(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"The fire broke out on 9 November 1888.":                       "9 November 1888 = 1888-11-09",
		"It opened on the 3rd of May, 1901, to carriages.":             "3rd of May, 1901 = 1901-05-03",
		"On Nov. 9, 1888 the roof fell.":                               "Nov. 9, 1888 = 1888-11-09",
		"On May 24, 1919, the hotel opened.":                           "May 24, 1919 = 1919-05-24",
		"Published 2024-03-15, revised 2024-04-02.":                    "2024-03-15 = 2024-03-15; 2024-04-02 = 2024-04-02",
		"It was sold in March 1904 and again in 1911.":                 "March 1904 = 1904-03; 1911 = 1911",
		"She lived here from 1888 to 1901.":                            "1888 to 1901 = 1888..1901",
		"The office was held between 1950 and 1962 by her son.":        "1950 and 1962 = 1950..1962",
		"The war of 1914–18 closed the works.":                         "1914–18 = 1914..1918",
		"Maud Ferring (1844–1910) kept the ledger.":                    "1844–1910 = 1844..1910",
		"Maud Ferring (born 1844, died 1910) kept the ledger.":         "1844 = 1844; 1910 = 1910",
		"The rule held from 3 May to 9 November 1888.":                 "3 May to 9 November 1888 = 1888-05-03..1888-11-09",
		"The fair of 3–9 November 1888 was wet.":                       "3–9 November 1888 = 1888-11-03..1888-11-09",
		"From May to September 1939 nothing moved.":                    "May to September 1939 = 1939-05..1939-09",
		"He has led the bank since 1999.":                              "1999 = 1999..",
		"The tax was raised until 1901.":                               "1901 = ..1901",
		"The bridge was built before 1700.":                            "1700 = ..1700",
		"A chapel stood here about 1450.":                              "1450 = 1450 about",
		"A chapel (c. 1450) stood here.":                               "1450 = 1450 about",
		"Trams came in the 1920s.":                                     "1920s = 1920..1929",
		"In the nineteenth century, and in the 18th century, it grew.": "nineteenth century = 1801..1900; 18th century = 1701..1800",
		"Caesar was killed in 44 BC, and Pompeii fell in AD 79.":       "44 BC = -0044; AD 79 = 0079",
		"Sales rose in Q3 2024.":                                       "Q3 2024 = 2024-07..2024-09",
		"In the summer of 1914 she left.":                              "1914 = 1914",
		"It won in 1968 and 1969, or 1971.":                            "1968 = 1968; 1969 = 1969; 1971 = 1971",
		"Pole (12 March 1500 -- 17 November 1558) held the office.":    "12 March 1500 -- 17 November 1558 = 1500-03-12..1558-11-17",
		"It is a 1942 film, and the 2003 “Titans” followed.":           "1942 = 1942; 2003 = 2003",
		"The 2008 financial crisis ended it.":                          "2008 = 2008",

		"Am 9. November 1888 brannte die Gießerei.":    "9. November 1888 = 1888-11-09",
		"Das Amt besteht seit 1950.":                   "1950 = 1950..",
		"Im Jahr 1904 kam die Bahn.":                   "1904 = 1904",
		"Stand: 31.12.2023.":                           "31.12.2023 = 2023-12-31",
		"Von 1888 bis 1901 wohnte sie hier.":           "1888 bis 1901 = 1888..1901",
		"Die 1920er Jahre brachten Strom.":             "1920er = 1920..1929",
		"Im 19. Jahrhundert wuchs die Stadt.":          "19. Jahrhundert = 1801..1900",
		"Der Vertrag gilt bis zum 31. Dezember 2025.":  "31. Dezember 2025 = ..2025-12-31",
		"La tour fut construite le 1er mai 1889.":      "1er mai 1889 = 1889-05-01",
		"Au XIXe siècle, la ville grandit.":            "XIXe siècle = 1801..1900",
		"Nació el 3 de mayo de 1901 en Sevilla.":       "3 de mayo de 1901 = 1901-05-03",
		"En el siglo XIX la ciudad creció, y en 1929.": "siglo XIX = 1801..1900; 1929 = 1929",

		"A 1500 metre race in a 2000 seat hall.":         "",
		"In 1500 houses there was no light.":             "",
		"It cost $1900 and weighed 1500 kg.":             "",
		"See pp. 1844–1910, room 1204, No. 1999.":        "",
		"About 1200 people and 1,888 horses came.":       "",
		"The company has 2000 employees.":                "",
		"Version 2024.1 needs 2048 MB.":                  "",
		"On 03/04/2024 it may be March or April.":        "",
		"You may 1900 times try.":                        "",
		"Yesterday, two years later, it was 31.02.2020.": "",
		"They sold from 1200 to 1500 copies.":            "",
	} {
		if got := said(sentence); got != want {
			t.Errorf("%s\n got %s\nwant %s", sentence, got, want)
		}
	}
}

func TestOrderAndMeets(t *testing.T) {
	t.Parallel()
	all := Read("Since 1901, in May 1888, on 9 May 1888, in 1888, until 1800, and in the 1880s.")
	slices.SortFunc(all, Compare)
	var order []string
	for _, x := range all {
		order = append(order, x.From.String()+".."+x.Until.String())
	}
	if got, want := strings.Join(order, " "), "..1800 1880..1889 1888..1888 1888-05..1888-05 1888-05-09..1888-05-09 1901.."; got != want {
		t.Errorf("in order %s, want %s", got, want)
	}
	day := func(text string) domain.Day {
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	since, may := all[5], all[3]
	if since.Meets(domain.Day{}, day("1900")) || !since.Meets(day("1950"), domain.Day{}) || !may.Meets(day("1888-05-31"), day("1888-06")) || may.Meets(day("1888-06"), domain.Day{}) {
		t.Error("a time meets what it has no part in, or does not meet what it has")
	}
	for _, wrong := range []string{"", "soon", "1888-13", "1888-02-30", "188", "1888-11-09-1", "9.11.1888x"} {
		if _, err := Parse(wrong); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%q is read as a day: %v", wrong, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("From 3 May to 9 November 1888, c. 1450 – 44 v. Chr., 1914–18.")
	f.Fuzz(func(t *testing.T, sentence string) {
		sentence = strings.ToValidUTF8(sentence, "")
		end := 0
		for _, x := range Read(sentence) {
			if x.Span.Start < end || x.Span.Empty() || x.Span.Slice(sentence) == "" || !x.From.Known() && !x.Until.Known() {
				t.Fatalf("%+v of %q", x, sentence)
			}
			end = x.Span.End
		}
	})
}
