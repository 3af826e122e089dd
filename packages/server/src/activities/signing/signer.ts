import type { ParseContext, SignerKey } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { type PolicySubject, signingContext, subjectOfKey } from '@countersign/judgement';
import { parserEngines } from '../../auth/parser-engines.ts';
import type { SigningKey } from '../../organizations/snapshot/resources.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';

/** Returns the key that `signWith` identifies. Throws SIGN_WITH_NOT_FOUND, or PRECONDITION_FAILED if the key was disabled. */
export async function keyToSign({ organization, resources }: PlanContext, signWith: string): Promise<SigningKey> {
  const key = await resources.signingKey(organization, signWith);
  if (key.kind === 'privateKey' && key.body.disabled === true) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `Private key ${key.id} was disabled and signs nothing. Sign with another key.`,
      {
        violations: [{ field: 'signWith', description: 'This key was disabled.' }],
      },
    );
  }
  return key;
}

/** Returns a signing key as policies see it. */
export async function signingSubject({ organization, resources }: PlanContext, key: SigningKey): Promise<PolicySubject> {
  if (key.kind !== 'walletAccount') return subjectOfKey(key);
  return subjectOfKey(key, await resources.walletOf(organization, key));
}

/** Returns the context for parsers: the organization, the key, and the fastest available engines. */
export function parseContext(organization: Snapshot, signer: SignerKey): ParseContext {
  return { ...signingContext(organization, signer), ...parserEngines };
}
