package page

import (
	"cmp"
	"strconv"

	"github.com/clewhq/clew/internal/library/timeline"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
)

// TimelineProps is the data for a timeline.
type TimelineProps struct {
	App layout.Props
	timeline.Wanted
	timeline.Timeline

	Problem string // why there is no list
}

// timelineYear has the events that begin in a year.
type timelineYear struct {
	name   string
	events []timeline.Event
}

// years groups the events, which are in order.
func (p TimelineProps) years() (years []timelineYear) {
	for _, e := range p.Events {
		name := yearOf(e)
		if n := len(years); n == 0 || years[n-1].name != name {
			years = append(years, timelineYear{name: name})
		}
		last := &years[len(years)-1]
		last.events = append(last.events, e)
	}
	return years
}

// yearOf names the year in which an event begins, or ends if it has no beginning.
func yearOf(e timeline.Event) string {
	year := cmp.Or(e.When.From.Year, e.When.Until.Year)
	switch {
	case e.When.Until.Year-e.When.From.Year == 99 && year%100 == 1:
		return strconv.Itoa(year) + "–" + strconv.Itoa(year+99)
	case year < 0:
		return strconv.Itoa(-year) + " BC"
	}
	return strconv.Itoa(year)
}

func (p TimelineProps) counted() string {
	return format.Count(len(p.Events)+p.More, "date", "dates") + " in " + format.Count(p.Documents, "document", "documents")
}

// narrowed reports whether the list leaves something out.
func (p TimelineProps) narrowed() bool {
	return p.Words != "" || p.Since != "" || p.Until != "" || len(p.Within) > 0
}
