package parse

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
)

// readSheets reads an Excel workbook: of each sheet the rows, which a blank row
// parts into tables, with values as they are shown. It leaves out hidden sheets.
func readSheets(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "workbook", maxExpanded)
	if err != nil {
		return err
	}
	if err := files.unpacks(); err != nil { // the library would find out too late
		return err
	}
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: maxExpanded, UnzipXMLSizeLimit: maxExpanded, // a file that it has no room for would go to the disk
		MaxCalcIterations: 1,
	})
	if err != nil {
		return damagedPackage("workbook", err)
	}
	defer book.Close()
	if props, err := book.GetDocProps(); err == nil {
		w.name(props.Title)
		w.know(domain.Facts{Author: props.Creator, Published: props.Created, Language: props.Language})
	}
	parts, err := sheetParts(ctx, files)
	if err != nil {
		return err
	}
	looks, err := readSheetLooks(ctx, files, path.Dir(files.mainPart("xl/workbook.xml"))+"/", w.keepStruck)
	if err != nil {
		return err
	}
	s := sheetReader{ctx: ctx, w: w, book: book, formulas: maxFormulas, looks: looks}
	hidden := 0
	for _, name := range book.GetSheetList() {
		if visible, err := book.GetSheetVisible(name); err == nil && !visible {
			hidden++
			continue
		}
		if err := s.read(name, files, parts[name]); err != nil {
			return err
		}
		if err := drawings(ctx, w, files, parts[name]); err != nil {
			return err
		}
	}
	if hidden > 0 {
		w.warn(fmt.Sprintf("%s hidden and left out.", domain.Counted(hidden, "sheet is", "sheets are")))
	}
	if s.left > 0 {
		w.warn(fmt.Sprintf("%s without a value stored in the file could not be calculated and were left out.", domain.Counted(s.left, "formula", "formulas")))
	}
	return ctx.Err()
}

// unpacks reads all parts within the bounds of the package.
func (p *zipPackage) unpacks() error {
	left := p.left
	for name := range p.files {
		if _, err := p.read(name); err != nil {
			return err
		}
	}
	p.left = left
	return nil
}

// sheetParts returns the parts of the sheets by name.
func sheetParts(ctx context.Context, files *zipPackage) (map[string]string, error) {
	main := files.mainPart("xl/workbook.xml")
	related, err := files.related(ctx, main)
	if err != nil {
		return nil, err
	}
	parts := make(map[string]string)
	err = files.each(ctx, main, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "sheet" && len(parts) < maxSheets {
			parts[attr(e, "name")] = related[relationID(e)].part
		}
		return nil
	})
	return parts, err
}

// The bounds of a workbook: its sheets, the formulas that are calculated, and
// the formulas of a sheet in all, which a formula may refer to.
const (
	maxSheets   = 1000
	maxFormulas = 1000
	maxReferred = 20_000
)

type sheetReader struct {
	ctx      context.Context
	w        *writer
	book     *excelize.File
	formulas int // that may still be calculated
	left     int // formulas left out
	looks    *sheetLooks
}

// read adds a sheet.
func (s *sheetReader) read(name string, files *zipPackage, part string) error {
	data, err := partOf(files, part)
	if err != nil {
		return err
	}
	values := s.calculated(name, data)
	looks, err := s.looksOf(files, part, data)
	if err != nil {
		return err
	}
	rows, err := s.book.Rows(name)
	if err != nil {
		return nil // a sheet of a chart has no rows
	}
	defer rows.Close()
	title := shorten(tidyLine(name), 100)
	s.w.unit(domain.UnitRow, title, 0)
	s.w.heading(1, name)
	t := sheetTable{tableWriter: tableWriter{w: s.w, name: title}, merges: mergesOf(data)}
	for number := 1; rows.Next(); number++ {
		cells, err := rows.Columns()
		if err != nil {
			return damagedPackage("workbook", err)
		}
		for column, value := range values[number] {
			for len(cells) < column {
				cells = append(cells, "")
			}
			cells[column-1] = value
		}
		for column, look := range looks[number] {
			if column <= len(cells) {
				cells[column-1] = look.of(cells[column-1], s.w.keepStruck)
			}
		}
		t.add(number, cells)
		if number%1024 == 0 && (s.ctx.Err() != nil || t.over()) {
			break
		}
	}
	t.end()
	if err := rows.Error(); err != nil {
		return damagedPackage("workbook", err)
	}
	return s.ctx.Err()
}

// partOf returns the whole of a part, nil if there is none.
func partOf(files *zipPackage, part string) ([]byte, error) {
	if !files.has(part) {
		return nil, nil
	}
	return files.read(part)
}

// looksOf returns the looks of the cells of a sheet.
func (s *sheetReader) looksOf(files *zipPackage, part string, data []byte) (map[int]map[int]cellLook, error) {
	if s.looks.none() && !bytes.Contains(data, []byte("inlineStr")) {
		return nil, nil
	}
	return s.looks.cells(s.ctx, files, part)
}

// uncached finds formulas without a value beside them, as programs write them
// that don't calculate.
var uncached = regexp.MustCompile(`<c\s[^<>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^<>]*>\s*<f[^<>]*>[^<]*</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>`)

// calculated returns the values of formulas that have none in the file, by row
// and column.
func (s *sheetReader) calculated(name string, data []byte) map[int]map[int]string {
	found := uncached.FindAllSubmatch(data, -1)
	if len(found) > 0 && bytes.Count(data, []byte("<f")) > maxReferred {
		s.left += len(found)
		return nil
	}
	values := make(map[int]map[int]string)
	for _, m := range found {
		cell := string(m[1])
		column, row, err := excelize.CellNameToCoordinates(cell)
		if err != nil || s.formulas == 0 || s.ctx.Err() != nil {
			s.left++
			continue
		}
		s.formulas--
		value, err := s.book.CalcCellValue(name, cell)
		if err != nil || strings.HasPrefix(value, "#") {
			s.left++
			continue
		}
		if values[row] == nil {
			values[row] = make(map[int]string)
		}
		if column <= maxCells {
			values[row][column] = value
		}
	}
	return values
}
