import type { SigningRequest } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { rawContent, signerOf } from '@countersign/judgement';
import { createSlices } from '../../admission/index.ts';
import type { SigningKey } from '../../organizations/snapshot/signing-keys.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { isTypedMessage, readPayload, readTypedMessage } from './read-payload.ts';
import { keyToSign, parseContext, signingSubject, signWithKey, toWireSignature } from './signing-key.ts';

interface Prepared {
  readonly key: SigningKey;
  readonly request: SigningRequest;
}

export const signRawPayload = execute<typeof activities.signRawPayload, Prepared>(activities.signRawPayload, {
  locksOrganization: false,

  async plan(context, params) {
    const { signWith, payload, encoding, hashFunction } = params;
    const key = await keyToSign(context, signWith);
    const subject = await signingSubject(context, key);
    const parsing = parseContext(context.organization, signerOf(key, signWith), subject);
    const { request, parsed, content } = isTypedMessage(encoding)
      ? await readTypedMessage(payload, encoding, hashFunction, parsing, createSlices(context.organization.id))
      : readPayload(payload, params, parsing, 'payload');
    return {
      intent: { privateKeyId: key.id, payload, encoding, hashFunction },
      subject: parsed ? { ...subject, parsed } : { ...subject, ...rawContent([content]) },
      prepared: { key, request },
    };
  },

  async run(context, { prepared: { key, request } }) {
    const [signature] = await signWithKey(context, key, [request]);
    if (signature === undefined) throw new Error('the vault returned no signature');
    return { result: toWireSignature(signature), changes: [] };
  },
});
