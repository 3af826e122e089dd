export { AuditError } from './audit-error.ts';
export { portableChecks, type SignatureChecks } from './checks.ts';
export { type AuditWriter, createAuditWriter, type GivenEnd, type GivenRecord } from './format/write.ts';
export type { Hasher } from './hasher.ts';
export type { TrustedKeys } from './log-keys.ts';
export type { ProvenHead } from './proof/head-proof.ts';
export { describeReport, type Report } from './report.ts';
export { splitLines } from './split-lines.ts';
export { type Failure, type Verdict, type VerifyOptions, verifyAudit } from './verify.ts';
