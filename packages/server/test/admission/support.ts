import type { Admission } from '../../src/admission/admission.ts';
import { AdmittedRequest, type RequestParts } from '../../src/admission/admitted-request.ts';
import { createByteBudget, SlowBodies } from '../../src/admission/bodies.ts';
import { ReadThrottle } from '../../src/admission/cooperative.ts';
import { type Flow, senderOf } from '../../src/admission/flow.ts';
import { KnownCallers } from '../../src/admission/known-callers.ts';
import { createRates, type RateSettings } from '../../src/admission/rates.ts';
import { createReadGate } from '../../src/admission/read-gate.ts';
import { Scheduler } from '../../src/admission/scheduler.ts';
import { parseIpAddress } from '../../src/network/ip-address.ts';

/** No rate limit at all. */
export const noLimits: RateSettings = {
  requestsPerAddress: 0,
  handshakesPerAddress: 0,
  failedStampsPerAddress: 0,
  requestsPerCredential: 0,
  requestsPerOrganization: 0,
  loginsPerCredential: 0,
  signInsPerAddress: 0,
  signInsPerOrganization: 0,
};

/** Admits every request, with parts that a test replaces. */
export function admissionWith(replaced: Partial<RequestParts> = {}): Pick<Admission, 'request'> {
  const known = new KnownCallers();
  const parts: RequestParts = {
    known,
    rates: createRates(noLimits, known),
    scheduler: new Scheduler(),
    reads: createReadGate(),
    bodies: { unfinished: createByteBudget(100_000_000), slow: new SlowBodies(), throttle: new ReadThrottle() },
    connections: { proved: () => undefined },
    tarpit: () => undefined,
    responses: createByteBudget(100_000_000),
    ...replaced,
  };
  return { request: (client, connection) => new AdmittedRequest(parts, senderOf(client), connection) };
}

/** The flow of a proven credential: organization, user and credential, by default all of the same name. */
export const tenant = (organization: string, user = organization, credential = user): Flow => ({
  isProven: true,
  path: [organization, user, credential],
});

/** The flow of an address that has proven nothing. */
export const stranger = (address: string): Flow => senderOf(parseIpAddress(address)).flow;
