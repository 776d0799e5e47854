"""Makes the PDF and DOCX files of the sample library from the texts beside it.

Run in this folder, with the packages reportlab and python-docx installed:
    python3 build.py
"""
import datetime
import pathlib

import docx
from reportlab import rl_config
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

SRC = pathlib.Path(__file__).parent
OUT = SRC.parent / "files"
PAGE_BREAK = "---page---"

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10.5, leading=14.5, spaceAfter=7)
HEADING = ParagraphStyle("heading", fontName="Times-Bold", fontSize=12, leading=16, spaceBefore=8, spaceAfter=4)
TITLE = ParagraphStyle("title", fontName="Times-Bold", fontSize=17, leading=21, spaceAfter=10)


def blocks(path):
    """The blank-line separated blocks of a source, each as (kind, text)."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        if block == PAGE_BREAK:
            yield "page", ""
        elif block.startswith("## "):
            yield "heading", block[3:]
        elif block.startswith("# "):
            yield "title", block[2:]
        elif block.startswith("| "):
            yield "table", block
        else:
            yield "body", block


def make_pdf(path, target):
    """Sets one source as a small book: A5, page numbers, base fonts, one column."""
    parts = list(blocks(path))
    title = next(text for kind, text in parts if kind == "title")
    styles = {"body": BODY, "heading": HEADING, "title": TITLE}
    flow = [PageBreak() if kind == "page" else Paragraph(text, styles[kind]) for kind, text in parts]

    def folio(canvas, document):
        canvas.setFont("Times-Italic", 8)
        canvas.drawCentredString(A5[0] / 2, 24, f"{title}, page {document.page}")

    page = SimpleDocTemplate(str(target), pagesize=A5, title=title, author="Velmdale archive", topMargin=44, bottomMargin=44)
    page.build(flow, onFirstPage=folio, onLaterPages=folio)


def make_docx(path, target):
    """Writes one source with Word's own heading and table styles."""
    document = docx.Document()
    about = document.core_properties
    about.title, about.author, about.comments = next(blocks(path))[1], "Velmdale archive", ""
    about.created = about.modified = datetime.datetime(2020, 1, 1)
    for kind, text in blocks(path):
        if kind == "table":
            add_table(document, text)
        elif kind == "body":
            document.add_paragraph(text)
        else:
            document.add_heading(text, level=0 if kind == "title" else 1)
    document.save(target)


def add_table(document, text):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n")]
    table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Light Grid")
    for row, cells in zip(table.rows, rows):
        for cell, words in zip(row.cells, cells):
            cell.text = words


def main():
    rl_config.invariant = 1  # no date and no random identifier: the same bytes each time
    rl_config.useA85 = 0
    make = {".pdf": make_pdf, ".docx": make_docx}
    for path in sorted(SRC.glob("*.txt")):
        target = OUT / path.stem
        make[target.suffix](path, target)
        print(target.name, target.stat().st_size)


if __name__ == "__main__":
    main()
