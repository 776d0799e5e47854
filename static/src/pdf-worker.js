// Reads PDF files beside the page: pdf.js's own worker.
import "pdfjs-dist/legacy/build/pdf.worker.mjs";
