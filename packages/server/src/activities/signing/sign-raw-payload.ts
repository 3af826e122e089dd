import type { RawSignature, SigningRequest } from '@countersign/chains';
import { activities, type HashFunction, type PayloadEncoding } from '@countersign/contract';
import { type PolicySubject, signerOf } from '@countersign/judgement';
import type { SigningKey } from '../../organizations/resources.ts';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';
import { readPayload } from './read-payload.ts';
import { signWithKey, toWireSignature } from './sign-with.ts';
import { keyToSign, parseContext, signingSubject } from './signer.ts';

interface Parameters {
  readonly signWith: string;
  readonly payload: string;
  readonly encoding: PayloadEncoding;
  readonly hashFunction: HashFunction;
}

interface Prepared {
  readonly key: SigningKey;
  readonly request: SigningRequest;
}

/** It waits for nothing where the key and its wallet are in memory, as they are for most requests. */
export const signRawPayload = execute<typeof activities.signRawPayload, Prepared>(activities.signRawPayload, {
  exclusive: false,

  plan(context, params) {
    const key = keyToSign(context, params.signWith);
    return key instanceof Promise ? key.then((found) => planWith(context, params, found)) : planWith(context, params, key);
  },

  run(context, { prepared: { key, request } }) {
    const signatures = signWithKey(context, key, [request]);
    return signatures instanceof Promise ? signatures.then(outcomeOf) : outcomeOf(signatures);
  },
});

function planWith(context: PlanContext, { signWith, payload, encoding, hashFunction }: Parameters, key: SigningKey) {
  const signer = signerOf(key, signWith);
  const parse = () => parseContext(context.organization, signer);
  const { request, parsed } = readPayload(payload, encoding, hashFunction, signer, parse, 'payload');
  const intent = { privateKeyId: key.id, payload, encoding, hashFunction };
  const prepared = { key, request };
  const planned = (subject: PolicySubject) => ({ intent, subject: parsed ? { ...subject, parsed } : subject, prepared });
  const subject = signingSubject(context, key);
  return subject instanceof Promise ? subject.then(planned) : planned(subject);
}

function outcomeOf([signature]: readonly RawSignature[]) {
  if (signature === undefined) throw new Error('the vault gave no signature');
  return { result: toWireSignature(signature), changes: [] };
}
