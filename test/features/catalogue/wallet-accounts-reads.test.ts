import { beforeEach, expect, test } from 'vitest';
import { createResources } from '../../../packages/server/src/organizations/snapshot/resources.ts';
import type { PipelineServices } from '../../../packages/server/src/pipeline/services.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization, ethereumPath, signParams } from '../../support/world.ts';
import { remove, walletWith } from './support/wallet-accounts.ts';

/** The kinds of single rows that were read in this test. */
const reads: string[] = [];

/** The service's own resource reader, over a store that records reads. */
function watched({ store, vault, organizations }: PipelineServices): Pick<PipelineServices, 'organizations'> {
  const resources: typeof store.resources = {
    ...store.resources,
    get(organizationId, kind, id) {
      reads.push(kind);
      return store.resources.get(organizationId, kind, id);
    },
    many(organizationId, kind, ids) {
      for (const _ of ids) reads.push(kind);
      return store.resources.many(organizationId, kind, ids);
    },
  };
  const alarm = (_organizationId: string, what: string) => {
    throw new Error(what);
  };
  const verified = createResources({ resources, lookups: store.lookups }, vault.integrity, alarm, organizations.snapshots);
  return { organizations: { ...organizations, resources: verified } };
}

const readOf = (kind: string) => reads.filter((each) => each === kind).length;

describeEngines(
  'the cost of recognizing deleted accounts',
  (subject) => {
    let root: Caller;

    beforeEach(async () => {
      root = (await createSubOrganization(subject().service.root)).caller;
      reads.length = 0;
    });

    const list = (walletId?: string) =>
      root.data('listWalletAccounts', { ...(walletId && { walletId }), paginationOptions: { limit: '100' } });

    test('a page of accounts reads their wallet once, not once per account', async () => {
      const { walletId } = await walletWith(root, 20);
      await createPrivateKey(root);
      reads.length = 0;
      expect((await list()).accounts).toHaveLength(20);
      expect(reads).toEqual(['wallet']);
      // While nothing changes, wallets stay cached. The one read checks that the wallet exists.
      reads.length = 0;
      expect((await list(walletId)).accounts).toHaveLength(20);
      expect(reads).toEqual(['wallet']);
    });

    test('deleting a wallet or many accounts does not read the wallet once per account either', async () => {
      const { walletId, accounts } = await walletWith(root, 20);
      reads.length = 0;
      await root.result('deleteWalletAccounts', remove(...accounts.slice(0, 10)));
      expect([readOf('wallet'), readOf('walletAccount')]).toEqual([0, 10]);
      reads.length = 0;
      await root.result('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
      expect(readOf('wallet')).toBe(2);
    });

    test('a signature reads key and wallet once, and later signatures read no row', async () => {
      const { accounts } = await walletWith(root, 2);
      const [one] = accounts;
      await createPrivateKey(root);
      reads.length = 0;
      await root.result('signRawPayload', signParams(one?.address as string));
      expect(reads.sort()).toEqual(['privateKey', 'wallet', 'walletAccount']);
      reads.length = 0;
      for (let index = 0; index < 3; index++) await root.result('signRawPayload', signParams(one?.address as string));
      expect(reads).toEqual([]);
    });

    test('getting an account reads its wallet once more than asked for', async () => {
      const { walletId } = await walletWith(root, 3);
      await createPrivateKey(root);
      reads.length = 0;
      await root.data('getWalletAccount', { walletId, path: ethereumPath(1) });
      expect([readOf('wallet'), readOf('walletAccount')]).toEqual([2, 1]);
      await root.data('getWalletAccount', { walletId, path: ethereumPath(2) });
      expect([readOf('wallet'), readOf('walletAccount')]).toEqual([3, 2]);
    });
  },
  { services: watched },
);
