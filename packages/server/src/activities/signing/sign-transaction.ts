import { ChainError, type ParseContext, type TransactionType, transactionTypes } from '@countersign/chains';
import { activities, ServiceError } from '@countersign/contract';
import { signerOf } from '@countersign/judgement';
import { createSlices, runInSlices } from '../../admission/index.ts';
import { parserEngines } from '../../auth/parser-engines.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
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
    const subject = await signingSubject(context, key);
    try {
      const parsing = parseContext(organization, signer, subject);
      const { parsed, requests } = await readTransaction(transactionType, unsignedTransaction, organization, parsing);
      return {
        intent: { privateKeyId: key.id, unsignedTransaction, type },
        subject: { ...subject, parsed },
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

/** Parses a transaction and finds what to sign. SECURITY: D355: runs in slices if the largest transactions of the type take long. */
async function readTransaction(type: TransactionType, unsigned: string, organization: Snapshot, context: ParseContext) {
  const { signer } = context;
  if (type.inSteps === undefined) {
    const parsed = type.parse(unsigned, context);
    return { parsed, requests: type.signingRequests(parsed, signer, parserEngines) };
  }
  const endSlice = createSlices(organization.id);
  const parsed = await runInSlices(type.inSteps.parse(unsigned, context), endSlice);
  return { parsed, requests: await runInSlices(type.inSteps.signingRequests(parsed, signer, parserEngines), endSlice) };
}

function refuse(field: string, description: string, cause?: unknown): ServiceError {
  return new ServiceError('TRANSACTION_INVALID', `failed to parse transaction: ${description}`, {
    cause,
    violations: [{ field, description }],
  });
}
