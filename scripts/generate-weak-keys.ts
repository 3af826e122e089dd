import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { weakKeysModule } from './weak-keys/weak-keys-module.ts';

/**
 * Writes the table of public keys whose private keys everyone knows, or with `--check` compares it with the one in the repository. It
 * contains public data only, and takes two minutes.
 */
const path = fileURLToPath(new URL('../packages/server/src/auth/api-key/weak-keys-table.ts', import.meta.url));
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const table = weakKeysModule();
if (!values.check) writeFileSync(path, table);
else if (readFileSync(path, 'utf8') !== table) throw new Error(`${path} is not what npm run weak-keys writes.`);
