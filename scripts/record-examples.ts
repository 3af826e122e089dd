import { writeFile } from 'node:fs/promises';
import { recordAll } from './examples/record-all.ts';

// npm run examples: writes docs/reference/examples.json anew from a real service. Run "npm run docs" after it.
const examples = await recordAll();
await writeFile(new URL('../docs/reference/examples.json', import.meta.url), `${JSON.stringify(examples, null, 2)}\n`);
process.stdout.write(`${Object.keys(examples).length} operations recorded\n`);
