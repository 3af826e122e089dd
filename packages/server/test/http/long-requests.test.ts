import { activities, ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { spec } from '../../src/dialects/spec.ts';
import { createOperate } from '../../src/http/api/operations.ts';
import type { Route } from '../../src/http/api/routes.ts';
import type { PipelineServices } from '../../src/pipeline/services.ts';
import { admissionWith } from '../admission/support.ts';

const route: Route = { kind: 'submit', dialect: spec, definition: activities.createPrivateKeys };

/** All requests belong to one flow. None has a stamp, so each is rejected after it was read. */
const operate = createOperate(
  { organizations: { snapshots: {} }, auth: {}, log: {} } as unknown as PipelineServices,
  {} as Parameters<typeof createOperate>[1],
);

const admission = admissionWith();
const longBody = () => Buffer.from(`{${' '.repeat(40_000)}}`);

/** Requests that have begun and have no response yet. */
let unanswered = 0;
let most = 0;

function send(body: Uint8Array, isGone = () => false) {
  const sent = { begun: false, answered: undefined as string | undefined, done: Promise.resolve() };
  const connection = {
    get destroyed() {
      return isGone();
    },
    resetAndDestroy() {},
  };
  const admitted = admission.request(undefined, connection);
  const turn = admitted.turn.bind(admitted);
  admitted.turn = async () => {
    await turn();
    sent.begun = true;
    unanswered += 1;
    most = Math.max(most, unanswered);
  };
  sent.done = operate(route, {}, body, () => undefined, admitted).then(
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
  test('reads a short request', async () => {
    const sent = send(Buffer.from('{}'));
    await sent.done;
    expect(sent).toMatchObject({ begun: true, answered: 'STAMP_MISSING' });
  });

  test('D166: reads long requests of one sender sequentially', async () => {
    const requests = Array.from({ length: 20 }, () => send(longBody()));
    await Promise.all(requests.map(({ done }) => done));
    expect(most).toBe(1);
    expect(requests.map(({ answered }) => answered)).toEqual(requests.map(() => 'STAMP_MISSING'));
  });

  test('skips a request whose client has disconnected', async () => {
    let isGone = false;
    const [before, sent] = [send(longBody()), send(longBody(), () => isGone)];
    isGone = true;
    await Promise.all([before.done, sent.done]);
    expect(sent).toMatchObject({ begun: false, answered: 'REQUEST_TIMEOUT' });
  });
});
