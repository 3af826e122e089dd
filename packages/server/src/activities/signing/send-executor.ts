import {
  ChainError,
  type Cost,
  costOf,
  type ParsedTransaction,
  type SignerKey,
  type TransactionType,
  transactionTypes,
} from '@countersign/chains';
import { type ActivityDefinition, ServiceError } from '@countersign/contract';
import {
  alsoSigned,
  describeSent,
  isSponsored,
  type PolicySubject,
  readingOf,
  signerOf,
  transactionToSend,
} from '@countersign/judgement';
import type { z } from 'zod';
import { parserEngines } from '../../auth/parser-engines.ts';
import type { GasSponsor } from '../../config/gas-sponsors.ts';
import type { SigningKey } from '../../organizations/snapshot/signing-keys.ts';
import { type Executor, execute, type PlanContext, type RunContext } from '../../pipeline/plan/executor.ts';
import { requireRoom } from '../../sending/complete-transaction.ts';
import type { NewSend } from '../../sending/new-send.ts';
import { readAgain } from '../../sending/read-again.ts';
import { bytesKeyOf, refuseSameBytes, requestKeyOf, requireNotSent, sentWithBytes } from '../../sending/request-key.ts';
import type { CompletedChain } from '../../sending/send-chain.ts';
import type { SendRecord, TopUp } from '../../sending/send-record.ts';
import type { Sending, SendingAccount } from '../../sending/sending.ts';
import { requireSponsor, topUpOf } from '../../sending/top-up.ts';
import type { SendAccountKey } from '../../store/send-store.ts';
import { keyToSign, parseContext, signingSubject, signWithKey } from './signing-key.ts';

interface Prepared<Facts, Completed> {
  readonly key: SigningKey;
  readonly signer: SignerKey;
  readonly parsed: ParsedTransaction;
  readonly subject: PolicySubject;
  /** Who pays for what the account lacks for the fee. */
  readonly sponsor: GasSponsor | undefined;
  readonly completed: Completed;
  /** Absent if nothing allows the request. */
  readonly facts: Facts | undefined;
  readonly account: SendingAccount;
  readonly accountKey: SendAccountKey;
  /** Empty if the caller did not name the payment. */
  readonly requestKey: string;
  /** Empty on chains with nonces. */
  readonly bytesKey: string;
  /** The last transaction with the same name, sent more than a day ago. */
  readonly namedBefore: SendRecord | undefined;
}

type Completion<Facts, Completed> = Pick<
  Prepared<Facts, Completed>,
  'completed' | 'facts' | 'account' | 'accountKey' | 'requestKey' | 'bytesKey' | 'namedBefore'
>;

const unused: SendingAccount = { account: undefined, active: [] };

/** The executor of an activity that signs a transaction and hands it to the sender. What differs by chain is in the entry of the chain. */
export function sendExecutor<A extends ActivityDefinition, Params extends object, Facts, Completed extends object>(
  definition: A,
  chain: CompletedChain<Params, Facts, Completed>,
): Executor<A> {
  const type = transactionTypes[chain.transactionType];
  const signWithOf = (params: Params) => params[chain.signWith] as string;

  return execute<A, Prepared<Facts, Completed>>(definition, {
    locksOrganization: false,

    async readChain({ organization, resources, sending, planned }, given) {
      const params = given as unknown as Params;
      const nodes = sending.nodesOf(chain.chainOf(params));
      sponsorOf(chain, { organization, sending }, params);
      // SECURITY: D742: the nodes are asked about accounts of the organization only.
      const key = await resources.signingKey(organization, signWithOf(params));
      try {
        const signer = signerOf(key, signWithOf(params));
        const account = chain.accountOf(params, signer.publicKey);
        if (chain.requireSendable !== undefined) {
          const { unsignedTransaction } = transactionToSend(definition.name, params);
          chain.requireSendable(params, type.parse(unsignedTransaction, parseContext(organization, signer, {})));
        }
        return await chain.readFacts(nodes, params, planned as Completed | undefined, account);
      } catch (error) {
        if (error instanceof ChainError) throw invalid('', error.message, error);
        throw error;
      }
    },

    async plan(context, given) {
      const params = given as unknown as Params;
      const { organization, sending } = context;
      sending.nodesOf(chain.chainOf(params));
      const signWith = signWithOf(params);
      const key = await keyToSign(context, signWith);
      if (key.body.curve !== type.curve) throw invalid(chain.signWith, `a transaction is signed with a ${type.curve} key`);
      const subject = await signingSubject(context, key);
      const signer = signerOf(key, signWith);
      try {
        const completion = await complete(chain, context, params, signer.publicKey);
        const { completed } = completion;
        const transaction = transactionToSend(definition.name, completed);
        const parsing = { ...parseContext(organization, signer, subject), ...readingOf(definition.name) };
        const parsed = type.parse(transaction.unsignedTransaction, parsing);
        chain.requireSendable?.(params, parsed);
        const named = subject.parameters?.() as { readonly signWith: string };
        const idempotencyKey = keyIn(params);
        const name = idempotencyKey === undefined ? {} : { idempotencyKey };
        return {
          intent: completed as z.output<A['intent']>,
          subject: {
            ...subject,
            parsed: describeSent(completed, parsed),
            ...alsoSigned(definition.name, transaction, completed, parsed, signer),
            parameters: () => ({
              ...completed,
              ...name,
              [chain.signWith]: named.signWith,
              sponsor: isSponsored(completed),
            }),
          },
          prepared: { key, signer, parsed, subject, sponsor: sponsorOf(chain, context, params), ...completion },
        };
      } catch (error) {
        if (error instanceof ChainError) throw invalid('', error.message, error);
        throw error;
      }
    },

    async run(context, { prepared }) {
      const { facts } = prepared;
      if (facts === undefined)
        throw new ServiceError('CONFLICT', 'The rights of the caller changed while this request was authorized. Send it again.');
      const { hash, send } = await signToSend(context, chain, type, { ...prepared, facts });
      const result = { sendTransactionStatusId: send.id, transactionHash: hash };
      return { result: result as z.output<A['result']>, changes: [], sends: [send] };
    },
  });
}

/** The transaction with what the service fills in. Without facts, because nothing allows the request, they are made up. */
async function complete<Params extends object, Facts, Completed extends object>(
  chain: CompletedChain<Params, Facts, Completed>,
  context: PlanContext,
  params: Params,
  publicKey: Uint8Array,
  tries = 3,
): Promise<Completion<Facts, Completed>> {
  const { organization, sending, chain: read, planned, submitterId: userId, nowMs } = context;
  const name = chain.chainOf(params);
  const accountKey = { organizationId: organization.id, chain: name, account: chain.accountOf(params, publicKey) };
  const idempotencyKey = keyIn(params);
  const requestKey = idempotencyKey === undefined ? '' : requestKeyOf({ ...accountKey, userId, idempotencyKey });
  const found = (await orIfSent(read, () => requireNotSent(sending, organization.id, requestKey, nowMs))) as Facts | undefined;
  const account = found === undefined ? unused : await sending.account(accountKey);
  const namedBefore = found && (await requireNotSent(sending, organization.id, requestKey, nowMs));
  const facts = found && (await chain.renewed(sending.nodesOf(name), params, found, account));
  const completed = chain.complete({ params, account, planned }, facts ?? chain.unread, sending);
  const bytes = chain.sameBytes?.(completed);
  const bytesKey = bytes === undefined ? '' : bytesKeyOf(name, accountKey.account, bytes);
  if (facts !== undefined && bytes !== undefined) {
    const same = await sentWithBytes(sending, organization.id, { bytes, bytesKey }, account.active);
    // It may have been committed after the account was read. Then the next reading leads to other bytes.
    if (same !== undefined && tries > 0 && !account.active.includes(same))
      return complete(chain, context, params, publicKey, tries - 1);
    if (same !== undefined) refuseSameBytes(same);
  }
  return { completed, facts, account, accountKey, requestKey, bytesKey, namedBefore };
}

/**
 * What the nodes said. SECURITY: D953: they reject the repetition of a payment that was made, such as one whose coins it has spent itself. Its
 * caller must learn of the payment, and not that other coins are needed.
 */
async function orIfSent(read: PlanContext['chain'], requireNew: () => Promise<unknown>): Promise<unknown> {
  try {
    return read?.();
  } catch (error) {
    await requireNew();
    throw error;
  }
}

/** Signs the transaction. Returns its hash, and what the sender gets. */
async function signToSend<Params extends object, Facts, Completed extends object>(
  context: RunContext,
  chain: CompletedChain<Params, Facts, Completed>,
  type: TransactionType,
  prepared: Prepared<Facts, Completed> & { readonly facts: Facts },
): Promise<{ readonly hash: string; readonly send: NewSend }> {
  const { key, signer, parsed: allowed, completed, facts, account: sendingAccount } = prepared;
  const { accountKey, requestKey, bytesKey, namedBefore } = prepared;
  const cost = costOf(allowed.effects, allowed.signer);
  const follow = chain.toFollow(completed, facts, cost);
  if (follow.replaces === undefined) requireRoom(sendingAccount);
  const topUp = topUpFor(chain, prepared, cost);
  const parsed = await withInnerSignatures(context, chain, type, prepared);
  const signatures = await signWithKey(context, key, type.signingRequests(parsed, signer, parserEngines));
  const assembled = type.assemble(parsed, signer, signatures);
  const hash = type.hash(assembled, parserEngines);
  if (hash === undefined) throw new Error('a signed transaction has no hash');
  const signed = chain.toBytes?.(assembled) ?? assembled;
  const { account } = sendingAccount;
  const expected = account && { revision: account.revision, mac: account.mac };
  const floor = Math.max(account?.floor ?? 0, 0);
  const uses = namedBefore?.nameUses;
  const name = {
    requestKey,
    ...(requestKey !== '' && { nameUses: (uses ?? 0) + 1 }),
    namedBefore: uses === undefined ? undefined : namedBefore?.id,
  };
  const more = { ...follow, ...(topUp && { topUp }) };
  return { hash, send: { ...accountKey, id: context.newId(), ...name, bytesKey, hash, signed, ...more, expected, floor } };
}

/** Who pays for the fee, if the request asks for a sponsor. Throws without one. */
function sponsorOf<Params, Facts, Completed>(
  { sponsoring, chainOf, signWith }: CompletedChain<Params, Facts, Completed>,
  { organization, sending }: Pick<PlanContext, 'organization'> & { readonly sending: Pick<Sending, 'sponsors'> },
  params: Params,
): GasSponsor | undefined {
  if (sponsoring?.isAskedFor(params) !== true) return undefined;
  return requireSponsor(sending.sponsors, organization, chainOf(params), params[signWith] as string);
}

/** What the sponsor pays. Throws if account and sponsor together cannot pay for the transaction. */
function topUpFor<Params, Facts, Completed>(
  chain: CompletedChain<Params, Facts, Completed>,
  { sponsor, completed, facts, account }: Prepared<Facts, Completed> & { readonly facts: Facts },
  cost: Cost,
): TopUp | undefined {
  if (sponsor === undefined || chain.sponsoring === undefined) {
    chain.requireFunds(completed, facts, account, cost);
    return undefined;
  }
  return topUpOf(sponsor, chain.sponsoring.missing(completed, facts, account));
}

/** The transaction to sign, with the signatures inside of it. */
async function withInnerSignatures<Params, Facts, Completed>(
  context: RunContext,
  { signedFirst }: CompletedChain<Params, Facts, Completed>,
  type: Pick<TransactionType, 'parse'>,
  { key, signer, parsed, subject, completed }: Prepared<Facts, Completed>,
): Promise<ParsedTransaction> {
  if (signedFirst === undefined) return parsed;
  const inner = await signWithKey(context, key, signedFirst.requests(completed));
  const unsigned = signedFirst.insert(completed, inner);
  return readAgain(type, unsigned, parseContext(context.organization, signer, subject), parsed);
}

/** How the caller named the payment. */
function keyIn(params: object): string | undefined {
  return (params as { readonly idempotencyKey?: string }).idempotencyKey;
}

function invalid(field: string, description: string, cause?: unknown): ServiceError {
  return new ServiceError('TRANSACTION_INVALID', `The transaction cannot be signed: ${description}`, {
    cause,
    ...(field !== '' && { violations: [{ field, description }] }),
  });
}
