import { ChainError, withChainId } from '@countersign/chains';
import { memoizeByRef } from '@countersign/collections';
import { activityByType } from '@countersign/contract';
import type { Judgement } from '../judgement.ts';
import type { JudgedKey, JudgedOrganization, JudgedSecret, JudgedWallet } from '../organization.ts';
import { pastSigning } from '../past/past-signing.ts';
import { CURRENT_RULES } from '../rules.ts';
import { subjectOfKey } from '../signing-context.ts';
import type { PolicySubject } from '../subject.ts';
import type { HostileRequest } from './hostile-request.ts';
import { addressBytesOf, type Holder, type HostileChain, signWithOf } from './imagined-keys.ts';

/** What the placeholders of a hostile request stand for. */
export interface Filling {
  readonly holder: Holder;
  /** The receiver and the token, as bytes in hexadecimal. */
  readonly to: string;
  readonly token: string;
  /** The chain of Ethereum transactions. */
  readonly chainId: bigint;
  /** The other placeholders, by their names. A request with one that has no value is not tried. */
  readonly names: Readonly<Record<string, string | undefined>>;
}

/** A hostile request as the service would judge it. */
export type Instance = Pick<Judgement, 'definition' | 'type' | 'params' | 'subject'> & {
  /** The parameters as a caller sends them. */
  readonly parameters: unknown;
};

/** Requests for another chain keep theirs. */
const OTHER_CHAINS: readonly string[] = ['chain', 'small-chain'];

/** Fills in the placeholders of a request. Undefined if the service would refuse to read it. */
export function instantiate(request: HostileRequest, filling: Filling, organization: JudgedOrganization): Instance | undefined {
  const known = activityByType.get(request.type);
  if (known === undefined) return undefined;
  const chain = chainOf(request, filling.holder.home);
  if (placeholdersOf(request).names.some((name) => name in filling.names && filling.names[name] === undefined)) return undefined;
  const key = keyFor(request, filling.holder, chain);
  const values: Filling['names'] = {
    ...filling.names,
    self: addressBytesOf(filling.holder.keys[chain], chain),
    to: filling.to,
    token: filling.token,
    account: signWithOf(key),
    key: key.id,
    wallet: filling.holder.wallet?.id ?? '',
    'wallet name': filling.holder.wallet?.body.walletName ?? '',
  };
  const fill = <T>(template: T): T => fillIn(template, values);
  const parameters = onChain(request, fill(request.parameters), filling.chainId);
  const { definition, version } = known;
  const params = version.params.read((_, value) => value as never, parameters);
  try {
    const subject = isSigning(definition.name)
      ? signingSubject(definition.name, params, organization, { key, wallet: filling.holder.wallet })
      : subjectOf(request, filling, key, fill);
    return { definition, type: version.type, params, subject, parameters };
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** The chain of a request, or that of the key for one that is about no chain. */
export function chainOf({ chain }: HostileRequest, home: HostileChain): HostileChain {
  return chain === 'any' ? home : chain;
}

/** The key of a request. Payloads belong to no chain, so the account that the policy names signs them, if its curve fits. */
function keyFor({ chain: named, harm }: HostileRequest, { keys, home, other }: Holder, chain: HostileChain): JudgedKey {
  const own = keys[chain];
  const main = other ?? keys[home];
  const fits = named === 'any' || (harm === 'raw' && main.body.curve === own.body.curve);
  return fits ? main : own;
}

interface Placeholders {
  readonly names: readonly string[];
  readonly hasReceiver: boolean;
  readonly hasToken: boolean;
}

/** The placeholders of a request. */
export const placeholdersOf = memoizeByRef(({ parameters, touches = [] }: HostileRequest): Placeholders => {
  const names = [...JSON.stringify([parameters, touches]).matchAll(/<([a-z ]+)>/g)].map(([, name]) => name as string);
  return { names, hasReceiver: names.includes('to'), hasToken: names.includes('token') };
});

type Content = Pick<PolicySubject, 'parsed' | 'raw'>;

/** What parsers read, by the interfaces and tokens of the organization. They read the same requests for every policy. */
const parsedBy = memoizeByRef((_: object) => new WeakMap<object, Map<string, Content>>());
const nothing = {};
/** Bounds the memory of the cache. */
const MAX_PARSED = 2_000;

/** The subject of a signature. Throws ChainError if the content cannot be read. */
function signingSubject(
  name: SigningName,
  params: unknown,
  organization: JudgedOrganization,
  held: { readonly key: JudgedKey; readonly wallet?: JudgedWallet | undefined },
): PolicySubject {
  const { smartContractInterface, token } = organization.records;
  const byToken = parsedBy(smartContractInterface.size === 0 ? nothing : smartContractInterface);
  const tokens = token.size === 0 ? nothing : token;
  const known = byToken.get(tokens) ?? new Map<string, Content>();
  byToken.set(tokens, known);
  const text = JSON.stringify([name, held.key.body.publicKey, params]);
  if (!known.has(text)) {
    if (known.size >= MAX_PARSED) known.clear();
    const { parsed, raw } = pastSigning(name, params, organization, held, CURRENT_RULES).subject;
    known.set(text, { ...(parsed && { parsed }), ...(raw && { raw }) });
  }
  return { ...subjectOfKey(held.key, held.wallet), ...known.get(text) };
}

type SigningName = Parameters<typeof pastSigning>[0];

function isSigning(name: string): name is SigningName {
  return name === 'signRawPayload' || name === 'signRawPayloads' || name === 'signTransaction';
}

function subjectOf(
  { subject, touches, resolved }: HostileRequest,
  { holder, names }: Filling,
  key: JudgedKey,
  fill: <T>(template: T) => T,
): PolicySubject {
  const { wallet } = holder;
  return {
    ...(wallet !== undefined && (subject === 'wallet' || subject === 'account') && { wallet }),
    ...(wallet !== undefined && subject === 'wallets' && { wallets: [wallet] }),
    ...(subject === 'secrets' && { secrets: [imaginedSecret(names)] }),
    ...(subject === 'account' && {
      key,
      parameters: () => ({ address: signWithOf(key) }),
    }),
    ...(touches !== undefined && { touches: fill(touches) }),
    ...(resolved !== undefined && { parameters: () => fill(resolved) }),
  };
}

/** A secret for which the condition could hold. */
function imaginedSecret({
  secret: id = '',
  'secret name': name = '',
  'property key': key = '',
  'property value': value = '',
}: Filling['names']): JudgedSecret {
  const body = { name, staticProperties: [{ key, value }], exported: false, createdAtMs: 0, updatedAtMs: 0 };
  return { id, body };
}

/** Replaces `<name>` in every text of a value. */
function fillIn<T>(template: T, values: Filling['names']): T {
  if (typeof template === 'string') return template.replace(/<([a-z ]+)>/g, (whole, name: string) => values[name] ?? whole) as T;
  if (Array.isArray(template)) return template.map((each) => fillIn(each, values)) as T;
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillIn(value, values)])) as T;
}

function onChain({ chain, harm }: HostileRequest, parameters: Readonly<Record<string, unknown>>, chainId: bigint) {
  if (chain !== 'ethereum' || chainId === 1n || OTHER_CHAINS.includes(harm)) return parameters;
  const { unsignedTransaction, payload } = parameters;
  if (typeof unsignedTransaction === 'string')
    return { ...parameters, unsignedTransaction: withChainId(unsignedTransaction, chainId) };
  if (typeof payload !== 'string' || !payload.includes('"chainId":1,')) return parameters;
  return { ...parameters, payload: payload.replace('"chainId":1,', `"chainId":${chainId},`) };
}
