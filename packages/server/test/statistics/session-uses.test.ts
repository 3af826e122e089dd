import { beforeEach, describe, expect, test } from 'vitest';
import { parseIpAddress } from '../../src/network/ip-address.ts';
import type { ApiKeyRecord } from '../../src/organizations/records.ts';
import type { Snapshot } from '../../src/organizations/snapshot/snapshot.ts';
import { createSessionRecorder, type SessionRecorder, USE_EVERY_MS } from '../../src/statistics/session-uses.ts';
import type { SessionUseRow, Write } from '../../src/store/rows.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { Secret } from '../../src/vault/keys/secret.ts';

const { integrity } = openIntegrity(new Secret(new Uint8Array(32).fill(7)));
const CLIENT = { clientAddress: () => parseIpAddress('203.0.113.9'), userAgent: 'curl/8.5.0' };
const FACTS = { device: 'curl', address: '203.0.113.9' };

describe('the recorder of sessions', () => {
  let nowMs: number;
  let rows: SessionUseRow[];
  let writes: number;
  let forged: string[];
  let recorder: SessionRecorder;

  beforeEach(() => {
    nowMs = 1_000_000_000;
    rows = [];
    writes = 0;
    forged = [];
    recorder = createSessionRecorder({
      integrity,
      clock: { nowMs: () => nowMs },
      alarm: (_, what) => forged.push(what),
      store: {
        sessionUses: {
          async add(added) {
            if (added.length > 0) writes++;
            rows.push(...added);
          },
          of: async () => rows,
          async remove(_, __, id) {
            rows = rows.filter((row) => row.id !== id);
          },
          async sweep() {},
        },
      },
    });
  });

  const key = (type: ApiKeyRecord['type'] = 'CREDENTIAL_TYPE_LOGIN') =>
    ({ userId: 'ann', type, createdAtMs: 1_000_000_000, expirationSeconds: '900' }) as ApiKeyRecord;
  const home = (...keys: [string, ApiKeyRecord][]) => ({ id: 'org', apiKeys: new Map(keys) }) as unknown as Snapshot;
  const put = (id: string) => ({ op: 'put', table: 'records', row: { kind: 'apiKey', id } }) as Write;
  const removal = (id: string) => ({ op: 'delete', table: 'records', row: { kind: 'apiKey', id } }) as Write;
  const written = async () => {
    while (await recorder.write());
  };

  test('D1022: writes one use of a session in ten minutes, however many there are', async () => {
    const session = home(['s', key()]);
    for (let i = 0; i < 1_000; i++) {
      recorder.used(session, 's', CLIENT);
      await written();
    }
    expect(writes).toBe(1);
    nowMs += USE_EVERY_MS;
    recorder.used(session, 's', CLIENT);
    await written();
    expect(writes).toBe(2);
    expect((await recorder.of('org', 'ann')).get('s')).toEqual({ lastUsed: { atMs: nowMs, ...FACTS } });
  });

  test('D1022: drops uses beyond a number of rows, and writes few at once', async () => {
    const many = home(...Array.from({ length: 6_000 }, (_, i): [string, ApiKeyRecord] => [`s${i}`, key()]));
    for (const id of many.apiKeys.keys()) recorder.used(many, id, CLIENT);
    expect(await recorder.write()).toBe(true);
    expect(rows).toHaveLength(20);
    await written();
    expect(rows).toHaveLength(5_000);
  });

  test('records sessions, not permanent keys', async () => {
    const organization = home(['k', key('CREDENTIAL_TYPE_API_KEY_P256')]);
    recorder.used(organization, 'k', CLIENT);
    recorder.used(organization, 'unknown', CLIENT);
    recorder.changed(home(), organization, [put('k')], CLIENT);
    await written();
    expect(rows).toEqual([]);
  });

  test('records the opening of a session without a vote, before and after it is written', async () => {
    const organization = home(['s', key()], ['voted', key()]);
    recorder.changed(home(), organization, [put('s')], CLIENT);
    recorder.changed(home(), organization, [put('voted')], undefined);
    expect([...(await recorder.of('org', 'ann'))]).toEqual([['s', { openedFrom: FACTS }]]);
    expect((await recorder.of('org', 'bob')).size).toBe(0);
    await written();
    expect([...(await recorder.of('org', 'ann'))]).toEqual([['s', { openedFrom: FACTS }]]);
    expect(rows[0]?.expiresAtMs).toBe(1_000_900_000);
  });

  test('D1023: deletes what it stored about a session that ends', async () => {
    const organization = home(['s', key()], ['t', key()]);
    recorder.changed(home(), organization, [put('s'), put('t')], CLIENT);
    await written();
    recorder.used(organization, 's', CLIENT);
    recorder.changed(organization, home(['t', key()]), [removal('s')], CLIENT);
    await written();
    expect(rows.map(({ id }) => id)).toEqual(['t']);
  });

  test('D1021: a changed row, and one of another session, is reported and not shown', async () => {
    const organization = home(['s', key()], ['t', key()]);
    recorder.changed(home(), organization, [put('s'), put('t')], CLIENT);
    await written();
    const [s, t] = rows as [SessionUseRow, SessionUseRow];
    rows = [
      { ...s, body: '{"device":"Firefox on Windows"}' },
      { ...s, id: t.id },
    ];
    expect((await recorder.of('org', 'ann')).size).toBe(0);
    expect(forged).toEqual(['s', 't'].map((id) => `the use of the session ${id} was changed or inserted outside the service`));
  });
});
