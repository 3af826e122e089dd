import {
  accountAddress,
  type ContractInterface,
  canonicalAddress,
  contractInterfaceTypes,
  defaultTokens,
  type ParseContext,
  type SignerKey,
  type TokenList,
} from '@countersign/chains';
import { indexedBy, memoizeByRef } from '@countersign/collections';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { JudgedKey, JudgedOrganization, JudgedWallet } from './organization.ts';
import type { ContactRecord, SmartContractInterfaceRecord, TokenRecord } from './records.ts';
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

/** The parse context of an organization: its interfaces, its tokens before the shipped ones, and its contacts. */
export function signingContext({ records }: JudgedOrganization, signer: SignerKey): ParseContext {
  const ownTokens = tokensByAsset(records.token);
  const tokens: TokenList = (asset) => newest(ownTokens.get(asset)) ?? defaultTokens(asset);
  const contacts = contactsByAddress(records.contact);
  const interfaces = interfacesOf(records.smartContractInterface);
  return { signer, interfaces, tokens, names: { contact: (address) => newest(contacts.get(address))?.label } };
}
