// The peer of the part `cypher`: Kùzu. Loads CSV files into a database and prints "ready"; then, for each line of its input, a
// question's name, asks that question, prepared, and prints "SECONDS<tab>PROCESSOR SECONDS<tab>ANSWER": medians of the repeats,
// or "failed" with the message in the answer's place.
//   node kuzu.mjs FOLDER DATA REPEATS, FOLDER holding node_modules, DATA the files nodes.csv, influences.csv, uses.csv and
//   questions.json: [{ name, text, params }]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, data, repeats] = process.argv.slice(2);
const kuzu = createRequire(resolve(folder, "package.json"))("kuzu");
const connection = new kuzu.Connection(new kuzu.Database(join(data, "kuzu")));

const shown = (cell) => (cell instanceof Date ? cell.toISOString().slice(0, 7) : String(cell));

async function ask(prepared, params) {
  const result = await connection.execute(prepared, params);
  const rows = await result.getAll();
  result.close();
  return rows;
}

async function measure({ text, params }) {
  const prepared = await connection.prepare(text);
  if (!prepared.isSuccess()) throw new Error(prepared.getErrorMessage());
  let rows = await ask(prepared, params);
  const seconds = [];
  const processor = [];
  for (let i = 0; i < Number(repeats); ++i) {
    const used = process.cpuUsage();
    const start = process.hrtime.bigint();
    rows = await ask(prepared, params);
    seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
    const { user, system } = process.cpuUsage(used);
    processor.push((user + system) / 1e6);
  }
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return [median(seconds), median(processor), rows.map((row) => Object.values(row).map(shown).join(",")).join(";")];
}

for (const text of [
  "CREATE NODE TABLE Node(key INT64 PRIMARY KEY, id STRING, kind STRING, agent STRING, at TIMESTAMP)",
  "CREATE REL TABLE INFLUENCES(FROM Node TO Node)",
  "CREATE REL TABLE USED_IN(FROM Node TO Node)",
  `COPY Node FROM "${join(data, "nodes.csv")}"`,
  `COPY INFLUENCES FROM "${join(data, "influences.csv")}"`,
  `COPY USED_IN FROM "${join(data, "uses.csv")}"`,
  "CALL var_length_extend_max_depth=60000",
]) {
  await connection.query(text);
}
const questions = JSON.parse(readFileSync(join(data, "questions.json"), "utf8"));
console.log("ready");
for await (const name of createInterface({ input: process.stdin })) {
  try {
    console.log((await measure(questions.find((question) => question.name === name))).join("\t"));
  } catch (error) {
    console.log(["failed", 0, String(error.message ?? error).replace(/\s+/g, " ")].join("\t"));
  }
}
