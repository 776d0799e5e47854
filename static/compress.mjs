// Writes each built text file twice, compressed once for all readers, in place of the file itself,
// which the program unpacks: with brotli as .br, with gzip as .gz.
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dir = "static/dist/";
for (const name of readdirSync(dir).filter((n) => /\.(css|js|svg)$/.test(n))) {
  const content = readFileSync(dir + name);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(dir + name + ".br", brotliCompressSync(content, { params }));
  writeFileSync(dir + name + ".gz", gzipSync(content, { level: 9 }));
  unlinkSync(dir + name);
}
