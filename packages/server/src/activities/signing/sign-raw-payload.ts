import { activities } from '@countersign/contract';
import { signerOf } from '@countersign/judgement';
import { execute } from '../../pipeline/executor.ts';
import { readPayload } from './read-payload.ts';
import { signWithKey, toWireSignature } from './sign-with.ts';
import { keyToSign, parseContext, signingSubject } from './signer.ts';

export const signRawPayload = execute(activities.signRawPayload, {
  exclusive: false,

  async plan(context, { signWith, payload, encoding, hashFunction }) {
    const key = await keyToSign(context, signWith);
    const parse = parseContext(context.organization, signerOf(key, signWith));
    const { request, parsed } = readPayload(payload, encoding, hashFunction, parse, 'payload');
    return {
      intent: { privateKeyId: key.id, payload, encoding, hashFunction },
      subject: { ...(await signingSubject(context, key)), ...(parsed && { parsed }) },
      prepared: { key, request },
    };
  },

  async run(context, { prepared: { key, request } }) {
    const [signature] = await signWithKey(context, key, [request]);
    if (signature === undefined) throw new Error('the vault gave no signature');
    return { result: toWireSignature(signature), changes: [] };
  },
});
