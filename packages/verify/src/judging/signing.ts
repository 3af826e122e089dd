import { ChainError, type SignerKey, type SigningRequest, transactionTypes } from '@countersign/chains';
import type { ActivityInput } from '@countersign/contract';
import {
  changedParameter,
  type PolicySubject,
  pastSigning,
  type SendingName,
  type StoredSubject,
  sameTransaction,
  sendingKeyField,
} from '@countersign/judgement';
import { concatBytes } from '@noble/hashes/utils.js';
import { AuditError, must } from '../audit-error.ts';
import type { SignatureChecks } from '../checks.ts';
import { requestOf, verifyRequest } from '../signatures/requests.ts';
import { signaturesIn } from '../signatures/signed-transaction.ts';
import type { State } from '../state/state.ts';
import { fromHex } from '../text.ts';

/** A request for signatures, as it was understood: what policies see of it, and how its result is checked. */
export interface SigningCase {
  readonly subject: PolicySubject;
  /** Throws AuditError unless the result holds the signatures that were asked for. Gives how many they are. */
  verifyResult(result: unknown, checks: SignatureChecks): number;
  /** What a transaction that the service sends is, and the id of the one that it repeats with another fee. Absent for others. */
  readonly sends?: { readonly transaction: string | undefined; readonly repeats: string | undefined };
}

type Read = (state: State, params: never, rules: number | undefined, stored: unknown) => SigningCase;

const readers: { readonly [name: string]: Read } = {
  signRawPayload: (state, params: ActivityInput<'signRawPayload'>, rules) => {
    const { signer, subject, digest } = read(state, 'signRawPayload', params, rules);
    return { subject, verifyResult: raw([requestOf(params, signer, digest)], signer, (result) => [result]) };
  },
  signRawPayloads: (state, params: ActivityInput<'signRawPayloads'>, rules) => {
    const { signer, subject } = read(state, 'signRawPayloads', params, rules);
    const requests = params.payloads.map((payload) => requestOf({ ...params, payload }, signer, undefined));
    return { subject, verifyResult: raw(requests, signer, (result) => (result as { signatures: unknown[] }).signatures) };
  },
  signTransaction: (state, params: ActivityInput<'signTransaction'>, rules) => {
    const { signer, subject, transaction: parsed } = read(state, 'signTransaction', params, rules);
    if (parsed === undefined) throw new AuditError('the signed content is not a transaction');
    const type = transactionTypes[params.type];
    return {
      subject,
      verifyResult(result, checks) {
        const requests = type.signingRequests(parsed, signer);
        const { signedTransaction } = result as { signedTransaction: string };
        const signatures = signaturesIn(signedTransaction, type, parsed, signer, requests);
        for (const [at, request] of requests.entries())
          verifyRequest(request, signer, signatures[at]?.bytes ?? new Uint8Array(), checks);
        return requests.length;
      },
    };
  },
  ethSendTransaction: sent('ethSendTransaction'),
  ethReplaceTransaction: sent('ethReplaceTransaction'),
  ethUndelegate7702: sent('ethUndelegate7702'),
  solSendTransaction: sent('solSendTransaction'),
  tronSendTransaction: sent('tronSendTransaction'),
  bitcoinSendTransaction: sent('bitcoinSendTransaction'),
};

/** The signature is on the chain and not in the file, which names the hash of the transaction. */
function sent(name: SendingName): Read {
  return (state, params: { readonly replacement?: string; readonly sendTransactionStatusId?: string }, rules, completed) => {
    must(completed !== undefined, 'the decision does not say which transaction it allowed');
    const changed = changedParameter(name, params, completed);
    must(changed === undefined, () => `the transaction of the decision has another ${changed} than the request`);
    const field = sendingKeyField(name);
    const key = (params as Readonly<Record<string, string>>)[field] as string;
    const request = { ...(completed as object), [field]: key, signWith: key };
    const { subject } = read(state, name, request, rules);
    const repeats = params.replacement === 'SPEED_UP' ? params.sendTransactionStatusId : undefined;
    return { subject, verifyResult: () => 0, sends: { transaction: sameTransaction(name, request), repeats } };
  };
}

/**
 * Reads a request for signatures from its parameters, by the rules of its decision. Undefined for an activity that signs nothing.
 */
export function signingCase(
  name: string,
  state: State,
  params: unknown,
  { rules, subject }: { readonly rules?: number | undefined; readonly subject?: StoredSubject | undefined },
): SigningCase | undefined {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  try {
    return reader?.(state, params as never, rules, subject?.parameters);
  } catch (error) {
    if (error instanceof ChainError) throw new AuditError(`the signed content cannot be decoded: ${error.message}`);
    throw error;
  }
}

function read(
  state: State,
  name: Parameters<typeof pastSigning>[0],
  params: { readonly signWith: string },
  rules: number | undefined,
) {
  const { signWith } = params;
  const key = state.signingKey(signWith);
  if (key === undefined) throw new AuditError(`no single key matches ${signWith}`);
  must(!(key.kind === 'privateKey' && key.body.disabled === true), `the key ${key.id} was disabled`);
  const wallet = key.kind === 'walletAccount' ? state.wallet(key.body.walletId) : undefined;
  must(key.kind === 'privateKey' || wallet !== undefined, `the wallet of account ${key.id} is not known`);
  return pastSigning(name, params, state.organization(), { key, wallet }, rules);
}

/** Checks signatures as the wire shows them: r, s and the recovery bit in hex. */
function raw(requests: readonly SigningRequest[], signer: SignerKey, listed: (result: unknown) => readonly unknown[]) {
  return (result: unknown, checks: SignatureChecks): number => {
    const signatures = listed(result);
    must(signatures.length === requests.length, 'the numbers of signatures and payloads differ');
    for (const [at, request] of requests.entries()) {
      const { r, s } = signatures[at] as { readonly r: string; readonly s: string };
      verifyRequest(request, signer, concatBytes(fromHex(r, 'a signature'), fromHex(s, 'a signature')), checks);
    }
    return requests.length;
  };
}
