import { writeFile } from 'node:fs/promises';
import { keepUnchanged } from './examples/comparable.ts';
import { recordAll } from './examples/record-all.ts';
import { examplesFile, examplesText } from './reference/examples.ts';

// npm run examples: records every operation at a real service and writes the examples that differ. Run "npm run docs" after it.
const earlier = JSON.parse(await examplesText().catch(() => '{}'));
const examples = keepUnchanged(earlier, await recordAll());
await writeFile(examplesFile, `${JSON.stringify(examples, null, 2)}\n`);
const changed = Object.keys(examples).filter((name) => examples[name] !== earlier[name]);
process.stdout.write(`${Object.keys(examples).length} operations recorded; changed: ${changed.join(', ') || 'none'}\n`);
