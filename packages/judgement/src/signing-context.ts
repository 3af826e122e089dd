import {
  type ContractInterface,
  canonicalAddress,
  contractInterfaceTypes,
  defaultTokens,
  type ParseContext,
  type SignerKey,
  type TokenList,
} from '@countersign/chains';
import { indexedBy } from '@countersign/policy';
import { hexToBytes } from '@noble/hashes/utils.js';
import { memoizeByRef } from './memoize-by-ref.ts';
import { accountAddress } from './normalizers.ts';
import type { JudgedKey, JudgedOrganization, JudgedWallet } from './organization.ts';
import type { ContactRecord, SmartContractInterfaceRecord, TokenRecord } from './records.ts';
import type { PolicySubject } from './subject.ts';

/** A key that is to sign, as policies see it. `wallet` is that of an account. */
export function subjectOfKey(key: JudgedKey, wallet?: JudgedWallet): PolicySubject {
  // SECURITY: a key answers to several names. Policies see one: the address of an account, the id of a private key.
  const parameters = () => ({ signWith: key.kind === 'walletAccount' ? accountAddress(key.body) : key.id });
  return wallet === undefined ? { key, parameters } : { key, wallet, parameters };
}

/** What the last name of each key led to. A key is mostly named in one way, and reading its addresses takes arithmetic on its curve. */
const signers = new WeakMap<JudgedKey, { readonly signWith: string; readonly signer: SignerKey }>();

/**
 * What parsers may know of the key that `signWith` led to.
 * INVARIANT: a key is never changed, so the same name always gives the same.
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

/** The format of the address that the caller named the key by; an account has one in any case. */
function formatOf(key: JudgedKey, signWith: string): string | undefined {
  if (key.kind === 'walletAccount') return key.body.addressFormat;
  const wanted = canonicalAddress(signWith);
  return key.body.addresses.find(({ address }) => canonicalAddress(address) === wanted)?.format;
}

/** One object per record, so that parsers can keep what they made of it. */
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

/** The newest of several records that say something of one thing. */
function newest<T>(records: ReadonlyMap<string, T> | undefined): T | undefined {
  return records === undefined ? undefined : [...records.values()].at(-1);
}

/** What parsers may know of an organization: its interfaces, its tokens before those that the service ships, and its contacts. */
export function signingContext({ records }: JudgedOrganization, signer: SignerKey): ParseContext {
  const ownTokens = tokensByAsset(records.token);
  const tokens: TokenList = (asset) => newest(ownTokens.get(asset)) ?? defaultTokens(asset);
  const contacts = contactsByAddress(records.contact);
  const interfaces = interfacesOf(records.smartContractInterface);
  return { signer, interfaces, tokens, names: { contact: (address) => newest(contacts.get(address))?.label } };
}
