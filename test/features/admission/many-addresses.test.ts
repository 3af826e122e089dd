import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import { type Caller, post } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createMember, createPrivateKey, createSubOrganization, type Member, signParams } from '../../support/world.ts';

const CONNECTIONS = 120;
const flags = ['--trusted-proxies', '127.0.0.1/32', '--requests-per-address', '0', '--requests-per-credential', '0'];

let installation: Installation;
let serving: Serving;
let signer: Caller;
let signWith: string;
let powerless: Member;

/** Repeats a request on many connections until `stop` is called. Counts the answers. */
function flood(send: (sent: number) => Promise<unknown>) {
  let isOver = false;
  const count = { sent: 0, answered: 0 };
  const loops = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      await send(count.sent++);
      count.answered += 1;
    }
  });
  return {
    answered: () => count.answered,
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

/** Signs several times. Returns the median of the answers that the flood gets during one signature. */
async function answersPerSignature({ answered }: ReturnType<typeof flood>): Promise<number> {
  const steps: number[] = [];
  for (let done = 0; done < 24; done++) {
    const before = answered();
    expect((await signer.submit('signRawPayload', signParams(signWith))).status).toBe(200);
    steps.push(answered() - before);
  }
  return median(steps);
}

/** A stamp that names the credential of a tenant, over another body, from one of many addresses. */
function forge(sent: number): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ organizationId: signer.organizationId }));
  const stamp = encodeStamp(stampFields(signer.key, Buffer.from('another body')));
  const from = `10.${(sent >> 4) & 255}.${sent & 15}.1`;
  return post(signer.url + signer.queryPath('whoami'), body, { 'x-stamp': stamp, 'x-forwarded-for': from });
}

// Counts of the attacker's answers instead of times: a busy machine slows both. D435: on PostgreSQL every request waits for the database.
describe.each(['sqlite', 'postgres'] as const)('floods and proven tenants on %s', (engine) => {
  beforeAll(async () => {
    installation = await engines[engine]();
    serving = await serve(placeOf(installation), flags);
    signer = (await createSubOrganization(serving.root)).caller;
    powerless = await createMember(signer);
    signWith = await createPrivateKey(signer);
  });
  afterAll(async () => {
    await serving?.kill();
    await installation?.remove();
  });

  test('D340, D435: forged stamps that name a real credential, from thousands of addresses, barely delay the tenant', async () => {
    const forged = flood(forge);
    const answers = await answersPerSignature(forged);
    await forged.stop();
    expect(forged.answered()).toBeGreaterThan(CONNECTIONS);
    expect(answers).toBeLessThan(CONNECTIONS / 3);
  });

  test('D342, D435: a user without rights who repeats a query on many connections barely delays colleagues', async () => {
    const queries = flood(() => powerless.caller.query('whoami'));
    const answers = await answersPerSignature(queries);
    await queries.stop();
    expect(queries.answered()).toBeGreaterThan(CONNECTIONS);
    expect(answers).toBeLessThan(CONNECTIONS / 3);
  });

  test('D343, D435: after a restart during a flood, tenants come first with their first request, and forged stamps do not', async () => {
    const members = await Promise.all(Array.from({ length: 9 }, () => createMember(signer)));
    for (const { caller } of members) await caller.data('whoami');
    serving.signal('SIGTERM');
    await serving.ended;
    serving = await serve(placeOf(installation), flags);
    const { url } = serving;
    signer = signer.with({ url });
    const forged = flood(forge);
    await waitUntil(30_000, async () => forged.answered() > CONNECTIONS);
    const steps: number[] = [];
    for (const { caller } of members) {
      const before = forged.answered();
      await caller.with({ url }).data('whoami');
      steps.push(forged.answered() - before);
    }
    await forged.stop();
    expect(median(steps)).toBeLessThan(CONNECTIONS / 3);
  });
});
