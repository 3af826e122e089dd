import { randomBytes } from 'node:crypto';
import { OperatorError } from '@countersign/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RootKeyUnavailable } from '../../../src/vault/errors.ts';
import type { VaultOptions } from '../../../src/vault/open-vault.ts';
import type { RootKeyState } from '../../../src/vault/root-key/availability.ts';
import type { RootKey, RootKeyProvider } from '../../../src/vault/root-key/root-key.ts';
import { rotateRootKey } from '../../../src/vault/root-key/rotate-root-key.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { Installation } from '../support.ts';

/** A root key provider with everything that the suite does to it. */
export interface Custody {
  /** The provider of one more node. */
  node(): RootKeyProvider;
  /** The provider with credentials that must not open the key. */
  withWrongCredentials(): RootKeyProvider;
  /** A part of the wrong credentials that no message may contain. */
  readonly wrongSecret: string;
  /** The target of a rotation, and the provider that the service starts with afterwards. */
  next(): { readonly target: RootKeyProvider; readonly after: RootKeyProvider };
  /** Takes the key away: the file, the token, the service. The result brings it back. */
  lose(): Promise<() => Promise<void>>;
  /** Makes the provider accept calls without an answer. The result ends that. Absent if the key is in this process. */
  stall?(): Promise<() => Promise<void>>;
}

const request = { kind: 'ecdsa', digest: new Uint8Array(32).fill(1) } as const;

/** An installation whose root key the provider holds. */
class World {
  readonly installation: Installation;
  readonly custody: Custody;
  readonly #publicKeys = new Map<string, Uint8Array>();

  constructor(installation: Installation, custody: Custody) {
    this.installation = installation;
    this.custody = custody;
  }

  async open(rootKeys: RootKeyProvider, options: Partial<VaultOptions> = {}): Promise<Vault> {
    const vault = await this.installation.open({ rootKeys, create: false, maxKeys: 10, maxDataKeys: 10, ...options });
    onTestFinished(() => vault.close());
    return vault;
  }

  async addOrganization(vault: Vault, organizationId: string): Promise<void> {
    await this.installation.addOrganization(vault, organizationId);
    const { publicKey, ciphertext } = await vault.keys.generatePrivateKey(organizationId, 'key', 'CURVE_SECP256K1');
    await this.installation.putSecret(organizationId, 'key', ciphertext);
    this.#publicKeys.set(organizationId, publicKey);
  }

  sign(vault: Vault, organizationId: string) {
    const publicKey = this.#publicKeys.get(organizationId) as Uint8Array;
    return vault.keys.sign(organizationId, { kind: 'privateKey', id: 'key', curve: 'CURVE_SECP256K1' }, publicKey, [request]);
  }
}

/** Every root key provider passes this suite. It states what the vault may rely on. */
export function describeRootKeyProvider(name: string, setUp: (installation: Installation) => Promise<Custody>): void {
  const begin = async () => {
    const installation = await Installation.create();
    return new World(installation, await setUp(installation));
  };

  /** A world with one open node and two organizations. */
  const serve = async (options: Partial<VaultOptions> = {}) => {
    const world = await begin();
    const vault = await world.open(world.custody.node(), { create: true, ...options });
    for (const organizationId of ['org-1', 'org-2']) await world.addOrganization(vault, organizationId);
    return { world, vault };
  };

  const findKey = async ({ custody }: World, id: string) => {
    const key = (await custody.node().find(id)) as RootKey;
    onTestFinished(() => key.wipe());
    return key;
  };

  describe(`root key provider: ${name}`, () => {
    test('create: the first run makes a key with an id of 16 hex digits, and repeats find it', async () => {
      const { custody } = await begin();
      const { id, wipe } = await custody.node().create();
      wipe();
      expect(id).toMatch(/^[0-9a-f]{16}$/);
      expect((await custody.node().find(id))?.id).toBe(id);
      expect(await custody.node().find('0123456789abcdef')).toBeUndefined();
    });

    test('open: another node opens the database with the same key, and signs', async () => {
      const { world, vault } = await serve();
      const second = await world.open(world.custody.node());
      expect(second.facts.rootKeyId).toBe(vault.facts.rootKeyId);
      await expect(world.sign(second, 'org-1')).resolves.toHaveLength(1);
    });

    test('wrap, unwrap: bound to the context and to every byte, and never twice the same', async () => {
      const { world, vault } = await serve();
      const key = await findKey(world, vault.facts.rootKeyId);
      const plain = randomBytes(32);
      const wrapped = await key.wrap(plain, 'this context');
      expect(Buffer.from(wrapped).includes(plain)).toBe(false);
      expect(Buffer.from(await key.wrap(plain, 'this context')).equals(wrapped)).toBe(false);
      const opened = await key.unwrap(wrapped, 'this context');
      expect(Buffer.from(opened?.bytes as Uint8Array).equals(plain)).toBe(true);
      expect(await key.unwrap(wrapped, 'another context')).toBeUndefined();
      for (const at of [0, wrapped.length >> 1, wrapped.length - 1]) {
        const altered = Uint8Array.from(wrapped);
        altered[at] = (altered[at] as number) ^ 1;
        expect(await key.unwrap(altered, 'this context')).toBeUndefined();
      }
      expect(await key.unwrap(wrapped.subarray(0, 5), 'this context')).toBeUndefined();
      expect(await key.unwrap(new Uint8Array(), 'this context')).toBeUndefined();
    });

    test('rotate: another key of the same provider takes over, and the service opens everything with it', async () => {
      const { world, vault } = await serve();
      const before = vault.facts.rootKeyId;
      vault.close();
      const { target, after } = world.custody.next();
      const { fromId, toId, rewrapped } = await rotateRootKey({
        store: world.installation.store,
        from: world.custody.node(),
        to: target,
      });
      expect({ fromId, rewrapped }).toEqual({ fromId: before, rewrapped: 2 });
      expect(toId).not.toBe(before);
      const next = await world.open(after);
      expect(next.facts.rootKeyId).toBe(toId);
      await expect(world.sign(next, 'org-2')).resolves.toHaveLength(1);
    });

    test('health: the vault reports that its root key is available', async () => {
      const { vault } = await serve({ rootKeyCheckMs: 5 });
      expect(vault.rootKey()).toEqual({ status: 'available' });
    });

    test('loss and return: a node does not start without the key, creates nothing, and starts when it is back', async () => {
      const { world, vault } = await serve();
      const giveBack = await world.custody.lose();
      await expect(world.open(world.custody.node(), { create: true })).rejects.toSatisfy(isHelpful);
      await giveBack();
      const again = await world.open(world.custody.node(), { create: true });
      expect(again.facts.rootKeyId).toBe(vault.facts.rootKeyId);
      await expect(world.sign(again, 'org-1')).resolves.toHaveLength(1);
    });

    test('loss and return: a running node reports the loss, or does not notice it, and signs again without a restart', async () => {
      const states: RootKeyState['status'][] = [];
      const { world, vault } = await serve({
        rootKeyCheckMs: 5,
        rootKeyGraceMs: 0,
        onRootKey: ({ status }) => void states.push(status),
      });
      const { isRemote } = await findKey(world, vault.facts.rootKeyId);
      const giveBack = await world.custody.lose();
      if (isRemote) {
        await expect.poll(() => vault.rootKey().status).toBe('stopped');
        await expect(world.sign(vault, 'org-1')).rejects.toThrow(RootKeyUnavailable);
      } else {
        await expect(world.sign(vault, 'org-1')).resolves.toHaveLength(1);
      }
      await giveBack();
      await expect.poll(() => vault.rootKey().status).toBe('available');
      await expect(world.sign(vault, 'org-1')).resolves.toHaveLength(1);
      expect(states).toEqual(isRemote ? ['lost', 'stopped', 'available'] : []);
    });

    test('wrong credentials: rejected with a fix, and no message repeats them', async () => {
      const { world, vault } = await serve();
      // A login to a token counts for the whole process.
      vault.close();
      const error: unknown = await world.open(world.custody.withWrongCredentials()).catch((reason: unknown) => reason);
      expect(error).toSatisfy(isHelpful);
      const { message, fix } = error as OperatorError;
      expect(`${message} ${fix}`).not.toContain(world.custody.wrongSecret);
    });

    test('concurrent nodes: all that start on a new database agree on one key', async () => {
      const world = await begin();
      const nodes = Array.from({ length: 5 }, () => world.open(world.custody.node(), { create: true }));
      const ids = (await Promise.all(nodes)).map(({ facts }) => facts.rootKeyId);
      expect(new Set(ids).size).toBe(1);
    });

    test('bounded latency: a provider that does not answer fails the request in time, and later requests immediately', async () => {
      const { world, vault } = await serve({ rootKeyTimeoutMs: 500, rootKeyCheckMs: 3_600_000 });
      const { isRemote } = await findKey(world, vault.facts.rootKeyId);
      expect(world.custody.stall !== undefined).toBe(isRemote === true);
      const end = await world.custody.stall?.();
      if (isRemote) {
        await expect(vault.service.createDataKey('org-3')).rejects.toThrow(RootKeyUnavailable);
        await expect(vault.service.createDataKey('org-3')).rejects.toThrow(RootKeyUnavailable);
      }
      await end?.();
      await expect.poll(() => vault.service.createDataKey('org-3').then(Boolean, () => false)).toBe(true);
    });
  });
}

/** An error for the operator, with a fix. */
function isHelpful(error: unknown): boolean {
  return error instanceof OperatorError && error.message !== '' && error.fix !== '';
}
