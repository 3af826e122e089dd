import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailPalette } from './look/mail-palette.ts';

/** Writes the look of mails from the tokens of the console. */
const root = join(import.meta.dirname, '..');
const tokens = readFileSync(join(root, 'packages/console/src/look/tokens.css'), 'utf8');
writeFileSync(join(root, 'packages/server/src/notify/mail/palette.ts'), mailPalette(tokens));
