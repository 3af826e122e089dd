import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { limitExceeded } from '../refuse.ts';
import { signingRequest } from './digest.ts';
import { signWithKey, toWireSignature } from './sign-with.ts';

export const signRawPayloads = execute(activities.signRawPayloads, {
  exclusive: false,

  async plan({ organization, resources, limits }, params) {
    const { signWith, payloads, encoding, hashFunction } = params;
    if (payloads.length > limits.maxPayloads) throw limitExceeded('payloads in one request', limits.maxPayloads, 'maxPayloads');
    const key = await resources.signingKey(organization, signWith);
    const requests = payloads.map((payload, index) =>
      signingRequest(payload, encoding, hashFunction, key.body.curve, `payloads.${index}`),
    );
    return { intent: params, subject: { key }, prepared: { key, requests } };
  },

  async run(context, { prepared: { key, requests } }) {
    const signatures = await signWithKey(context, key, requests);
    return { result: { signatures: signatures.map(toWireSignature) }, changes: [] };
  },
});
