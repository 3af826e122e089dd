import { ChainError, transactionTypes } from '@countersign/chains';
import { activities, ServiceError } from '@countersign/contract';
import { signerOf } from '@countersign/judgement';
import { sha256 } from '../../auth/parser-engines.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { keyToSign, parseContext, signingSubject, signWithKey } from './signing-key.ts';

export const signTransaction = execute(activities.signTransaction, {
  locksOrganization: false,

  async plan(context, { signWith, unsignedTransaction, type }) {
    const { organization } = context;
    const key = await keyToSign(context, signWith);
    const transactionType = transactionTypes[type];
    if (key.body.curve !== transactionType.curve) {
      throw refuse('signWith', `${type} is signed with a ${transactionType.curve} key, this key is ${key.body.curve}`);
    }
    const signer = signerOf(key, signWith);
    try {
      const parsed = transactionType.parse(unsignedTransaction, parseContext(organization, signer));
      const requests = transactionType.signingRequests(parsed, signer, sha256);
      return {
        intent: { privateKeyId: key.id, unsignedTransaction, type },
        subject: { ...(await signingSubject(context, key)), parsed },
        prepared: { key, parsed, requests, transactionType, signer },
      };
    } catch (error) {
      if (error instanceof ChainError) throw refuse('unsignedTransaction', error.message, error);
      throw error;
    }
  },

  async run(context, { prepared: { key, parsed, requests, transactionType, signer } }) {
    const signatures = await signWithKey(context, key, requests);
    return { result: { signedTransaction: transactionType.assemble(parsed, signer, signatures) }, changes: [] };
  },
});

function refuse(field: string, description: string, cause?: unknown): ServiceError {
  return new ServiceError('TRANSACTION_INVALID', `failed to parse transaction: ${description}`, {
    cause,
    violations: [{ field, description }],
  });
}
