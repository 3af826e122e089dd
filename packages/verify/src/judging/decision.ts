import { type DecisionRecord, isKnownRules } from '@countersign/judgement';
import { z } from 'zod';
import { AuditError, must } from '../audit-error.ts';
import type { HeadHistory } from '../heads.ts';

const amount = z.string().regex(/^\d{1,80}(\.\d{1,18})?$/);

const usage = z.strictObject({
  control: z.string(),
  bucket: z.string(),
  used: amount,
  threshold: amount.optional(),
  revision: z.int().min(0),
  atMs: z.int(),
  counted: z.strictObject({ amount, revision: z.int().min(1), total: amount }).optional(),
});

/** What is read of a kept decision. The rest of it, its values or its explanation, is covered by the digest in the leaf. */
const shape = z.looseObject({
  version: z.literal(2).optional(),
  rules: z.int().min(1).optional(),
  head: z.int().min(1).optional(),
  voteId: z.string(),
  createdAtMs: z.int(),
  outcome: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']),
  by: z.string().optional(),
  policyIds: z.array(z.string()),
  policyCount: z.int().min(1).optional(),
  mayApprove: z.array(z.string()).optional(),
  evaluations: z.array(z.looseObject({ policyId: z.string(), revision: z.int().min(0).optional(), outcome: z.string() })),
  evaluatedCount: z.int().min(1).optional(),
  usage: z.array(usage).optional(),
  subject: z
    .looseObject({
      touches: z.array(z.looseObject({ what: z.string() })).optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
      oneTimeSubjectId: z.string().optional(),
      keyId: z.string().optional(),
      walletId: z.string().optional(),
      walletIds: z.array(z.string()).optional(),
      secretIds: z.array(z.string()).optional(),
    })
    .optional(),
});

export function readDecision(value: unknown): DecisionRecord {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw new AuditError('the stored decision is malformed');
  const { rules } = parsed.data;
  must(
    isKnownRules(rules),
    () => `the decision was made by rules ${rules}, which this verifier does not know. Use a later release`,
  );
  return parsed.data as unknown as DecisionRecord;
}

/** Checks the versions that a decision names: of the organization, and of the policies that were evaluated. */
export function requireVersions({ version, head, evaluations }: DecisionRecord, heads: HeadHistory): void {
  if (version === undefined) return;
  const { versionBefore } = heads;
  must(versionBefore === undefined || head === versionBefore, 'the decision was made on another version of the organization');
  for (const { policyId, revision } of evaluations)
    must(revision === heads.revisionOf(policyId), `the decision names another version of policy ${policyId}`);
}
