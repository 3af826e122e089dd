import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a word behind the language of a block says about it. A block of commands without a word is parsed, not run. */
export const words: Readonly<Record<string, string>> = {
  run: 'run in order, by one shell, against a real service',
  refused: 'run after them; the service refuses it',
  parsed: 'its commands and flags exist; it needs files of the reader',
  service: 'starts the service that the test provides',
  backup: 'run in order by the test of the backup guide, in an empty folder',
  restored: 'run by the same test, against the restored service',
  dev: 'is for the treasury of "countersign dev", which has a test of its own',
  client: 'a part of a program that has a client; run and type-checked',
  program: 'a whole program; run against a real service',
  published: 'a part of a program with the published packages; run by test/interop',
  app: 'a file of the application in test/wallet-kit, which runs in Chromium',
  browser: 'a part of a page; run with passkeys in software',
};

export interface GuideBlock {
  readonly file: string;
  readonly language: string;
  readonly word: string;
  readonly code: string;
}

const root = join(import.meta.dirname, '../../..');

/** Every block of code in the README and in the guides. */
export function readGuideBlocks(): GuideBlock[] {
  const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);
  return ['README.md', 'docs/README.md', ...guides.sort()].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^( *)```(\w*) ?(\w*)\n([\s\S]*?)^ *```$/gm)].map(
      ([, indent = '', language = '', word = '', code = '']) => ({
        file,
        language,
        word,
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  );
}
