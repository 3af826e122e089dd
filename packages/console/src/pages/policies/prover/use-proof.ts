import type { NamedTag } from '@countersign/policy';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ProofOutcome } from '../../../prover/run-proof.ts';
import { runProof } from '../../../prover/run-proof.ts';
import { useSession } from '../../../session/context.tsx';
import type { Draft } from '../draft.ts';
import { type PropertyAnswers, propertiesOf } from './property.ts';
import { type ProvenOrganization, readOrganization, withAnyCredential } from './read-organization.ts';

/** The outcome of a proof, with all that it is about. */
export interface ShownProof {
  readonly outcome: ProofOutcome;
  readonly organization: ProvenOrganization;
  readonly forbid: string;
  readonly unless: string | undefined;
}

export type ProofState =
  | { readonly kind: 'IDLE' }
  | { readonly kind: 'RUNNING'; readonly step: 'READING' | 'STARTING' | 'LOADING' | 'SOLVING' }
  | { readonly kind: 'ERROR'; readonly error: unknown }
  | { readonly kind: 'DONE'; readonly proof: ShownProof };

export interface ProofLimits {
  readonly timeoutMs: number;
  readonly listSize: number;
}

const IDLE: ProofState = { kind: 'IDLE' };

/**
 * Proves properties of a draft.
 * SECURITY: D1065: a change of the draft stops a running proof and drops its result, so that no result is shown with another policy.
 */
export function useProof(draft: Draft, policyId: string | undefined, tags: readonly NamedTag[]) {
  const { reader } = useSession();
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController>(undefined);

  const reset = useCallback(() => {
    running.current?.abort();
    setState(IDLE);
  }, []);
  const { effect, condition, consensus } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: any change of these, which the effect does not read, ends the proof
  useEffect(() => reset, [effect, condition, consensus, policyId, tags, reset]);

  const start = async (answers: PropertyAnswers, limits: ProofLimits) => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    const show = (next: ProofState) => !stop.signal.aborted && setState(next);
    try {
      show({ kind: 'RUNNING', step: 'READING' });
      const organization = await readOrganization(reader, { draft, policyId, tags });
      if (stop.signal.aborted) return;
      show({ kind: 'RUNNING', step: 'STARTING' });
      const { policies, rootQuorum } = organization;
      const properties = propertiesOf(answers, tags);
      const texts = [...policies, ...properties].flatMap((each) =>
        'forbid' in each ? [each.forbid, each.unless] : [each.condition, each.consensus],
      );
      const users = withAnyCredential(organization.users, texts);
      const [{ forbid, unless }] = properties as [(typeof properties)[number]];
      const outcome = await runProof({ policies, users, rootQuorum, properties, ...limits }, stop.signal, (step) =>
        show({ kind: 'RUNNING', step }),
      );
      show({ kind: 'DONE', proof: { outcome, organization, forbid, unless } });
    } catch (error) {
      show({ kind: 'ERROR', error });
    }
  };
  return { state, start, reset };
}
