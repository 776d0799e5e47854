package viewstest

import (
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Wages returns a finished chart of two series whose second source is deleted.
func Wages() domain.Figure {
	return domain.Figure{ID: "call_1", Task: "tolls and wages by year", Paragraph: 1, Status: domain.FigureDone, Chart: &domain.Chart{
		Type: domain.ChartGrouped, Title: "Tolls taken and wages paid at Marrow Ford", Unit: "pounds", X: "Year", Categories: []string{"1909", "1910", "1911"},
		Series: []domain.Series{
			{Name: "Tolls", Points: []domain.Point{{Category: 0, Value: 412, Citation: 1}, {Category: 1, Value: 655.5, Citation: 1}, {Category: 2, Value: 18_040, Citation: 2}}},
			{Name: "Wages", Points: []domain.Point{{Category: 0, Value: 96, Citation: 3}, {Category: 2, Value: 104, Citation: 3}}},
		},
		Citations: []domain.Citation{citation(1, 3, "courier-1909-10-03.pdf", "four hundred and twelve"), citation(2, 0, "levy-roll-1910.pdf", ""), citation(3, 41, "harrow-kestle-daybook.pdf", "ninety-six pounds to the keeper")},
	}}
}

// Pending returns a chart that is being made.
func Pending() domain.Figure {
	return domain.Figure{ID: "call_2", Task: "rivets found loose, by rib", Paragraph: 2, Status: domain.FigurePending}
}

// Failed returns a chart that failed after two sentences were written.
func Failed() domain.Figure {
	return domain.Figure{ID: "call 3/é", Task: "rivets", Paragraph: 1, Status: domain.FigureFailed, Problem: "the passages hold no numbers on this.", Sentences: 2}
}

// Counted returns a chart of counts in the graph.
func Counted() domain.Figure {
	f := domain.Figure{ID: "call_4", Task: "entities by label", Paragraph: 0, Status: domain.FigureDone, Chart: &domain.Chart{
		Type: domain.ChartBar, Title: "Entities by label", X: "Label", Y: "Entities", Categories: []string{"Person", "Place", "Organization"},
	}}
	s := domain.Series{Name: "Entities"}
	for i, name := range f.Chart.Categories {
		s.Points = append(s.Points, domain.Point{Category: i, Value: float64(812 - 290*i), Count: &domain.Count{Of: domain.CountEntities, Key: name}})
	}
	s.Points[2].Count = &domain.Count{Of: domain.CountMentions, Key: "courier.pdf", Document: "d-courier"}
	f.Chart.Series = []domain.Series{s}
	return f
}

// Scattered returns a scatter chart.
func Scattered() domain.Figure {
	return domain.Figure{ID: "call_5", Task: "spans and heights", Status: domain.FigureDone, Chart: &domain.Chart{
		Type: domain.ChartScatter, Title: "Spans and heights", Unit: "feet", X: "Span (feet)", Y: "Height",
		Series:    []domain.Series{{Name: "Iron", Points: []domain.Point{{X: 120, Value: 22, Citation: 1}, {X: 64.5, Value: 18, Citation: 1}}}, {Name: "Stone", Points: []domain.Point{{X: 40, Value: 16, Citation: 1}}}},
		Citations: []domain.Citation{citation(1, 3, "courier-1909-10-03.pdf", "a span of 120 feet")},
	}}
}

// OfTypes returns charts of every type, each with as many series as is
// realistic.
func OfTypes() []domain.Figure {
	var out []domain.Figure
	for i, kind := range []domain.ChartType{domain.ChartBar, domain.ChartGrouped, domain.ChartStacked, domain.ChartLine, domain.ChartArea, domain.ChartPie} {
		c := domain.Chart{Type: kind, Title: "Of the type " + string(kind), X: "Year", Y: "Output", Unit: "tons", Citations: []domain.Citation{citation(1, 3, "courier-1909-10-03.pdf", "tons")}}
		series := 1
		if kind == domain.ChartGrouped || kind == domain.ChartStacked || kind == domain.ChartLine {
			series = 8
		}
		for year := range 7 {
			c.Categories = append(c.Categories, fmt.Sprint(1905+year))
		}
		for n := range series {
			s := domain.Series{Name: fmt.Sprintf("Works %d", n+1)}
			for year := range c.Categories {
				s.Points = append(s.Points, domain.Point{Category: year, Value: float64((year*7+n*11)%17 + 3), Citation: 1})
			}
			c.Series = append(c.Series, s)
		}
		if kind == domain.ChartBar {
			c.Categories = []string{"The Pell Foundry and Iron Works", "Harrow & Kestle, Engineers", "The Orr Navigation Company", "Marrow Ford Toll", "Copper Bridge", "Lantern Bridge", "Hollow Bridge"}
		}
		out = append(out, domain.Figure{ID: "type_" + string(kind), Paragraph: i, Status: domain.FigureDone, Chart: &c})
	}
	return append(out, Scattered(), Counted())
}

func figure(f domain.Figure) partial.FigureProps {
	return partial.FigureProps{Conversation: "k1", Message: "m6", Run: "r6", Figure: f}
}

// ChartTurn returns an answer of two paragraphs with one chart done and one
// being made.
func ChartTurn(status partial.TurnStatus) partial.TurnProps {
	p := partial.TurnProps{Conversation: "k1", Message: "m6", Run: "r6", Question: "Chart the tolls and the wages at Marrow Ford.", Status: status, After: 9, Figures: []domain.Figure{Wages(), Pending()}}
	if status == partial.TurnAnswering {
		p.Text = "The tolls rose each year. [1]\n\nThe wages did"
		return p
	}
	p.Took = 4 * time.Second
	p.Sentences = []domain.Sentence{
		{Text: "The tolls rose each year.", Citations: []int{1}, Supported: true},
		{Text: "The wages did not.", Citations: []int{1}, Supported: true, Paragraph: 1},
	}
	p.Citations = []domain.Citation{citation(1, 3, "courier-1909-10-03.pdf", "the tolls of the year")}
	return p
}

// FailedChartTurn returns an answer that says in words what its chart was to
// show.
func FailedChartTurn() partial.TurnProps {
	p := ChartTurn(partial.TurnDone)
	p.Figures = []domain.Figure{Failed()}
	p.Sentences = append(p.Sentences, domain.Sentence{Text: "I am sorry, the chart could not be made; in words: seven rivets of 412 were loose.", Citations: []int{1}, Supported: true, Paragraph: 2})
	return p
}

func withCharts() page.AskProps {
	p := asking()
	trace := AnswerTrace(true)
	turn := ChartTurn(partial.TurnDone)
	turn.Figures = append([]domain.Figure{Wages()}, OfTypes()...)
	turn.Open, turn.OpenFigure = 1, "call_1"
	p.Turns, p.Trace = []partial.TurnProps{turn}, &trace
	return p
}

func withoutChart() page.AskProps {
	p := asking()
	trace := AnswerTrace(true)
	p.Turns, p.Trace = []partial.TurnProps{FailedChartTurn()}, &trace
	return p
}

// chartSource returns withCharts with the source of a chart's number open.
func chartSource() page.AskProps {
	p := withCharts()
	p.Source = &partial.SourceProps{
		Conversation: "k1", Message: "m6", Figure: "call_1", Numbers: []int{1, 2, 3}, Citation: Wages().Chart.Citations[0], About: courier(), Pages: 8, Text: Letter(),
	}
	return p
}
