import { describe, expect, test } from 'vitest';
import { control, holding, NOW, paying, signing, transfer } from '../../../judgement/test/support/controls-world.ts';
import type { UsageCache } from '../../src/usage/usage-cache.ts';
import { createUsageService } from '../../src/usage/usage-service.ts';
import type { Integrity } from '../../src/vault/vault.ts';

describe('usage buckets of a request', () => {
  const read: string[] = [];
  const cache: Pick<UsageCache, 'bucket'> = {
    bucket({ bucket }) {
      read.push(bucket);
      throw new Error('a bucket was asked for');
    },
  };
  const service = createUsageService(cache as UsageCache, {} as Integrity, { nowMs: () => NOW });
  const receivers = (count: number) =>
    paying(Array.from({ length: count }, (_, index) => transfer(1n, `0x${index.toString(16).padStart(40, '0')}`)));
  const each = control({}, { groupBy: { destination: {} } });

  test('D179: rejects a transaction with too many receivers before any bucket is read', async () => {
    const request = signing(holding({ c: each }), receivers(501));
    await expect((async () => service.read(request))()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const both = signing(holding({ c: each, d: { ...each, identifier: 'other' } }), receivers(251));
    await expect((async () => service.read(both))()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(read).toEqual([]);
  });

  test('counts the maximum number of buckets, and any number of receivers in one bucket', async () => {
    await expect((async () => service.read(signing(holding({ c: each }), receivers(500))))()).rejects.toThrow(
      'a bucket was asked for',
    );
    await expect((async () => service.read(signing(holding({ c: control() }), receivers(501))))()).rejects.toThrow(
      'a bucket was asked for',
    );
    expect(read).toHaveLength(2);
  });
});
