import { activities } from '@countersign/contract';
import { rawContent, signerOf } from '@countersign/judgement';
import { createSlices, mapInSlices } from '../../admission/index.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';
import { isTypedMessage, readPayload } from './read-payload.ts';
import { keyToSign, parseContext, signingSubject, signWithKey, toWireSignature } from './signing-key.ts';

export const signRawPayloads = execute(activities.signRawPayloads, {
  locksOrganization: false,

  async plan(context, params) {
    const { limits } = context;
    const { signWith, payloads, encoding } = params;
    if (payloads.length > limits.maxPayloads) throw limitExceeded('payloads in one request', limits.maxPayloads, 'maxPayloads');
    // SECURITY: policies see one message per request, so they could not evaluate a batch of typed messages.
    if (isTypedMessage(encoding)) {
      throw invalidField(
        'encoding',
        'must be hexadecimal or text for several payloads; send typed messages one by one with sign_raw_payload',
      );
    }
    const key = await keyToSign(context, signWith);
    const subject = await signingSubject(context, key);
    const parsing = parseContext(context.organization, signerOf(key, signWith), subject);
    const read = await mapInSlices(payloads, createSlices(context.organization.id), (payload, index) =>
      readPayload(payload, params, parsing, `payloads.${index}`),
    );
    return {
      intent: params,
      subject: { ...subject, ...rawContent(read.map(({ content }) => content)), signatures: payloads.length },
      prepared: { key, requests: read.map(({ request }) => request) },
    };
  },

  async run(context, { prepared: { key, requests } }) {
    const signatures = await signWithKey(context, key, requests);
    return { result: { signatures: signatures.map(toWireSignature) }, changes: [] };
  },
});
