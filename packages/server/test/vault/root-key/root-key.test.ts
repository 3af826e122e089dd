import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VaultError } from '../../../src/vault/errors.ts';
import { INTEGRITY_KEY_SETTING } from '../../../src/vault/integrity/integrity-key.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { keyFileObjection } from '../../../src/vault/root-key/providers/key-file.ts';
import { MIN_PASSPHRASE_LENGTH, passphraseRootKey } from '../../../src/vault/root-key/providers/passphrase.ts';
import { localRootKey } from '../../../src/vault/root-key/root-key.ts';
import { fromHex, Installation, temporaryDirectory } from '../support.ts';

const PASSPHRASE = 'correct horse battery staple';
const LOW_COST = 2 ** 10;

describe('the root key file', () => {
  test('is created on first run: 32 bytes in hex, for its owner only, without leftover files', async () => {
    const directory = join(await temporaryDirectory(), 'data');
    const path = join(directory, 'root.key');
    const { id } = await fileRootKey(path).create();
    expect(await readFile(path, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await readdir(directory)).toEqual(['root.key']);
    expect(await fileRootKey(path).ids()).toEqual([id]);
    expect((await fileRootKey(path).find(id))?.id).toBe(id);
    expect(await fileRootKey(path).find('0123456789abcdef')).toBeUndefined();
    expect((await fileRootKey(path).create()).id).toBe(id);
  });

  test('concurrent creators get the same key', async () => {
    const path = join(await temporaryDirectory(), 'root.key');
    const keys = await Promise.all(Array.from({ length: 20 }, () => fileRootKey(path).create()));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect(await fileRootKey(path).ids()).toEqual([keys[0]?.id]);
  });

  test('is read through a symbolic link, and with or without a line end', async () => {
    const directory = await temporaryDirectory();
    const expected = localRootKey(fromHex('ab'.repeat(32))).id;
    for (const end of ['', '\n', '\r\n']) {
      await writeFile(join(directory, 'kept.key'), `${'aB'.repeat(32)}${end}`, { mode: 0o600 });
      await rm(join(directory, 'root.key'), { force: true });
      await symlink(join(directory, 'kept.key'), join(directory, 'root.key'));
      expect(await fileRootKey(join(directory, 'root.key')).ids()).toEqual([expected]);
    }
  });

  test('an id reveals nothing about its key and distinguishes keys', () => {
    expect(localRootKey(new Uint8Array(32)).id).toMatch(/^[0-9a-f]{16}$/);
    expect(localRootKey(new Uint8Array(32)).id).not.toBe(localRootKey(new Uint8Array(32).fill(1)).id);
    expect('ab'.repeat(32)).not.toContain(localRootKey(fromHex('ab'.repeat(32))).id);
  });

  test.each([
    ['open to the group', 0o640],
    ['open to everyone', 0o604],
    ['writable by the group', 0o620],
  ])('a file that is %s is refused with the fix', async (_, mode) => {
    const path = join(await temporaryDirectory(), 'root.key');
    await fileRootKey(path).create();
    await chmod(path, mode);
    await expect(fileRootKey(path).ids()).rejects.toMatchObject({
      message: expect.stringContaining(`mode 0${mode.toString(8)}`),
      fix: expect.stringContaining(`chmod 600 ${path}`),
    });
  });

  test('a file of another user is refused; a file of root is accepted', () => {
    const file = { isFile: () => true, mode: 0o100600 };
    expect(keyFileObjection('k', { ...file, uid: 1001 }, 1000)).toMatchObject({
      message: expect.stringContaining('1001'),
      fix: 'chown 1000 k',
    });
    expect(keyFileObjection('k', { ...file, uid: 1000 }, 1000)).toBeUndefined();
    expect(keyFileObjection('k', { ...file, uid: 0 }, 1000)).toBeUndefined();
  });

  test.each([
    ['empty', ''],
    ['too short', 'ab'.repeat(31)],
    ['too long', 'ab'.repeat(33)],
    ['not hex', 'xy'.repeat(32)],
    ['followed by something', `${'ab'.repeat(32)}\n\n`],
    ['preceded by something', ` ${'ab'.repeat(32)}`],
  ])('a file that is %s is refused', async (_, content) => {
    const path = join(await temporaryDirectory(), 'root.key');
    await writeFile(path, content, { mode: 0o600 });
    await expect(fileRootKey(path).ids()).rejects.toThrow('64 hex digits');
    await expect(fileRootKey(path).create()).rejects.toThrow('64 hex digits');
    expect(await readFile(path, 'latin1')).toBe(content);
  });

  test('anything but a regular file is refused, also behind a link, without blocking', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'directory'));
    execFileSync('mkfifo', ['-m', '600', join(directory, 'pipe')]);
    await symlink('/dev/null', join(directory, 'device'));
    for (const name of ['directory', 'pipe', 'device']) {
      await expect(fileRootKey(join(directory, name)).ids()).rejects.toThrow('not a regular file');
    }
  });

  test('a path that cannot be read or written is refused with the fix', async () => {
    const path = join(await temporaryDirectory(), 'file');
    await writeFile(path, '');
    await expect(fileRootKey(join(path, 'root.key')).ids()).rejects.toMatchObject({
      message: expect.stringContaining('ENOTDIR'),
      fix: expect.any(String),
    });
    await expect(fileRootKey(join(path, 'root.key')).create()).rejects.toThrow(VaultError);
  });
});

describe('opening a database', () => {
  test('nodes that start concurrently on a new database agree', async () => {
    const installation = await Installation.create();
    const vaults = await Promise.all(Array.from({ length: 5 }, () => installation.open()));
    const macs = vaults.map(({ integrity }) => Buffer.from(integrity.head('org', 1, 0n, 0n)).toString('hex'));
    expect(new Set(macs).size).toBe(1);
    expect(new Set(vaults.map(({ facts }) => facts.rootKeyId)).size).toBe(1);
  });

  test('fault 14: a wrong root key is refused, and both keys are named', async () => {
    const installation = await Installation.create();
    const { facts } = await installation.open();
    const other = await fileRootKey(join(installation.directory, 'other.key')).create();
    await expect(installation.open({ rootKeys: fileRootKey(join(installation.directory, 'other.key')) })).rejects.toMatchObject({
      message: `root key ${other.id} does not open this database, which was created with ${facts.rootKeyId}`,
      fix: expect.stringContaining(facts.rootKeyId),
    });
  });

  test('fault 14: a missing root key is refused, and no new one is made', async () => {
    const installation = await Installation.create();
    const { facts } = await installation.open();
    await rm(installation.rootKeyFile);
    await expect(installation.open()).rejects.toThrow(`does not provide root key ${facts.rootKeyId}`);
    expect(await readdir(installation.directory)).not.toContain('root.key');
  });

  test('D62: an altered integrity key is refused', async () => {
    const installation = await Installation.create();
    await installation.open();
    const setting = await installation.store.vault.setting(INTEGRITY_KEY_SETTING);
    const body = JSON.parse(setting?.body as string) as { wrapped: string };
    const wrapped = Buffer.from(body.wrapped, 'base64');
    wrapped[30] = (wrapped[30] as number) ^ 1;
    const write = (text: string) =>
      installation.tamper('UPDATE settings SET body = ? WHERE name = ?', text, INTEGRITY_KEY_SETTING);
    for (const text of [JSON.stringify({ ...body, wrapped: wrapped.toString('base64') }), '{}', 'nonsense']) {
      write(text);
      await expect(installation.open()).rejects.toThrow('its row was altered');
    }
    write(setting?.body as string);
    await expect(installation.open()).resolves.toBeDefined();
  });

  test('D62: a database without its integrity key is not treated as new', async () => {
    const installation = await Installation.create();
    await installation.addOrganization(await installation.open(), 'org');
    installation.tamper('DELETE FROM settings');
    await expect(installation.open()).rejects.toThrow('data keys but no integrity key');
  });
});

describe('a passphrase', () => {
  const start = async () => {
    const installation = await Installation.create();
    const provider = (passphrase: string | { file: string }) =>
      passphraseRootKey({ store: installation.store.vault, passphrase, cost: LOW_COST });
    const open = (passphrase: string | { file: string }) =>
      openVault({ store: installation.store, rootKeys: provider(passphrase), create: true });
    return { installation, open };
  };

  test('opens its database, from a value and from a file, in any Unicode composition', async () => {
    const { installation, open } = await start();
    const { facts } = await open('zwölf Boxkämpfer jagen');
    expect((await open('zwo\u0308lf Boxka\u0308mpfer jagen')).facts).toEqual(facts);
    const file = join(installation.directory, 'passphrase');
    await writeFile(file, 'zwölf Boxkämpfer jagen\n');
    expect((await open({ file })).facts).toMatchObject({
      rootKeyId: facts.rootKeyId,
      rootKeySource: `passphrase in file ${file}`,
    });
    expect(await readdir(installation.directory)).not.toContain('root.key');
  });

  test('a wrong passphrase is refused', async () => {
    const { open } = await start();
    const { facts } = await open(PASSPHRASE);
    await expect(open('correct horse battery stapler')).rejects.toMatchObject({
      message: `passphrase does not provide root key ${facts.rootKeyId}, which this database was created with`,
      fix: expect.stringContaining('the right passphrase'),
    });
  });

  test('a short passphrase creates no database', async () => {
    const { open } = await start();
    await expect(open('x'.repeat(MIN_PASSPHRASE_LENGTH - 1))).rejects.toThrow(`fewer than ${MIN_PASSPHRASE_LENGTH} characters`);
    await expect(open('x'.repeat(MIN_PASSPHRASE_LENGTH))).resolves.toBeDefined();
  });

  test('a missing file is refused', async () => {
    const { open } = await start();
    await expect(open({ file: '/nonexistent/passphrase' })).rejects.toThrow('cannot be read');
  });

  test('nodes that start concurrently agree', async () => {
    const { open } = await start();
    const vaults = await Promise.all([open(PASSPHRASE), open(PASSPHRASE), open(PASSPHRASE)]);
    expect(new Set(vaults.map(({ facts }) => facts.rootKeyId)).size).toBe(1);
  });

  test('by default guesses are expensive', async () => {
    const { installation } = await start();
    const { id } = await passphraseRootKey({ store: installation.store.vault, passphrase: PASSPHRASE }).create();
    const setting = await installation.store.vault.setting(`vault.passphrase.${id}`);
    expect(JSON.parse(setting?.body as string)).toEqual({
      version: 1,
      kdf: 'scrypt',
      N: 131072,
      r: 8,
      p: 1,
      salt: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test('D62: parameters that were made cheap, expensive or invalid are refused', async () => {
    const { installation, open } = await start();
    const { facts } = await open(PASSPHRASE);
    const name = `vault.passphrase.${facts.rootKeyId}`;
    const body = JSON.parse((await installation.store.vault.setting(name))?.body as string) as object;
    for (const change of [{ N: 2 }, { N: 2 ** 30 }, { N: 20000 }, { r: 1 }, { p: 64 }, { salt: 'aa' }, { kdf: 'none' }]) {
      installation.tamper('UPDATE settings SET body = ? WHERE name = ?', JSON.stringify({ ...body, ...change }), name);
      await expect(open(PASSPHRASE)).rejects.toThrow('is damaged');
    }
    installation.tamper('UPDATE settings SET body = ? WHERE name = ?', JSON.stringify({ ...body, salt: 'ab'.repeat(16) }), name);
    await expect(open(PASSPHRASE)).rejects.toThrow(VaultError);
  });
});
