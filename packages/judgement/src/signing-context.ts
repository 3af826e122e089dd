import {
  accountAddress,
  type ContractInterface,
  canonicalAddress,
  contractInterfaceTypes,
  defaultTokens,
  type ParseContext,
  type SignerKey,
  type TokenList,
  withOwnTokens,
} from '@countersign/chains';
import { indexedBy, memoizeByRef } from '@countersign/collections';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { JudgedKey, JudgedOrganization, JudgedWallet } from './organization.ts';
import type { ContactRecord, SmartContractInterfaceRecord, TokenRecord } from './records.ts';
import { CURRENT_RULES, rulesOf } from './rules.ts';
import type { PolicySubject } from './subject.ts';

/** The subject of a signing key. `wallet` is the wallet of an account. */
export function subjectOfKey(key: JudgedKey, wallet?: JudgedWallet): PolicySubject {
  // SECURITY: a key has several names. Policies see one of them: the address of an account, or the id of a private key.
  const parameters = () => ({ signWith: key.kind === 'walletAccount' ? accountAddress(key.body) : key.id });
  return wallet === undefined ? { key, parameters } : { key, wallet, parameters };
}

/** The last signer of each key, with the name that led to it. Most keys are used by one name. Their addresses need curve arithmetic. */
const signers = new WeakMap<JudgedKey, { readonly signWith: string; readonly signer: SignerKey }>();

/**
 * The signer that parsers see for the key that `signWith` names.
 * INVARIANT: a key never changes, so the same name always leads to the same signer.
 */
export function signerOf(key: JudgedKey, signWith: string): SignerKey {
  const last = signers.get(key);
  if (last?.signWith === signWith) return last.signer;
  const { curve } = key.body;
  const addressFormat = formatOf(key, signWith);
  const publicKey = hexToBytes(key.body.publicKey);
  const signer: SignerKey = addressFormat === undefined ? { curve, publicKey } : { curve, publicKey, addressFormat };
  signers.set(key, { signWith, signer });
  return signer;
}

/** The format of the address by which the caller named the key. An account has exactly one. */
function formatOf(key: JudgedKey, signWith: string): string | undefined {
  if (key.kind === 'walletAccount') return key.body.addressFormat;
  const wanted = canonicalAddress(signWith);
  return key.body.addresses.find(({ address }) => canonicalAddress(address) === wanted)?.format;
}

/** One object per record, so that parsers can cache by reference. */
const interfaceOf = memoizeByRef(
  (record: SmartContractInterfaceRecord): ContractInterface => ({
    kind: contractInterfaceTypes[record.type].kind,
    address: record.smartContractAddress,
    json: record.smartContractInterface,
  }),
);
const interfacesOf = memoizeByRef((records: ReadonlyMap<string, SmartContractInterfaceRecord>) =>
  [...records.values()].map(interfaceOf),
);
const tokensByAsset = indexedBy(({ asset }: TokenRecord) => [asset]);
const contactsByAddress = indexedBy(({ address }: ContactRecord) => [address]);

function newest<T>(records: ReadonlyMap<string, T> | undefined): T | undefined {
  return records === undefined ? undefined : [...records.values()].at(-1);
}

/** The token list of an organization: the shipped tokens, then its own. Limits, sentences and policies use this one. */
export const tokenListOf = memoizeByRef((tokens: JudgedOrganization['records']['token']): TokenList => {
  const own = tokensByAsset(tokens);
  return withOwnTokens((asset) => newest(own.get(asset)));
});

/** The token list by the rules of earlier releases. */
function ownTokensFirst(tokens: JudgedOrganization['records']['token']): TokenList {
  const own = tokensByAsset(tokens);
  return (asset) => newest(own.get(asset)) ?? defaultTokens(asset);
}

/** The signing key, and the wallet of an account. */
export interface SigningSource {
  readonly key: JudgedKey;
  readonly wallet?: JudgedWallet | undefined;
}

/**
 * The parse context of an organization: its interfaces, its tokens after the shipped ones, its contacts, and the name of what signs.
 * `judged` has the rules of a past decision.
 */
export function signingContext(
  { records }: JudgedOrganization,
  signer: SignerKey,
  source?: SigningSource,
  judged: { readonly rules?: number | undefined } = { rules: CURRENT_RULES },
): ParseContext {
  const rules = rulesOf(judged);
  const contacts = contactsByAddress(records.contact);
  return {
    signer,
    interfaces: interfacesOf(records.smartContractInterface),
    tokens: rules.ownTokensFirst ? ownTokensFirst(records.token) : tokenListOf(records.token),
    names: { contact: (address) => newest(contacts.get(address))?.label, ...(source && { source: sourceName(source) }) },
    ...(rules.descriptorsVouch && { descriptorsVouch: true }),
    ...(rules.hashMessagesShow && { hashMessagesShow: true }),
  };
}

function sourceName({ key, wallet }: SigningSource): NonNullable<NonNullable<ParseContext['names']>['source']> {
  return key.kind === 'privateKey'
    ? { kind: 'private key', name: key.body.privateKeyName }
    : { kind: 'wallet', name: wallet?.body.walletName ?? '' };
}
