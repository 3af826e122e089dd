import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { passphraseRootKey } from '../../../src/vault/root-key/providers/passphrase.ts';
import { describeRootKeyProvider } from './provider-suite.ts';

const away = async (path: string) => {
  await rename(path, `${path}.away`);
  return () => rename(`${path}.away`, path);
};

describeRootKeyProvider('file', async ({ directory, rootKeyFile }) => {
  const wrongSecret = 'ab'.repeat(32);
  const other = join(directory, 'other.key');
  await writeFile(other, wrongSecret, { mode: 0o600 });
  return {
    node: () => fileRootKey(rootKeyFile),
    withWrongCredentials: () => fileRootKey(other),
    wrongSecret,
    next: () => ({ target: nextFileRootKey(rootKeyFile), after: fileRootKey(rootKeyFile) }),
    lose: () => away(rootKeyFile),
  };
});

describeRootKeyProvider('passphrase', async ({ directory, store }) => {
  const file = join(directory, 'passphrase');
  const nextFile = join(directory, 'next-passphrase');
  await writeFile(file, 'the passphrase of today\n', { mode: 0o600 });
  await writeFile(nextFile, 'the passphrase of tomorrow\n', { mode: 0o600 });
  const open = (passphrase: string | { file: string }) => passphraseRootKey({ store: store.vault, passphrase, cost: 2 ** 10 });
  const wrongSecret = 'the passphrase of a stranger';
  return {
    node: () => open({ file }),
    withWrongCredentials: () => open(wrongSecret),
    wrongSecret,
    next: () => ({ target: open({ file: nextFile }), after: open({ file: nextFile }) }),
    lose: () => away(file),
  };
});
