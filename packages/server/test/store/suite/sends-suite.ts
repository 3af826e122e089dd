import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { SendClaim } from '../../../src/store/send-store.ts';
import { bytes, commitOf, createOrganization } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const MINUTE = 60_000;

export function sendsSuite(subject: () => Subject): void {
  describe('accounts with transactions to send', () => {
    async function chainWith(accounts: readonly (readonly [organizationId: string, dueAtMs: number])[]): Promise<string> {
      const chain = `eip155:${uuidv7()}`;
      for (const [organizationId, dueAtMs] of accounts) {
        const row = { organizationId, chain, account: uuidv7(), revision: 1, body: '{}', mac: bytes(), dueAtMs };
        const claims = [{ organizationId, chain, account: row.account, expected: undefined }];
        const writes = [{ op: 'put', table: 'send_accounts', row }] as const;
        const [outcome] = await subject().store.commit([commitOf(organizationId, { accounts: claims, writes })]);
        expect(outcome).toMatchObject({ taken: true });
      }
      return chain;
    }
    const claimAt = (chain: string, nowMs: number, more: Partial<SendClaim> = {}) =>
      subject().store.sends.claim({ chain, nowMs, leaseMs: MINUTE, limit: 10, perTenant: 10, except: [], ...more });

    test('are claimed once, when they are due, by chain', async () => {
      const id = await createOrganization(subject().store);
      const chain = await chainWith([[id, 100]]);
      const other = await chainWith([[id, 100]]);
      expect(await claimAt(chain, 99)).toEqual([]);
      expect(await claimAt(chain, 100)).toMatchObject([{ organizationId: id, tenantId: id, chain, dueAtMs: 100 + MINUTE }]);
      expect(await claimAt(chain, 100)).toEqual([]);
      expect(await claimAt(other, 100)).toHaveLength(1);
      const [again] = await claimAt(chain, 100 + MINUTE);
      if (again === undefined) throw new Error('the claim did not end');
      await subject().store.sends.release(again, 0);
      expect(await claimAt(chain, 100 * MINUTE)).toEqual([]);
    });

    test('D901: a tenant with many accounts that are due longer, also in sub-organizations, leaves the others theirs', async () => {
      const { store } = subject();
      const [crowded, quiet] = [await createOrganization(store), await createOrganization(store)];
      const child = await createOrganization(store, [], uuidv7(), crowded);
      const many = Array.from({ length: 12 }, (_, at) => [at % 2 === 0 ? crowded : child, 1 + at] as const);
      const chain = await chainWith([...many, [quiet, 1_000]]);
      const claimed = await claimAt(chain, 2_000, { limit: 4, perTenant: 3 });
      expect(claimed.map(({ tenantId }) => tenantId).sort()).toEqual([crowded, crowded, crowded, quiet].sort());
      expect(await claimAt(chain, 2_000, { except: [crowded, uuidv7()] })).toEqual([]);
      expect(await claimAt(chain, 2_000, { except: [quiet] })).toHaveLength(9);
    });
  });
}
