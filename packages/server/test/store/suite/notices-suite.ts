import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import type { Subject } from './describe-store.ts';

const MINUTE = 60_000;
const PAUSE = 15 * MINUTE;

/** Whoever is wanted is told once in a while, and nothing that comes up is forgotten. */
export function noticesSuite(subject: () => Subject): void {
  describe('approval notices', () => {
    let stores: readonly [Store, Store];
    /** Later than anything that another test left due. */
    let startMs = 1_000_000_000_000;

    beforeAll(async () => {
      stores = [subject().store, await subject().installation.open()];
    });
    afterAll(() => stores[1].close());

    async function wished() {
      startMs += 1_000 * MINUTE;
      await drain(startMs);
      const key = { organizationId: uuidv7(), userId: uuidv7() };
      const notices = stores[0].notices;
      const wish = (dueAtMs: number) => notices.wish({ ...key, dueAtMs }, PAUSE);
      await wish(startMs);
      return { key, wish, at: startMs, notices };
    }

    async function drain(nowMs: number): Promise<void> {
      for (const notice of await stores[0].notices.claim(nowMs, MINUTE, 1_000)) await stores[0].notices.finish(notice, 0, 0);
    }

    test('are due once, and are claimed by one node', async () => {
      const { key, at, notices } = await wished();
      expect(await notices.claim(at - 1, MINUTE, 10)).toEqual([]);
      const claims = await Promise.all([...stores, ...stores].map((store) => store.notices.claim(at, MINUTE, 10)));
      expect(claims.flat()).toEqual([{ ...key, dueAtMs: at + MINUTE, toldAtMs: 0, wishes: 1 }]);
      expect(await notices.claim(at + MINUTE - 1, MINUTE, 10)).toEqual([]);
      // The lease ran out.
      const again = await notices.claim(at + MINUTE, MINUTE, 10);
      expect(again).toHaveLength(1);
      const [first] = claims.flat();
      if (first !== undefined) await notices.finish(first, at, PAUSE);
      expect(await notices.claim(at + 2 * MINUTE, MINUTE, 10)).toHaveLength(1);
    });

    test('are not repeated before the pause is over', async () => {
      const { at, notices, wish } = await wished();
      const [claimed] = await notices.claim(at, MINUTE, 10);
      if (claimed !== undefined) await notices.finish(claimed, at, PAUSE);
      expect(await notices.claim(at + 100 * MINUTE, MINUTE, 10)).toEqual([]);
      await wish(at + MINUTE);
      await wish(at + 2 * MINUTE);
      expect(await notices.claim(at + PAUSE - 1, MINUTE, 10)).toEqual([]);
      expect(await notices.claim(at + PAUSE, MINUTE, 10)).toMatchObject([{ toldAtMs: at, wishes: 3 }]);
    });

    test('a wish while the mail is written leads to another one', async () => {
      const { at, notices, wish } = await wished();
      const [claimed] = await notices.claim(at, MINUTE, 10);
      await wish(at + 1);
      if (claimed !== undefined) await notices.finish(claimed, at, PAUSE);
      expect(await notices.claim(at + PAUSE - 1, MINUTE, 10)).toEqual([]);
      expect(await notices.claim(at + PAUSE, MINUTE, 10)).toHaveLength(1);
    });

    test('a message that is there already stays as it is', async () => {
      const organizationId = uuidv7();
      const message = {
        organizationId,
        id: uuidv7(),
        state: 'parked' as const,
        dueAtMs: 1,
        expiresAtMs: 9_000_000_000_000,
        attempts: 0,
        fault: '',
        ciphertext: Uint8Array.of(1),
      };
      await stores[0].outbox.add(message);
      await stores[1].outbox.add({ ...message, ciphertext: Uint8Array.of(2) });
      expect((await stores[0].outbox.list('parked', 1_000)).filter((row) => row.organizationId === organizationId)).toEqual([
        message,
      ]);
    });
  });
}
