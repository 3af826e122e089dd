export { type Admission, type HandshakeSettings, openAdmission, openHandshakes } from './admission.ts';
export { type AdmittedRequest, type RequestFacts, SHORT_RESPONSE, type StageTimer } from './admitted-request.ts';
export { createByteBudget, enforceReadDeadline, readTimeMs } from './bodies.ts';
export { createCommitQueue } from './commit-queue.ts';
export { createSlices, type EndSlice, inSlices, mapInSlices, nextTurn, OWN_WORK, runInSlices } from './cooperative.ts';
export type { KnownCaller, KnownCallers } from './known-callers.ts';
export { idleLru, lazyLru, sweepIdle } from './lru.ts';
export type { AuthenticatedRequest } from './rates.ts';
export type { QuotaOwner } from './storage-quota.ts';
