import { describe, expect, test } from 'vitest';
import { generationOf, withoutGeneration } from '../../src/store/sealed-bytes.ts';
import { unwrapDataKey } from '../../src/vault/data-key.ts';
import { purposes, tryUnseal } from '../../src/vault/envelope.ts';
import { fileRootKey, nextFileRootKey } from '../../src/vault/root-key/providers/file.ts';
import { rotateRootKey } from '../../src/vault/root-key/rotate-root-key.ts';
import { type DataKeyRotationOptions, rotateDataKeys } from '../../src/vault/rotate-data-keys.ts';
import { sealTo } from '../../src/vault/transfers/hpke.ts';
import type { Vault } from '../../src/vault/vault.ts';
import { Installation } from './support.ts';

const request = { kind: 'ecdsa', digest: new Uint8Array(32).fill(1) } as const;
const ORGANIZATIONS = ['org-1', 'org-2', 'org-3'];
const small = { maxDataKeys: 10, maxKeys: 1 };

/** An installation with a private key and a message per organization. */
class Keys {
  readonly installation: Installation;
  readonly vault: Vault;
  readonly #publicKeys = new Map<string, Uint8Array>();

  constructor(installation: Installation, vault: Vault) {
    this.installation = installation;
    this.vault = vault;
  }

  static async create(organizations = ORGANIZATIONS): Promise<Keys> {
    const installation = await Installation.create();
    const keys = new Keys(installation, await installation.open(small));
    for (const organizationId of organizations) {
      await installation.addOrganization(keys.vault, organizationId);
      await keys.addKey(organizationId, 'key');
      await keys.addMessage(organizationId);
    }
    return keys;
  }

  async addKey(organizationId: string, id: string): Promise<Uint8Array> {
    const { publicKey, ciphertext } = await this.vault.keys.generatePrivateKey(organizationId, id, 'CURVE_SECP256K1');
    await this.installation.putSecret(organizationId, id, ciphertext);
    this.#publicKeys.set(`${organizationId} ${id}`, publicKey);
    return ciphertext;
  }

  async addMessage(organizationId: string): Promise<void> {
    const ciphertext = await this.vault.outbox.seal(organizationId, 'message', `for ${organizationId}`);
    const row = { organizationId, id: 'message', state: 'kept', dueAtMs: 0, expiresAtMs: 1, attempts: 0, fault: '' } as const;
    await this.installation.store.outbox.add({ ...row, ciphertext });
  }

  rotate(options: Partial<DataKeyRotationOptions> = {}) {
    const { store, rootKeyFile } = this.installation;
    return rotateDataKeys({ store, rootKeys: fileRootKey(rootKeyFile), batchSize: 2, settleMs: 0, ...options });
  }

  /** Uses every key and message. */
  async use(vault: Vault): Promise<void> {
    for (const [name, publicKey] of this.#publicKeys) {
      const [organizationId = '', id = ''] = name.split(' ');
      await vault.keys.sign(organizationId, { kind: 'privateKey', id, curve: 'CURVE_SECP256K1' }, publicKey, [request]);
    }
    for (const { organizationId, id, ciphertext } of await this.installation.store.outbox.list('kept', 100))
      expect(await vault.outbox.open(organizationId, id, ciphertext)).toBe(`for ${organizationId}`);
  }

  async serve(): Promise<void> {
    const vault = await this.installation.open(small);
    await this.use(vault);
    vault.close();
  }

  async expectGeneration(generation: number): Promise<void> {
    const { store } = this.installation;
    expect(await store.vault.dataKeysBelow(generation, 10)).toEqual([]);
    expect(await store.vault.dataKeysInPairs(10)).toEqual([]);
    for (const organizationId of ORGANIZATIONS) {
      const secret = await store.secrets.get(organizationId, 'key');
      expect(generationOf(secret?.ciphertext as Uint8Array)).toBe(generation);
    }
    for (const { ciphertext } of await store.outbox.list('kept', 100)) expect(generationOf(ciphertext)).toBe(generation);
  }
}

describe('rotation of data keys', () => {
  test('replaces every data key, and vaults that were open before continue', async () => {
    const keys = await Keys.create();
    const progress: object[] = [];
    const rotation = await keys.rotate({ onProgress: (done) => void progress.push(done) });
    expect(rotation).toEqual({ generation: 1, dataKeys: 3, secrets: 6 });
    expect(progress.at(-1)).toEqual({ dataKeys: 3, secrets: 6 });
    await keys.expectGeneration(1);
    await keys.use(keys.vault);
    await keys.serve();
    expect(await keys.rotate()).toEqual({ generation: 2, dataKeys: 3, secrets: 6 });
    await keys.expectGeneration(2);
    await keys.use(keys.vault);
  });

  test('a vault opens secrets of both keys while it runs', async () => {
    const keys = await Keys.create();
    await keys.use(keys.vault);
    let batches = 0;
    await keys.rotate({
      batchSize: 1,
      onProgress: () => {
        batches += 1;
      },
      store: {
        ...keys.installation.store,
        recode: {
          ...keys.installation.store.recode,
          async replace(...change) {
            await keys.installation.store.recode.replace(...change);
            await keys.use(keys.vault);
          },
        },
      },
    });
    expect(batches).toBe(9);
    // The vault still has both keys of the first rotation when it meets secrets of the second.
    await keys.rotate();
    await keys.use(keys.vault);
  });

  test('D574: a secret that a process seals under the replaced key is not stored, and sealed again it is', async () => {
    const keys = await Keys.create();
    await keys.use(keys.vault);
    await keys.rotate();
    await expect(keys.addKey('org-1', 'late')).rejects.toThrow('KEY_MOVED');
    keys.vault.renewDataKey('org-1');
    expect(generationOf(await keys.addKey('org-1', 'late'))).toBe(1);
    await keys.serve();
  });

  test('D576: after both rotations, the old root key and an old copy of the database open no newer secret', async () => {
    const keys = await Keys.create();
    const { store, rootKeyFile } = keys.installation;
    const oldRow = await store.vault.dataKey('org-1');
    const oldSecret = await store.secrets.get('org-1', 'key');
    const rootKey = await fileRootKey(rootKeyFile).find(oldRow?.rootKeyId as string);
    if (oldRow === undefined || rootKey === undefined) throw new Error('no data key');
    const oldKey = await unwrapDataKey(rootKey, oldRow);
    const binding = { organizationId: 'org-1', id: 'key', purpose: purposes.CURVE_SECP256K1 };
    expect(tryUnseal(oldKey, oldSecret?.ciphertext as Uint8Array, binding)).toBeDefined();

    await rotateRootKey({ store, from: fileRootKey(rootKeyFile), to: nextFileRootKey(rootKeyFile) });
    await keys.rotate();
    keys.vault.renewDataKey('org-1');
    const newer = await keys.addKey('org-1', 'newer');
    const stored = (await store.secrets.get('org-1', 'key'))?.ciphertext as Uint8Array;
    for (const [id, ciphertext] of [['key', stored] as const, ['newer', newer] as const])
      expect(tryUnseal(oldKey, withoutGeneration(ciphertext), { ...binding, id })).toBeUndefined();
    const row = await store.vault.dataKey('org-1');
    expect(row?.previous).toHaveLength(0);
    await expect(unwrapDataKey(rootKey, { ...oldRow, wrapped: row?.wrapped as Uint8Array })).rejects.toThrow('altered or moved');
    await keys.serve();
  });

  test('D577: the row of an earlier data key, put back, opens no newer secret', async () => {
    const keys = await Keys.create();
    const { store } = keys.installation;
    const first = await store.vault.dataKey('org-1');
    await keys.rotate();
    keys.installation.tamper("UPDATE data_keys SET wrapped = ? WHERE organization_id = 'org-1'", first?.wrapped as Uint8Array);
    await expect(keys.serve()).rejects.toThrow('altered or moved');
    keys.installation.tamper("UPDATE data_keys SET generation = 0 WHERE organization_id = 'org-1'");
    await expect(keys.serve()).rejects.toThrow('not authentic');
  });

  test('D62: an altered secret stops it, and it continues after a repair', async () => {
    const keys = await Keys.create();
    const row = await keys.installation.store.secrets.get('org-2', 'key');
    const altered = Uint8Array.from(row?.ciphertext as Uint8Array, (byte, i) => (i === 20 ? byte ^ 1 : byte));
    const put = (bytes: Uint8Array) =>
      keys.installation.tamper("UPDATE secrets SET ciphertext = ? WHERE organization_id = 'org-2' AND id = 'key'", bytes);
    put(altered);
    await expect(keys.rotate()).rejects.toThrow('the stored secret of key in organization org-2');
    put(row?.ciphertext as Uint8Array);
    expect((await keys.rotate()).generation).toBe(1);
    await keys.expectGeneration(1);
    await keys.serve();
  });

  test('interrupted at any step it leaves a service that works, and completes when run again', async () => {
    for (let step = 1; ; step++) {
      const died = await Promise.all([dieAt(step, 'before'), dieAt(step, 'after')]);
      if (died.some(Boolean)) continue;
      expect(step).toBeGreaterThan(15);
      return;
    }
  });

  test('it waits for the end of a rotation of the root key', async () => {
    const keys = await Keys.create();
    const { store, rootKeyFile } = keys.installation;
    const stop = () => {
      throw new Error('killed');
    };
    const rotation = { store, from: fileRootKey(rootKeyFile), to: nextFileRootKey(rootKeyFile) };
    await expect(rotateRootKey({ ...rotation, onProgress: stop })).rejects.toThrow('killed');
    await expect(keys.rotate()).rejects.toThrow('a rotation of the root key has not finished');
    await rotateRootKey(rotation);
    expect((await keys.rotate()).generation).toBe(1);
    await keys.serve();
  });

  test('a message to a target from before it counts as unreadable, and one to a new target is read', async () => {
    const keys = await Keys.create();
    const { transfers } = keys.vault;
    const send = async (target: { readonly publicKey: Uint8Array }) => sealTo(target.publicKey, Buffer.from('123456'));
    const before = await transfers.createTarget('org-1', 'code', 'MESSAGE');
    const message = await send(before);
    expect(await transfers.openMessage('org-1', 'code', before.ciphertext, message)).toEqual(
      new Uint8Array(Buffer.from('123456')),
    );
    await keys.rotate();
    keys.vault.renewDataKey('org-1');
    expect(await transfers.openMessage('org-1', 'code', before.ciphertext, message)).toBeUndefined();
    const after = await transfers.createTarget('org-1', 'code', 'MESSAGE');
    expect(await transfers.openMessage('org-1', 'code', after.ciphertext, await send(after))).toBeDefined();
  });
});

/** Rotates with a fault at the n-th step, uses every key, rotates again and checks everything. False without such a step. */
async function dieAt(at: number, when: 'before' | 'after'): Promise<boolean> {
  const keys = await Keys.create();
  const { store } = keys.installation;
  let steps = 0;
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
  const wrapped = { ...store, vault: mortal(store.vault), recode: mortal(store.recode) };
  const outcome = await keys.rotate({ store: wrapped }).then(
    () => 'finished',
    (error: Error) => error.message,
  );
  await keys.serve();
  await keys.use(keys.vault);
  if (outcome === 'finished') return false;
  expect(outcome).toBe('killed');
  const { generation } = await keys.rotate();
  // The fault after the last write: the first run had finished.
  expect([1, 2]).toContain(generation);
  await keys.expectGeneration(generation);
  await keys.serve();
  await keys.use(keys.vault);
  return true;
}
