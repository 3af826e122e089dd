import { join } from 'node:path';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { rotateRootKey } from '../../../src/vault/root-key/rotate-root-key.ts';

// Rotates the root key of the installation in a directory, one line per durable batch, until done or killed.
const directory = process.argv[2] as string;
const path = join(directory, 'root.key');
const store = await openSqlite({ file: join(directory, 'database.sqlite') });
const rotation = await rotateRootKey({
  store,
  from: fileRootKey(path),
  to: nextFileRootKey(path),
  batchSize: 3,
  onProgress: (rewrapped) => process.stdout.write(`${rewrapped}\n`),
});
await store.close();
process.stdout.write(`done ${JSON.stringify(rotation)}\n`);
