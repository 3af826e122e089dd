import type { Admission } from '../../src/admission/admission.ts';
import { AdmittedRequest, addressBlock, type RequestParts } from '../../src/admission/admitted-request.ts';
import { createByteBudget, SlowBodies } from '../../src/admission/bodies.ts';
import { ReadThrottle } from '../../src/admission/cooperative.ts';
import { createRates, type RateSettings } from '../../src/admission/rates.ts';
import { Scheduler } from '../../src/admission/scheduler.ts';

/** No rate limit at all. */
export const noLimits: RateSettings = {
  requestsPerAddress: 0,
  failedStampsPerAddress: 0,
  requestsPerCredential: 0,
  requestsPerOrganization: 0,
  loginsPerCredential: 0,
  signInsPerAddress: 0,
  signInsPerOrganization: 0,
};

/** Admits every request, with parts that a test replaces. */
export function admissionWith(replaced: Partial<RequestParts> = {}): Pick<Admission, 'request'> {
  const parts: RequestParts = {
    rates: createRates(noLimits),
    scheduler: new Scheduler(),
    bodies: { unfinished: createByteBudget(100_000_000), slow: new SlowBodies(), throttle: new ReadThrottle() },
    tarpit: () => undefined,
    responses: createByteBudget(100_000_000),
    ...replaced,
  };
  return { request: (client, connection) => new AdmittedRequest(parts, addressBlock(client), connection) };
}
