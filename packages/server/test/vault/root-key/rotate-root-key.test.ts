import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { access, link, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { bundleProgram } from '../../../../../test/support/bundle-program.ts';
import type { Store } from '../../../src/store/store.ts';
import { VaultError } from '../../../src/vault/errors.ts';
import { generateIntegrityKey, wrapIntegrityKey } from '../../../src/vault/integrity/integrity-key.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { passphraseRootKey } from '../../../src/vault/root-key/providers/passphrase.ts';
import type { RootKeyProvider } from '../../../src/vault/root-key/root-key.ts';
import { type RotationOptions, rotateRootKey } from '../../../src/vault/root-key/rotate-root-key.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { Installation } from '../support.ts';

const request = { kind: 'ecdsa', digest: new Uint8Array(32).fill(1) } as const;
const ORGANIZATIONS = ['org-1', 'org-2', 'org-3', 'org-4', 'org-5'];

/** These tests open hundreds of vaults, and most of that time is room for keys that they do not have. */
const small = { maxDataKeys: 10, maxKeys: 10 };

const kinds = ['file', 'passphrase'] as const;
type Kind = (typeof kinds)[number];

/** An installation with one kind of root key, about to change to another kind. */
class Move {
  readonly installation: Installation;
  readonly from: RootKeyProvider;
  readonly to: RootKeyProvider;
  /** The settings that the service is started with afterwards. */
  readonly after: RootKeyProvider;
  readonly #publicKeys = new Map<string, Uint8Array>();

  constructor(installation: Installation, from: Kind, to: Kind) {
    const passphrase = (text: string) => passphraseRootKey({ store: installation.store.vault, passphrase: text, cost: 2 ** 10 });
    this.installation = installation;
    this.from = from === 'file' ? fileRootKey(installation.rootKeyFile) : passphrase('the passphrase of yesterday');
    this.to = to === 'file' ? nextFileRootKey(installation.rootKeyFile) : passphrase('the passphrase of tomorrow');
    this.after = to === 'file' ? fileRootKey(installation.rootKeyFile) : this.to;
  }

  static async create(from: Kind, to: Kind, organizations: readonly string[] = ORGANIZATIONS): Promise<Move> {
    const move = new Move(await Installation.create(), from, to);
    const { installation } = move;
    const vault = await openVault({ store: installation.store, rootKeys: move.from, create: true, ...small });
    for (const organizationId of organizations) {
      await installation.addOrganization(vault, organizationId);
      const { publicKey, ciphertext } = await vault.keys.generatePrivateKey(organizationId, 'key', 'CURVE_SECP256K1');
      await installation.putSecret(organizationId, 'key', ciphertext);
      move.#publicKeys.set(organizationId, publicKey);
    }
    return move;
  }

  rotate(options: Partial<RotationOptions> = {}) {
    return rotateRootKey({ store: this.installation.store, from: this.from, to: this.to, batchSize: 2, ...options });
  }

  /** Starts the service and signs in every organization. */
  async serve(rootKeys = this.after): Promise<string> {
    const vault = await openVault({ store: this.installation.store, rootKeys, ...small });
    for (const [organizationId, publicKey] of this.#publicKeys) {
      await vault.keys.sign(organizationId, { kind: 'privateKey', id: 'key', curve: 'CURVE_SECP256K1' }, publicKey, [request]);
    }
    vault.close();
    return vault.facts.rootKeyId;
  }

  async expectMoved(toId: string): Promise<void> {
    expect(await this.serve()).toBe(toId);
    expect(await this.installation.store.vault.dataKeysNotUnder(toId, 10)).toEqual([]);
  }
}

const pairs = kinds.flatMap((from) => kinds.map((to) => [from, to] as const));

describe.each(pairs)('rotation from %s to %s', (from, to) => {
  test('rewraps every key, and the old root key no longer opens anything', async () => {
    const move = await Move.create(from, to);
    const before = await move.serve(move.from);
    const progress: number[] = [];
    const rotation = await move.rotate({ onProgress: (rewrapped) => void progress.push(rewrapped) });
    expect(rotation).toEqual({ fromId: before, toId: expect.not.stringMatching(before), rewrapped: 5 });
    expect(progress).toEqual([2, 4, 5]);
    await move.expectMoved(rotation.toId);
    const files = await readdir(move.installation.directory);
    expect(files.includes('root.key')).toBe(to === 'file');
    expect(files.includes('root.key.next')).toBe(false);
    expect(files.includes(`root.key.retired-${before}`)).toBe(from === 'file');
    if (from !== to || from === 'passphrase') await expect(move.serve(move.from)).rejects.toThrow(VaultError);
  });

  test('interrupted at any step leaves a service that works or says why not, and completes when run again', async () => {
    for (let step = 1; ; step++) {
      const died = await Promise.all([dieAt(from, to, step, 'before'), dieAt(from, to, step, 'after')]);
      if (!died.some(Boolean)) {
        expect(step).toBeGreaterThan(8);
        return;
      }
    }
  });
});

/** Rotates with a fault at the n-th step, starts the service, rotates again and checks everything. False without such a step. */
async function dieAt(from: Kind, to: Kind, at: number, when: 'before' | 'after'): Promise<boolean> {
  const move = await Move.create(from, to, ORGANIZATIONS.slice(0, 3));
  const { store } = move.installation;
  let steps = 0;
  /** The same object. Its functions count as steps and fail at the chosen one. */
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...values: unknown[]) => {
          const dies = ++steps === at;
          if (dies && when === 'before') throw new Error('killed');
          const result: unknown = await Reflect.apply(value, target, values);
          if (dies) throw new Error('killed');
          return result;
        };
      },
    });
  const wrapped = {
    store: { vault: mortal(store.vault), lockInstallation: store.lockInstallation, tryNamedLock: store.tryNamedLock },
    from: mortal({ ...move.from }),
    to: mortal({ ...move.to }),
  };
  const outcome = await move.rotate(wrapped).then(
    () => 'finished',
    (error: Error) => error.message,
  );
  if (outcome === 'finished') {
    expect(steps).toBeLessThan(at);
    return false;
  }
  expect(outcome).toBe('killed');

  // A file holds both keys during the rotation. Of two passphrases the service has one, and may have to refuse.
  const served = await Promise.all(
    [move.from, move.after].map((provider) =>
      move.serve(provider).then(
        () => 'works',
        (error: VaultError) => `${error.name}: ${error.message}`,
      ),
    ),
  );
  expect(
    served.every(
      (text) =>
        text === 'works' || /^VaultError: (a rotation from|root key .* does not open|.* does not provide root key)/.test(text),
    ),
  ).toBe(true);
  if (from === 'file' && to === 'file') expect(served).toEqual(['works', 'works']);
  if (!served.includes('works')) expect(served.some((text) => text.includes('has not finished'))).toBe(true);

  const { toId } = await move.rotate();
  await move.expectMoved(toId);
  return true;
}

describe('rotation', () => {
  test('is refused during another one, during maintenance, and on a database that was never started', async () => {
    const move = await Move.create('file', 'file', []);
    const { store } = move.installation;
    const other = await store.tryNamedLock('rotation', 'exclusive');
    await expect(move.rotate()).rejects.toThrow('another rotation is in progress');
    await other?.();
    const release = await store.lockInstallation('exclusive');
    await expect(move.rotate()).rejects.toThrow('maintenance is in progress');
    await release();
    await move.rotate();
    const empty = await Installation.create();
    const rotating = rotateRootKey({
      store: empty.store,
      from: fileRootKey(empty.rootKeyFile),
      to: nextFileRootKey(empty.rootKeyFile),
    });
    await expect(rotating).rejects.toThrow('has no root key yet');
  });

  test('with a root key that does not open the database changes nothing', async () => {
    const move = await Move.create('file', 'file');
    const other = fileRootKey(join(move.installation.directory, 'other.key'));
    await other.create();
    await expect(move.rotate({ from: other })).rejects.toThrow('does not open this database');
    expect(await readdir(move.installation.directory)).not.toContain('root.key.next');
    await move.serve();
  });

  test('D270: a second name of a root key, which a killed run left, is removed by the next run', async () => {
    const move = await Move.create('file', 'file');
    const { directory, rootKeyFile } = move.installation;
    await move.to.create();
    // A process that is killed between link and unlink leaves these names.
    await link(rootKeyFile, `${rootKeyFile}.0123456789abcdef.tmp`);
    await link(`${rootKeyFile}.next`, `${rootKeyFile}.next.fedcba9876543210.tmp`);
    await writeFile(join(directory, 'other.0123456789abcdef.tmp'), '');
    const { fromId } = await move.rotate();
    const files = (await readdir(directory)).filter((name) => name.includes('root.key') || name.endsWith('.tmp'));
    expect(files.sort()).toEqual(['other.0123456789abcdef.tmp', 'root.key', `root.key.retired-${fromId}`]);
    await move.serve();
  });

  test('that has started continues with the same target only', async () => {
    const move = await Move.create('passphrase', 'passphrase');
    const stop = () => {
      throw new Error('killed');
    };
    await expect(move.rotate({ onProgress: stop })).rejects.toThrow('killed');
    const another = passphraseRootKey({ store: move.installation.store.vault, passphrase: 'a third passphrase', cost: 2 ** 10 });
    await expect(move.rotate({ to: another })).rejects.toThrow('has begun');
    await expect(move.serve(move.from)).rejects.toThrow('has not finished');
    await expect(move.serve(move.to)).rejects.toThrow('has not finished');
    await move.expectMoved((await move.rotate()).toId);
  });

  test('D62: an altered data key stops it, and it continues after a repair', async () => {
    const move = await Move.create('file', 'file');
    const { installation } = move;
    const row = await installation.store.vault.dataKey('org-4');
    const altered = Uint8Array.from(row?.wrapped as Uint8Array, (byte, i) => (i === 20 ? byte ^ 1 : byte));
    installation.tamper("UPDATE data_keys SET wrapped = ? WHERE organization_id = 'org-4'", altered);
    await expect(move.rotate()).rejects.toThrow('data key of organization org-4');
    installation.tamper("UPDATE data_keys SET wrapped = ? WHERE organization_id = 'org-4'", row?.wrapped as Uint8Array);
    await move.expectMoved((await move.rotate()).toId);
  });

  test('a vault opened before keeps working, and wraps new data keys with the new root key', async () => {
    const move = await Move.create('file', 'file');
    const { installation } = move;
    const vault = await installation.open({ maxDataKeys: 1, maxKeys: 1 });
    const { toId } = await move.rotate();
    await installation.addOrganization(vault, 'org-6');
    expect((await installation.store.vault.dataKey('org-6'))?.rootKeyId).toBe(toId);
    for (const organizationId of ORGANIZATIONS) await vault.keys.generatePrivateKey(organizationId, 'another', 'CURVE_P256');
    await move.expectMoved(toId);
  });

  test('D578: waits until every serving process has the new root key, and all of them continue', async () => {
    const move = await Move.create('passphrase', 'passphrase');
    const { installation } = move;
    const reports: string[] = [];
    let isGiven = false;
    const both: RootKeyProvider = {
      ...move.from,
      find: async (id) => (await move.from.find(id)) ?? (isGiven ? move.to.find(id) : undefined),
    };
    const serving = async (store: Store, rootKeys: RootKeyProvider) => {
      const handover = { store, report: (message: string) => void reports.push(message), pollMs: 20 };
      return openVault({ store, rootKeys, ...small, handover });
    };
    const other = await installation.connect();
    const vaults = [await serving(installation.store, both), await serving(other, both)];
    const fromId = vaults[0]?.facts.rootKeyId as string;
    let isWaiting = false;
    const rotating = move.rotate({
      onWaiting: () => {
        isWaiting = true;
      },
    });
    await vi.waitFor(() => expect(reports.filter((text) => text.startsWith('a rotation waits'))).toHaveLength(2));
    expect(isWaiting).toBe(true);
    // Nothing has moved yet: a new organization gets a key under the old root key.
    await installation.addOrganization(vaults[0] as Vault, 'org-6');
    expect((await installation.store.vault.dataKey('org-6'))?.rootKeyId).toBe(fromId);
    isGiven = true;
    const { toId } = await rotating;
    for (const vault of vaults)
      for (const organizationId of [...ORGANIZATIONS, 'org-6'])
        await vault.keys.generatePrivateKey(organizationId, 'another', 'CURVE_P256');
    await installation.addOrganization(vaults[1] as Vault, 'org-7');
    expect((await installation.store.vault.dataKey('org-7'))?.rootKeyId).toBe(toId);
    await vi.waitFor(() => expect(reports.filter((text) => text.startsWith('the root key was replaced'))).toHaveLength(2));
    await move.expectMoved(toId);
    // The next one asks the same processes again.
    for (const vault of vaults) vault.close();
    await other.close();
  });

  test('D578: a process that starts during it needs both root keys', async () => {
    const move = await Move.create('passphrase', 'passphrase');
    const { store } = move.installation;
    const stop = () => {
      throw new Error('killed');
    };
    await expect(move.rotate({ onProgress: stop })).rejects.toThrow('killed');
    const handover = { store, report: () => {} };
    await expect(openVault({ store, rootKeys: move.from, ...small, handover })).rejects.toThrow('has not finished');
    const both = { ...move.from, find: async (id: string) => (await move.from.find(id)) ?? move.to.find(id) };
    const vault = await openVault({ store, rootKeys: both, ...small, handover });
    await move.rotate();
    await vault.keys.generatePrivateKey('org-1', 'another', 'CURVE_P256');
    vault.close();
  });

  test('D579: a root key that does not open the integrity key is not taken over', async () => {
    const move = await Move.create('file', 'file');
    const { installation } = move;
    const { store } = installation;
    const reports: string[] = [];
    const handover = { store, report: (message: string) => void reports.push(message), pollMs: 20 };
    const vault = await openVault({ store, rootKeys: move.from, ...small, handover });
    // Someone who can write the database and the next key file names an own root key, with an own integrity key.
    const forged = await move.to.create();
    const setting = await wrapIntegrityKey(forged, generateIntegrityKey());
    installation.tamper('UPDATE settings SET body = ? WHERE name = ?', setting.body, setting.name);
    await vi.waitFor(() => expect(reports).toContainEqual(expect.stringContaining('the integrity key was replaced')));
    expect(reports).not.toContainEqual(expect.stringContaining('the root key was replaced'));
    await installation.addOrganization(vault, 'org-6');
    expect((await store.vault.dataKey('org-6'))?.rootKeyId).toBe(vault.facts.rootKeyId);
    vault.close();
  });

  test('can be repeated', async () => {
    const move = await Move.create('file', 'file');
    const ids = new Set<string>([await move.serve()]);
    for (let round = 0; round < 3; round++) ids.add((await move.rotate()).toId);
    expect(ids.size).toBe(4);
    await move.expectMoved([...ids].at(-1) as string);
  });

  test('completes although its process is repeatedly killed at random moments', async () => {
    const organizations = Array.from({ length: 240 }, (_, i) => `org-${String(i).padStart(3, '0')}`);
    const move = await Move.create('file', 'file', organizations);
    const oldId = await move.serve();
    let kills = 0;
    for (let done = false; !done; ) {
      done = await runAndKill(move.installation.directory, kills < 4 ? randomInt(0, 16) : Number.POSITIVE_INFINITY);
      if (!done) kills++;
      await move.serve();
    }
    expect(kills).toBe(4);
    const newId = await move.serve();
    expect(newId).not.toBe(oldId);
    await move.expectMoved(newId);
    await access(join(move.installation.directory, `root.key.retired-${oldId}`));
  });
});

/** Runs the rotation in a separate process and kills it shortly after some batches. True if it had finished. */
async function runAndKill(directory: string, batches: number): Promise<boolean> {
  const script = await bundleProgram(new URL('rotate-child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  let lines = 0;
  let finished = false;
  for await (const line of createInterface(child.stdout)) {
    finished ||= line.startsWith('done');
    if (lines++ !== batches) continue;
    await setTimeout(Math.random() * 3);
    child.kill('SIGKILL');
  }
  const code = await closed;
  expect(code === 0 || child.signalCode === 'SIGKILL').toBe(true);
  return finished;
}
