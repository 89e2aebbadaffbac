// The peer of the part `xml`: fast-xml-parser, the parser that the contract's first system chose. Prints documents parsed
// and validated per second of CPU time. Usage: node fast_xml_parser.mjs FOLDER FILE, FOLDER holding node_modules.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, file] = process.argv.slice(2);
const { XMLParser, XMLValidator } = createRequire(resolve(folder, "package.json"))("fast-xml-parser");
const parser = new XMLParser({ ignoreAttributes: false });
const bytes = readFileSync(file);

function read() {
  const text = bytes.toString("utf8");
  if (XMLValidator.validate(text) !== true) throw new Error("not well-formed");
  return parser.parse(text);
}

function perSecond(count) {
  const start = process.cpuUsage();
  for (let i = 0; i < count; ++i) read();
  const { user, system } = process.cpuUsage(start);
  return (count * 1e6) / (user + system);
}

perSecond(500);
console.log(perSecond(2000));
