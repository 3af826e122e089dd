import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { weakKeysModule } from './weak-keys/weak-keys-module.ts';

/** Writes the table of public keys whose private keys everyone knows. It contains public data only, and takes half a minute. */
const path = fileURLToPath(new URL('../packages/server/src/auth/api-key/weak-keys-table.ts', import.meta.url));
writeFileSync(path, weakKeysModule());
