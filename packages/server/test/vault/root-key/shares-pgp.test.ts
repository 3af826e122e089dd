import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeDataDirectory } from '../../../../../test/support/data-directory.ts';
import { readShareFile } from '../../../src/commands/unseal.ts';
import { makeShares } from '../../../src/vault/root-key/providers/shares/make-shares.ts';
import { checkOf, parseShare, type Share } from '../../../src/vault/root-key/providers/shares/share.ts';

const ID = '0123456789abcdef';
const key = new Uint8Array(32).fill(7);

/** An operator with a keyring of the real gpg. */
class Operator {
  readonly home: string;
  readonly keyFile: string;

  constructor(name: string, options: { readonly expires?: string } = {}) {
    this.home = join(makeDataDirectory('gpg'), name);
    mkdirSync(this.home, { mode: 0o700 });
    chmodSync(this.home, 0o700);
    this.#gpg(
      '--passphrase',
      '',
      '--quick-generate-key',
      `${name}@example.com`,
      'future-default',
      'default',
      options.expires ?? 'never',
    );
    this.keyFile = join(this.home, 'public.asc');
    writeFileSync(this.keyFile, this.#gpg('--armor', '--export'));
  }

  decrypt(file: string): string {
    return this.#gpg('--decrypt', file).toString('utf8').trim();
  }

  stop(): void {
    execFileSync('gpgconf', ['--homedir', this.home, '--kill', 'gpg-agent'], { stdio: 'ignore' });
  }

  #gpg(...args: readonly string[]): Buffer {
    return execFileSync('gpg', ['--homedir', this.home, '--batch', '--quiet', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  }
}

describe('shares for PGP keys', () => {
  let [alice, bob]: Operator[] = [];
  let age = '';
  beforeAll(async () => {
    [alice, bob] = [new Operator('alice'), new Operator('bob')];
    age = await identityToRecipient(await generateIdentity());
    return () => {
      for (const operator of [alice, bob]) operator?.stop();
    };
  });

  const share = (recipients: readonly string[], directory = makeDataDirectory('shares')) =>
    makeShares(ID, 1, key, { threshold: 2, recipients, directory }).then((sharing) => ({
      sharing,
      files: readdirSync(join(directory, `${ID}-1`)).map((name) => join(directory, `${ID}-1`, name)),
    }));

  test('D654: gpg of an operator decrypts the share of this operator and no other, also beside age', async () => {
    const recipients = [alice?.keyFile, bob?.keyFile, age] as string[];
    const { sharing, files } = await share(recipients);
    expect(files.map((file) => file.replace(/.*\//, ''))).toEqual(['share-1.asc', 'share-2.asc', 'share-3.age']);
    const [first = '', second = ''] = files;
    for (const [at, operator] of [alice, bob].entries()) {
      const text = operator?.decrypt(files[at] as string) ?? '';
      expect(sharing.checks[at]).toBe(checkOf(parseShare(text) as Share));
      expect(readFileSync(files[at] as string, 'utf8')).not.toContain(text);
    }
    expect(() => alice?.decrypt(second)).toThrow();
    expect(() => bob?.decrypt(first)).toThrow();
  });

  test('D654: the command reads such a file with gpg', async () => {
    const { sharing, files } = await share([alice?.keyFile, bob?.keyFile] as string[]);
    vi.stubEnv('GNUPGHOME', bob?.home ?? '');
    const text = await readShareFile(files[1] as string, undefined).finally(() => vi.unstubAllEnvs());
    expect(sharing.checks[1]).toBe(checkOf(parseShare(text) as Share));
  });

  test('D654: one key in two files, several keys in one file, an expired key and another text are refused, and nothing is written', async () => {
    const directory = makeDataDirectory('shares');
    const copy = join(directory, 'copy.asc');
    const both = join(directory, 'both.asc');
    const other = join(directory, 'other.asc');
    const [a, b] = [alice?.keyFile, bob?.keyFile] as [string, string];
    writeFileSync(copy, readFileSync(a));
    writeFileSync(both, Buffer.concat([readFileSync(a), readFileSync(b)]));
    writeFileSync(other, 'not a key');
    const expired = new Operator('carol', { expires: 'seconds=1' });
    const tries = {
      'are the same key': copy,
      '2 keys': both,
      'gpg failed|0 keys': other,
      'age recipient nor': join(directory, 'missing'),
    };
    for (const [message, recipient] of Object.entries(tries))
      await expect(share([a, recipient], directory)).rejects.toThrow(new RegExp(message));
    await expect.poll(() => share([a, expired.keyFile]).then(String, ({ message }) => message)).toContain('expired');
    expired.stop();
    expect(readdirSync(directory).sort()).toEqual(['both.asc', 'copy.asc', 'other.asc']);
    expect((await share([a, b], directory)).files).toHaveLength(2);
  });
});
