import type { Client, ListedActivity, StampedRequest } from '@countersign/client';
import { words } from '../words/index.ts';
import { provenNames } from './proof/prove-names.ts';
import type { Prover } from './proof/prove-record.ts';
import { readSigning } from './read-request.ts';
import { findReplaced, isReplacement, type Replaced } from './replaced.ts';
import { sameEffects } from './same-effects.ts';
import { signedRequest } from './sent-request.ts';
import type { Check, Knowledge, Reading, Signer } from './types.ts';

interface Given {
  readonly client: Client;
  readonly activity: ListedActivity;
  readonly request: StampedRequest;
  readonly signer: Signer;
  readonly knowledge: Knowledge;
  readonly prover: Pick<Prover, 'record' | 'result'>;
  readonly isTransaction: boolean;
}

/** Decodes the request of an activity and compares it with what the service shows. Throws ChainError. */
export async function readAs(given: Given): Promise<Check> {
  const { client, activity, request, signer, knowledge, prover, isTransaction } = given;
  const { source, ...nameless } = signer;
  const replaced = isReplacement(request) ? await findReplaced(client, request, prover) : undefined;
  if (isReplacement(request) && replaced === undefined) return { state: 'unread', request };
  const signed = signedRequest(request, activity, replaced?.content);
  const replacedSigned = replaced && signedRequest(replaced.request, replaced.activities[0], replaced.before);
  if (signed === undefined || (replaced && replacedSigned === undefined)) return { state: 'unread', request };
  const bare = { ...knowledge, contacts: [], tokens: [] };
  const first = readSigning(signed, nameless, bare);
  if (first === undefined) return isTransaction ? { state: 'unread', request } : { state: 'plain', request, keys: [] };
  if (!sameEffects(first.effects, activity.parsed?.effects ?? [])) return { state: 'mismatch' };
  const earlier = replacedSigned && readSigning(replacedSigned, nameless, bare);
  const proven = await provenNames([...first.effects, ...(earlier?.effects ?? [])], signer, knowledge, prover);
  const read = readSigning(signed, proven.signer, proven.knowledge);
  const old = replacedSigned && readSigning(replacedSigned, proven.signer, proven.knowledge);
  if (read === undefined) return { state: 'unread', request };
  const reading = { ...read, names: proven.names, agrees: true };
  if (replaced === undefined) return { state: 'read', request, signer: nameless, reading };
  if (old === undefined) return { state: 'unread', request };
  return { state: 'read', request, signer: nameless, reading: asReplacement(reading, request, replaced, old.sentence) };
}

/** The reading with a sentence that says what becomes of the pending transaction. */
function asReplacement(reading: Reading, { parameters }: StampedRequest, replaced: Replaced, sentence: string): Reading {
  const [{ id }, ...others] = replaced.activities;
  const kind = parameters.replacement === 'CANCEL' ? 'CANCEL' : 'SPEED_UP';
  return {
    ...reading,
    sentence: words.approvals.replaces.sentences[kind](reading.sentence, sentence),
    replaces: {
      ...{ kind, sentence, activityIds: [id, ...others.map((other) => other.id)] },
      leavesGasLimit: replaced.content.gasLimit === undefined,
    },
  };
}
