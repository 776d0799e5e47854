// Writes a CycloneDX list of what is in the binary and in the bundled scripts and styles, and
// prints how many components each licence has. Fails if a component's licence is not recognised.
//   node .ci/sbom.mjs BINARY PACKAGE-LOCK OUTPUT
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [binary, lockFile, output] = process.argv.slice(2);
const go = (...args) => execFileSync("go", args, { encoding: "utf8", maxBuffer: 1 << 26 });
const words = (text) => text.replace(/\s+/g, " ");

// The texts by which a licence is recognised, the most specific first.
const texts = [
  ["Apache-2.0", "Apache License Version 2.0"],
  ["MPL-2.0", "Mozilla Public License Version 2.0"],
  ["MPL-2.0", "Mozilla Public License, version 2.0"],
  ["BSD-3-Clause", "Neither the name"],
  ["BSD-3-Clause", "names of its contributors may be used"],
  ["BSD-2-Clause", "Redistribution and use in source and binary forms"],
  ["ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"],
  ["ISC", "Permission to use, copy, modify, and distribute this software for any purpose"],
  ["MIT", "Permission is hereby granted, free of charge"],
];

function licenceIn(folder) {
  for (const name of readdirSync(folder).filter((n) => /^(licen[cs]e|copying|unlicense)/i.test(n)).sort()) {
    const text = words(readFileSync(join(folder, name), "utf8"));
    const found = texts.find(([, part]) => text.includes(part));
    if (found) return found[0];
  }
}

function modules() {
  const info = JSON.parse(go("version", "-m", "-json", binary));
  const deps = info.Deps.map((d) => d.Replace ?? d);
  const folders = new Map(
    go("list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all").trim().split("\n").map((line) => line.split("\t")),
  );
  const version = info.GoVersion.replace("go", "");
  const std = { name: "stdlib", version, purl: `pkg:golang/stdlib@${version}`, licence: "BSD-3-Clause" };
  return [std, ...deps.map((d) => ({
    name: d.Path, version: d.Version, purl: `pkg:golang/${d.Path}@${d.Version}`,
    licence: folders.get(d.Path) ? licenceIn(folders.get(d.Path)) : undefined,
  }))];
}

function packages() {
  const { packages: all } = JSON.parse(readFileSync(lockFile, "utf8"));
  return Object.entries(all).filter(([path]) => path).map(([path, p]) => {
    const name = path.split("node_modules/").pop();
    return { name, version: p.version, purl: `pkg:npm/${name.replace("@", "%40")}@${p.version}`, licence: p.license };
  });
}

const all = [...modules(), ...packages()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
writeFileSync(output, JSON.stringify({
  bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
  metadata: { component: { type: "application", name: "clew" } },
  components: all.map((c) => ({
    type: "library", "bom-ref": c.purl, name: c.name, version: c.version, purl: c.purl,
    ...(c.licence && { licenses: [/^[\w.-]+$/.test(c.licence) ? { license: { id: c.licence } } : { expression: c.licence }] }),
  })),
}, null, 2) + "\n");

const counts = {};
for (const c of all) (counts[c.licence ?? "unknown"] ??= []).push(c.name);
for (const [licence, names] of Object.entries(counts).sort()) console.log(`  ${licence}: ${names.length}`);
console.log(`  ${all.length} components are listed in ${output}`);
if (counts.unknown) {
  console.error(`Not recognised: ${counts.unknown.join(", ")}. Read their licences and add what identifies them to .ci/sbom.mjs.`);
  process.exit(1);
}
