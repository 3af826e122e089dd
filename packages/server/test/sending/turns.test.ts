import { describe, expect, test } from 'vitest';
import { Turns } from '../../src/sending/turns.ts';

const tenants = (count: number) => Array.from({ length: count }, (_, at) => ({ tenantId: `tenant ${at}` }));

describe('the places of chains in the sender', () => {
  test('D901: a chain has its own places, and notices who waited for one', () => {
    const shares = { waitMs: () => 0 };
    const [full, other] = [new Turns('eip155:1', shares), new Turns('eip155:2', shares)];
    for (const each of tenants(16)) full.begin(each);
    expect(full.next(0)).toBeUndefined();
    expect(other.next(0)).toMatchObject({ chain: 'eip155:2', limit: 16, except: [] });
    expect(full.end({ tenantId: 'tenant 0' }, 0)).toBe(true);
    expect(full.next(0)).toMatchObject({ chain: 'eip155:1', limit: 1 });
  });

  test('D901: a tenant with three places gets no more until one is free', () => {
    const turns = new Turns('eip155:1', { waitMs: () => 0 });
    const mine = { tenantId: 'mine' };
    for (let places = 0; places < 3; places++) {
      expect(turns.next(0)?.except).toEqual([]);
      turns.begin(mine);
    }
    expect(turns.next(0)).toMatchObject({ perTenant: 3, limit: 13, except: ['mine'] });
    turns.end(mine, 0);
    expect(turns.next(0)?.except).toEqual([]);
  });

  test('D901: a tenant that used up its share is passed over until it has recovered', () => {
    let waitMs = 5_000;
    const turns = new Turns('eip155:1', { waitMs: (tenantId) => (tenantId === 'mine' ? waitMs : 0) });
    for (const tenantId of ['mine', 'other']) turns.begin({ tenantId });
    for (const tenantId of ['mine', 'other']) turns.end({ tenantId }, 1_000);
    waitMs = 0;
    expect(turns.next(5_999)?.except).toEqual(['mine']);
    expect(turns.next(6_000)?.except).toEqual([]);
  });
});
