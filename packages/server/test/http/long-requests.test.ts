import { activities, ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { createTurns } from '../../src/admission/scheduler.ts';
import { spec } from '../../src/dialects/spec.ts';
import { createOperate } from '../../src/http/operations.ts';
import type { Route } from '../../src/http/routes.ts';
import type { PipelineServices } from '../../src/pipeline/services.ts';

const route: Route = { kind: 'submit', dialect: spec, definition: activities.createPrivateKeys };

/** All requests are of one flow. None has a stamp, so each is refused as soon as it was read. */
const operate = createOperate(
  {
    rates: { doubt: () => ({ judge: (error: unknown) => error }), flowOf: () => 'address' },
    turns: createTurns(),
    snapshots: {},
  } as unknown as PipelineServices,
  {} as Parameters<typeof createOperate>[1],
);

const longBody = () => Buffer.from(`{${' '.repeat(40_000)}}`);

/** How many were read and not yet answered, each time that another was begun. */
let unanswered = 0;
let most = 0;

function send(body: Uint8Array, isGone = () => false) {
  const sent = { begun: false, answered: undefined as string | undefined, done: Promise.resolve() };
  const waiting = {
    isGone,
    begun: () => {
      sent.begun = true;
      unanswered += 1;
      most = Math.max(most, unanswered);
    },
  };
  sent.done = operate(route, {}, body, () => undefined, waiting).then(
    () => {
      sent.answered = 'answered';
    },
    (error: unknown) => {
      sent.answered = error instanceof ServiceError ? error.code : String(error);
      if (sent.begun) unanswered -= 1;
    },
  );
  return sent;
}

describe('long requests of one sender', () => {
  test('a short one is read at once', async () => {
    const sent = send(Buffer.from('{}'));
    expect(sent.begun).toBe(true);
    await sent.done;
    expect(sent.answered).toBe('STAMP_MISSING');
  });

  test('D166: they count as bodies that wait until they are read, and are read one after the other', async () => {
    const requests = Array.from({ length: 20 }, () => send(longBody()));
    await Promise.all(requests.map(({ done }) => done));
    expect(most).toBe(1);
    expect(requests.map(({ answered }) => answered)).toEqual(requests.map(() => 'STAMP_MISSING'));
  });

  test('one whose client hung up while it waited is not read', async () => {
    let isGone = false;
    const [before, sent] = [send(longBody()), send(longBody(), () => isGone)];
    isGone = true;
    await Promise.all([before.done, sent.done]);
    expect(sent).toMatchObject({ begun: false, answered: 'REQUEST_TIMEOUT' });
  });
});
