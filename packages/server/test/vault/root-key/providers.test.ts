import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { readConfig } from '../../../src/config/read-config.ts';
import { combinedRootKey } from '../../../src/vault/root-key/providers/combined.ts';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { passphraseRootKey } from '../../../src/vault/root-key/providers/passphrase.ts';
import { openRootKeys } from '../../../src/vault/root-key/providers/providers.ts';
import type { RootKeyProvider } from '../../../src/vault/root-key/root-key.ts';
import { Installation } from '../support.ts';
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

describeRootKeyProvider('combination of file and passphrase', async ({ rootKeyFile, store }) => {
  const passphrase = (text: string) => passphraseRootKey({ store: store.vault, passphrase: text, cost: 2 ** 10 });
  const both = (file: RootKeyProvider, text: string) => combinedRootKey(store.vault, file, passphrase(text));
  const wrongSecret = 'the passphrase of a stranger';
  const [today, tomorrow] = ['the passphrase of today', 'the passphrase of tomorrow'];
  return {
    node: () => both(fileRootKey(rootKeyFile), today),
    withWrongCredentials: () => both(fileRootKey(rootKeyFile), wrongSecret),
    wrongSecret,
    next: () => ({ target: both(nextFileRootKey(rootKeyFile), tomorrow), after: both(fileRootKey(rootKeyFile), tomorrow) }),
    lose: () => away(rootKeyFile),
  };
});

describe('a combination of two providers', () => {
  const passphrase = 'the passphrase of today';
  async function begin() {
    const installation = await Installation.create();
    const { store, rootKeyFile } = installation;
    const parts = [fileRootKey(rootKeyFile), passphraseRootKey({ store: store.vault, passphrase, cost: 2 ** 10 })] as const;
    return { installation, store, parts, both: combinedRootKey(store.vault, ...parts) };
  }

  test('D554: either provider alone opens nothing, and both together do', async () => {
    const { installation, parts, both } = await begin();
    const { facts } = await installation.open({ rootKeys: both });
    for (const rootKeys of parts) await expect(installation.open({ rootKeys, create: false })).rejects.toThrow(facts.rootKeyId);
    await expect(installation.open({ rootKeys: both, create: false })).resolves.toMatchObject({ facts });
  });

  test('D554: what one key wrapped alone is not accepted as wrapped by both', async () => {
    const { parts, both } = await begin();
    const combined = await both.create();
    const plain = new Uint8Array(32).fill(7);
    for (const part of parts) {
      const alone = await (await part.create()).wrap(plain, 'context');
      expect(await combined.unwrap(alone, 'context')).toBeUndefined();
    }
    const opened = await combined.unwrap(await combined.wrap(plain, 'context'), 'context');
    expect(opened?.bytes).toEqual(plain);
  });

  test('D554: the stored ids of the parts cannot be exchanged', async () => {
    const { installation, store, parts, both } = await begin();
    const { id } = await both.create();
    const other = await parts[0].create();
    const body = JSON.stringify({ version: 1, parts: [other.id, other.id] });
    installation.tamper('UPDATE settings SET body = ? WHERE name = ?', body, `vault.combined.${id}`);
    await expect(combinedRootKey(store.vault, ...parts).find(id)).rejects.toThrow('is damaged');
  });

  test.each([['file'], ['file,file'], ['file,passphrase,pkcs11'], ['file,hsm'], ['file,toString']])(
    'the setting %s is rejected with the choices',
    async (rootKeyProviders) => {
      const { store } = await begin();
      const config = readConfig({ rootKeyProviders }, {});
      expect(() => openRootKeys(config, store)).toThrow(ConfigError);
    },
  );

  test('the settings select both, in their order', async () => {
    const { store } = await begin();
    const config = readConfig(
      { rootKeyProviders: 'passphrase,file', rootKeyFile: '/keys/root' },
      { COUNTERSIGN_ROOT_PASSPHRASE: passphrase },
    );
    expect(config.rootPassphrase).toBe(passphrase);
    expect(openRootKeys(config, store).source).toBe('passphrase together with file /keys/root');
  });
});
