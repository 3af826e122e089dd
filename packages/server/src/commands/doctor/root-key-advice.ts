import { statSync } from 'node:fs';
import { paths } from '../../config/paths.ts';
import type { Config } from '../../config/settings.ts';
import { plainKeyFile } from '../../vault/root-key/providers/providers.ts';
import type { Advice } from './advice.ts';

/**
 * Warns if the root key is in a file on the same file system as the database. Only for the embedded database: a PostgreSQL server does not
 * say where its files are.
 */
export function rootKeyAdvice(config: Config): readonly Advice[] {
  const keyFile = plainKeyFile(config);
  if (keyFile === undefined || config.databaseUrl !== undefined) return [];
  const [key, database] = [keyFile, paths.database(config)].map((path) => statSync(path, { throwIfNoEntry: false }));
  // A missing file is another finding.
  if (key === undefined || database === undefined || key.dev !== database.dev) return [];
  return [
    {
      check: 'root key',
      detail: `the root key ${keyFile} is on the same file system as the database: a copy or backup of that disk contains both, and they open every key`,
      fix: 'For real keys, move it out of reach of such a copy: see docs/guide/root-key.md, or derive it from a passphrase with COUNTERSIGN_ROOT_PASSPHRASE_FILE, or put it on another disk with --root-key-file.',
    },
  ];
}
