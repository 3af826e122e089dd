import type { ParseContext, SignerKey } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { type PolicySubject, signingContext, subjectOfKey } from '@countersign/judgement';
import { parserEngines } from '../../auth/parser-engines.ts';
import type { SigningKey } from '../../organizations/resources.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/executor.ts';

/** The one key that `signWith` leads to. Throws SIGN_WITH_NOT_FOUND for none, and PRECONDITION_FAILED for one that was disabled. */
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

/** A key that is to sign, as policies see it. */
export async function signingSubject({ organization, resources }: PlanContext, key: SigningKey): Promise<PolicySubject> {
  return key.kind === 'walletAccount' ? subjectOfKey(key, await resources.walletOf(organization, key)) : subjectOfKey(key);
}

/** What parsers may know of the organization and the key, with the fastest engines that work here. */
export function parseContext(organization: Snapshot, signer: SignerKey): ParseContext {
  return { ...signingContext(organization, signer), ...parserEngines };
}
