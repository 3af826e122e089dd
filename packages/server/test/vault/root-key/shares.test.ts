import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import type { RootKeyState } from '../../../src/vault/root-key/availability.ts';
import { readShareHolders } from '../../../src/vault/root-key/providers/shares/make-shares.ts';
import { formatShare, parseShare, type Share } from '../../../src/vault/root-key/providers/shares/share.ts';
import { askAtSocket } from '../../../src/vault/root-key/providers/shares/unseal-socket.ts';
import { type SharedRootKeys, sharesRootKey } from '../../../src/vault/root-key/providers/shares.ts';
import type { RootKeyProvider } from '../../../src/vault/root-key/root-key.ts';
import { Installation } from '../support.ts';
import { describeRootKeyProvider } from './provider-suite.ts';

/** Operators with age identities, and the folder that their shares come in. */
class Operators {
  readonly directory: string;
  readonly identities: readonly string[];
  readonly recipients: readonly string[];
  #sockets = 0;

  private constructor(directory: string, identities: readonly string[], recipients: readonly string[]) {
    this.directory = directory;
    this.identities = identities;
    this.recipients = recipients;
  }

  static async create(parent: string, count: number): Promise<Operators> {
    const identities = await Promise.all(Array.from({ length: count }, () => generateIdentity()));
    const recipients = await Promise.all(identities.map((identity) => identityToRecipient(identity)));
    return new Operators(mkdtempSync(join(parent, 'shares-')), identities, recipients);
  }

  /** The shares of the last sharing of a key, which each operator decrypts. */
  async shares(rootKeyId: string, generation = 1): Promise<string[]> {
    const folder = join(this.directory, `${rootKeyId}-${generation}`);
    return Promise.all(
      this.identities.slice(0, readdirSync(folder).length).map(async (identity, at) => {
        const decrypter = new Decrypter();
        decrypter.addIdentity(identity);
        return (await decrypter.decrypt(readFileSync(join(folder, `share-${at + 1}.age`)), 'text')).trim();
      }),
    );
  }

  newSocket(): string {
    return join(this.directory, `socket-${++this.#sockets}`);
  }

  provider(store: Store['vault'], socket: string, threshold = 2, waitMs?: number): SharedRootKeys {
    const { directory, recipients } = this;
    const holders = () => ({ threshold, recipients, directory });
    return sharesRootKey({ store, socket, holders, onSealed: () => {}, ...(waitMs !== undefined && { waitMs }) });
  }
}

/** Gives shares as soon as the process listens. */
async function give(socket: string, shares: readonly string[]): Promise<void> {
  for (const share of shares)
    for (let tries = 0; tries < 200; tries++) {
      const isGiven = await askAtSocket(socket, { share }).then(Boolean, () => false);
      if (isGiven) break;
      await sleep(10);
    }
}

describeRootKeyProvider('shares', async ({ directory, store }) => {
  const operators = await Operators.create(directory, 3);
  const sockets: string[] = [];
  let missing = false;
  /** The provider of a node, whose operators give two shares when they are asked and present. */
  const node = (shares?: (id: string) => Promise<string[]>): RootKeyProvider => {
    const socket = operators.newSocket();
    sockets.push(socket);
    const provider = operators.provider(store.vault, socket, 2, missing || shares !== undefined ? 100 : 60_000);
    return {
      ...provider,
      async find(id) {
        const found = provider.find(id);
        const given = shares ?? ((rootKeyId: string) => operators.shares(rootKeyId));
        if (!missing)
          void given(id).then(
            (texts) => give(socket, texts.slice(1)),
            () => {},
          );
        return found;
      },
    };
  };
  const wrongSecret = '7'.repeat(66);
  const seal = async () => {
    missing = true;
    for (const socket of sockets) await askAtSocket(socket, { seal: true }).catch(() => {});
    return async () => {
      missing = false;
      for (const socket of sockets)
        for (const name of readdirSync(operators.directory).filter((each) => /^[0-9a-f]{16}-1$/.test(each)))
          for (const share of await operators.shares(name.slice(0, 16))) await askAtSocket(socket, { share }).catch(() => {});
    };
  };
  return {
    node: () => node(),
    withWrongCredentials: () =>
      node(async (id) =>
        [1, 2, 3].map(() => formatShare({ rootKeyId: id, generation: 1, bytes: Buffer.from(wrongSecret, 'hex') })),
      ),
    wrongSecret,
    next: () => ({ target: node(), after: node() }),
    lose: seal,
    stall: seal,
  };
});

describe('a root key in shares', () => {
  async function begin(count = 3, threshold = 2) {
    const installation = await Installation.create();
    const { store, directory } = installation;
    const operators = await Operators.create(directory, count);
    const socket = operators.newSocket();
    const provider = operators.provider(store.vault, socket, threshold);
    const key = await provider.create();
    key.wipe();
    return { installation, store: store.vault, operators, socket, provider, id: key.id, shares: await operators.shares(key.id) };
  }

  const altered = (text: string): string => {
    const share = parseShare(text) as Share;
    const bytes = Uint8Array.from(share.bytes);
    bytes[3] = (bytes[3] as number) ^ 1;
    return formatShare({ ...share, bytes });
  };

  test('D555: each share is verified, progress is shown, and too few shares open nothing', async () => {
    const { provider, socket, id, shares } = await begin(5, 3);
    let isOpen = false;
    const found = provider.find(id).then((key) => {
      isOpen = true;
      return key;
    });
    await expect
      .poll(() => askAtSocket(socket, { status: true }).catch(() => undefined))
      .toMatchObject({ keys: [{ sealed: true }] });
    const [first = '', second = '', third = ''] = shares;
    expect(await askAtSocket(socket, { share: first })).toMatchObject({ keys: [{ sealed: true, shares: 1, threshold: 3 }] });
    expect(await askAtSocket(socket, { share: first })).toMatchObject({ keys: [{ shares: 1 }] });
    expect(await askAtSocket(socket, { share: altered(second) })).toMatchObject({
      error: expect.stringContaining('altered or mistyped'),
    });
    expect(await askAtSocket(socket, { share: 'nonsense' })).toMatchObject({ error: expect.stringContaining('not a share') });
    expect(await askAtSocket(socket, { share: second })).toMatchObject({ keys: [{ sealed: true, shares: 2 }] });
    expect(isOpen).toBe(false);
    expect(await askAtSocket(socket, { share: third })).toMatchObject({ keys: [{ sealed: false, shares: 0 }] });
    const key = await found;
    onTestFinished(() => key?.wipe());
    expect(key?.id).toBe(id);
  });

  test('D556: sealing stops immediately, in spite of a grace period, and unsealing continues without a restart', async () => {
    const { installation, operators, store } = await begin();
    const states: RootKeyState['status'][] = [];
    const provider = operators.provider(store, operators.newSocket());
    const opening = installation.open({
      rootKeys: {
        ...provider,
        find(id) {
          void operators.shares(id).then((texts) => give(socketOf(provider), texts));
          return provider.find(id);
        },
      },
      rootKeyGraceMs: 3_600_000,
      onRootKey: ({ status }) => void states.push(status),
    });
    const vault = await opening;
    onTestFinished(() => vault.close());
    await installation.addOrganization(vault, 'org');
    expect(await askAtSocket(socketOf(provider), { seal: true })).toMatchObject({ keys: [{ sealed: true }] });
    expect(vault.rootKey().status).toBe('stopped');
    await expect(vault.keys.generatePrivateKey('org', 'key', 'CURVE_P256')).rejects.toMatchObject({ name: 'RootKeyUnavailable' });
    for (const share of await operators.shares(vault.facts.rootKeyId)) await askAtSocket(socketOf(provider), { share });
    await expect.poll(() => vault.rootKey().status).toBe('available');
    await expect(vault.keys.generatePrivateKey('org', 'key', 'CURVE_P256')).resolves.toBeDefined();
    expect(states).toEqual(['lost', 'stopped', 'available']);
  });

  test('D555: a new sharing has another threshold, replaces the old shares and touches no wrapped key', async () => {
    const { operators, store, socket, provider, id, shares } = await begin(3, 2);
    const before = await store.dataKeysNotUnder('', 100);
    const [resharing] = await Promise.all([operators.provider(store, socket, 3).reshare(id), give(socket, shares)]);
    expect(resharing).toMatchObject({ generation: 2, threshold: 3 });
    expect(await store.dataKeysNotUnder('', 100)).toEqual(before);
    const found = provider.find(id);
    await expect
      .poll(() => askAtSocket(socket, { share: shares[0] as string }).catch(() => undefined))
      .toMatchObject({
        error: expect.stringContaining('shared again since'),
      });
    await give(socket, await operators.shares(id, 2));
    const key = await found;
    expect(key?.id).toBe(id);
    key?.wipe();
  });

  test('D555: shares are written encrypted, each to its operator, and the socket is for its owner only', async () => {
    const { operators, provider, socket, id, shares } = await begin();
    const folder = join(operators.directory, `${id}-1`);
    for (const name of readdirSync(folder)) {
      expect(readFileSync(join(folder, name)).subarray(0, 21).toString()).toBe('age-encryption.org/v1');
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
    const other = new Decrypter();
    other.addIdentity(operators.identities[1] as string);
    await expect(other.decrypt(readFileSync(join(folder, 'share-1.age')))).rejects.toThrow();
    const found = provider.find(id);
    await give(socket, shares.slice(0, 1));
    expect(statSync(socket).mode & 0o077).toBe(0);
    await give(socket, shares.slice(1));
    (await found)?.wipe();
  });

  test.each([
    ['a threshold of one', { shareThreshold: 1 }],
    ['a threshold above the number of operators', { shareThreshold: 4 }],
    ['no folder', { shareDirectory: undefined }],
    ['an operator twice', { shareRecipients: 'A,A,B' }],
  ])('%s is rejected', async (_, change) => {
    const operators = await Operators.create((await Installation.create()).directory, 3);
    const [a = '', b = ''] = operators.recipients;
    const settings = { shareThreshold: 2, shareRecipients: operators.recipients, shareDirectory: '/shares', ...change };
    const shareRecipients = settings.shareRecipients === 'A,A,B' ? `${a},${a},${b}` : settings.shareRecipients;
    expect(() => readShareHolders({ ...settings, shareRecipients })).toThrow();
    expect(() =>
      readShareHolders({ shareThreshold: 2, shareRecipients: operators.recipients, shareDirectory: '/shares' }),
    ).not.toThrow();
  });

  test('a socket that another process uses is not taken from it', async () => {
    const { operators, store, provider, socket, id, shares } = await begin();
    const found = provider.find(id);
    await give(socket, shares.slice(0, 1));
    await expect(operators.provider(store, socket).find(id)).rejects.toThrow('another process listens');
    await give(socket, shares.slice(1));
    (await found)?.wipe();
  });
});

const socketOf = ({ source }: RootKeyProvider) => source.replace('shares given at ', '');
