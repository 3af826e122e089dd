import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChainClient } from '../../src/chain-nodes/chain-client.ts';
import { createSignal } from '../../src/notify/delivery/signal.ts';
import { type SenderServices, startSender } from '../../src/sending/sender.ts';
import type { ClaimedAccount } from '../../src/store/send-store.ts';

const CHAIN = 'eip155:1';
const LEASE_MS = 60_000;
const nobody = () => {
  throw new Error('nothing is sent here');
};

/** A sender of one account without transactions. `release` is what the database does, by the number of the attempt. */
function sender(release: (attempt: number) => void) {
  const row = { organizationId: 'organization', tenantId: 'tenant', chain: CHAIN, account: '0x1', revision: 1, body: '{}' };
  let dueAtMs = 1;
  let attempts = 0;
  const claims: number[] = [];
  const sends = {
    claim: async ({ nowMs, leaseMs }: { nowMs: number; leaseMs: number }): Promise<ClaimedAccount[]> => {
      if (dueAtMs === 0 || dueAtMs > nowMs) return [];
      dueAtMs = nowMs + leaseMs;
      claims.push(nowMs);
      return [{ ...row, mac: new Uint8Array(), dueAtMs }];
    },
    release: async (_claimed: unknown, nextDueAtMs: number) => {
      release(++attempts);
      dueAtMs = nextDueAtMs;
    },
    change: nobody,
  };
  const client = { chain: CHAIN, namespace: 'eip155', endpoints: 1 } as ChainClient;
  const services = {
    chains: [CHAIN],
    shares: { of: () => client, waitMs: () => 0 },
    store: { sends },
    sending: {
      nodesOf: () => client,
      account: async () => ({ account: undefined, active: [] }),
      confirmations: 1,
      signal: createSignal(),
    },
    log: pino({ enabled: false }),
    nowMs: Date.now,
    advanceTopUp: nobody,
    eventsFor: nobody,
    onState: nobody,
  } as unknown as SenderServices;
  const started = startSender(services);
  onTestFinished(() => started.stop());
  return { started, claims, leftUntilMs: () => dueAtMs, attempts: () => attempts };
}

describe('the sender', () => {
  test('D951: an account whose release fails is released again long before its lease ends', async () => {
    const { claims, leftUntilMs, attempts } = sender((attempt) => {
      if (attempt < 3) throw new Error('timeout exceeded when trying to connect');
    });
    await expect.poll(attempts, { timeout: LEASE_MS / 4 }).toBe(3);
    expect(leftUntilMs()).toBe(0);
    expect(claims).toHaveLength(1);
  });

  test('stops also while an account cannot be released', async () => {
    const { started, attempts } = sender(nobody);
    await expect.poll(attempts).toBeGreaterThan(0);
    const sinceMs = Date.now();
    await started.stop();
    expect(Date.now() - sinceMs).toBeLessThan(LEASE_MS / 4);
  });
});
