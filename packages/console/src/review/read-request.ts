import {
  type AddressFormatId,
  type Asset,
  ChainError,
  type ContractInterface,
  canonicalAddress,
  contractInterfaceTypes,
  type Effect,
  encodeAddress,
  formatUnits,
  nameOfAsset,
  type ParseContext,
  parseAuthorization,
  parseTypedData,
  type SignerKey,
  transactionTypes,
  withOwnTokens,
} from '@countersign/chains';
import type { StampedRequest } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { hexToBytes } from '@noble/hashes/utils.js';
import { UNDELEGATES } from './leaves-fee.ts';
import type { Knowledge, Reading, Signer } from './types.ts';

/** What the bytes say. */
export type Decoded = Omit<Reading, 'agrees' | 'names'>;

const typedMessages: Readonly<Record<string, typeof parseTypedData>> = {
  PAYLOAD_ENCODING_EIP712: parseTypedData,
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: parseAuthorization,
};

/** Decodes what a request signs from its stamped bytes. Undefined unless it is a transaction or a typed message. Throws ChainError. */
export function readSigning(
  { type: requested, parameters }: StampedRequest,
  signer: Signer,
  knowledge: Knowledge,
): Decoded | undefined {
  const { type, unsignedTransaction, encoding, payload } = parameters as Readonly<Record<string, unknown>>;
  const context = contextOf(signer, knowledge);
  const transactionType = transactionTypes[type as keyof typeof transactionTypes];
  if (transactionType !== undefined && typeof unsignedTransaction === 'string')
    return shown(transactionType.parse(unsignedTransaction, { ...context, signsAuthorizations: UNDELEGATES.test(requested) }));
  const parse = typedMessages[String(encoding)];
  return parse === undefined || typeof payload !== 'string' ? undefined : shown(parse(payload, context));
}

/** Decodes a pasted transaction. Returns the error message if it is invalid. */
export function readTransaction(
  type: string,
  unsignedTransaction: string,
  signer: Signer,
  knowledge: Knowledge,
): Decoded | string {
  try {
    const request = { type: '', organizationId: '', parameters: { type, unsignedTransaction } };
    return readSigning(request, signer, knowledge) ?? type;
  } catch (error) {
    if (error instanceof ChainError) return error.message;
    throw error;
  }
}

/**
 * Whether a request names this signer: by the id of the private key, or by the address of the public key.
 * SECURITY: D1170: the service states which public key an address belongs to, and the log proves no such address. It is derived here, so that
 * a response cannot make a payment of the treasury one of another key.
 */
export function isNamed({ curve, publicKey, addressFormat, keyId }: Signer, named: string): boolean {
  if (addressFormat === undefined) return named === keyId;
  try {
    return encodeAddress(addressFormat as AddressFormatId, curve, hexToBytes(publicKey)) === canonicalAddress(named);
  } catch {
    // An altered response can have anything as a format or a key.
    return false;
  }
}

/** Whether an error says that this browser cannot decode a transaction. */
export const isUnreadable = (error: unknown): boolean => error instanceof ChainError;

function contextOf(
  { curve, publicKey, addressFormat, source }: Signer,
  { contacts, tokens, interfaces }: Knowledge,
): ParseContext {
  const labels = new Map(contacts.map(({ address, label }) => [canonicalAddress(address) ?? address, label]));
  const own = new Map(tokens.filter(({ source }) => source === 'ORGANIZATION').map((token) => [token.asset, token]));
  const signer: SignerKey = { curve, publicKey: hexToBytes(publicKey), ...(addressFormat !== undefined && { addressFormat }) };
  return {
    signer,
    interfaces: interfaces.map(
      (each): ContractInterface => ({
        kind: contractInterfaceTypes[each.type]?.kind ?? 'ethereum',
        address: each.smartContractAddress,
        json: each.smartContractInterface,
      }),
    ),
    // SECURITY: the built-in token list has precedence, so that an altered response cannot change the decimals of a listed token.
    tokens: withOwnTokens((asset) => own.get(asset)),
    names: { contact: (address) => labels.get(canonicalAddress(address) ?? address), ...(source && { source }) },
  };
}

interface Parsed {
  readonly description: string;
  readonly fullyParsed: boolean;
  readonly unparsed: readonly string[];
  readonly effects: readonly Effect[];
}

function shown({ description, fullyParsed, unparsed, effects }: Parsed): Decoded {
  return {
    sentence: description,
    fullyParsed,
    unparsed,
    effects: effects.map(showEffect),
    displayed: effects.map(displayEffect),
  };
}

/** The effect with amounts as text, in the format of the service. */
function showEffect(effect: Effect): EffectShape {
  const { kind, ...rest } = effect;
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined);
  const text = Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]));
  const { asset, amount } = effect as { asset?: { decimals?: number }; amount?: bigint };
  const units = asset?.decimals === undefined || amount === undefined ? {} : { units: formatUnits(amount, asset.decimals) };
  return { kind, ...text, ...units } as EffectShape;
}

/** The effect as people read it: addresses with their checksums, and a token of the organization with its contract. */
function displayEffect(effect: Effect): EffectShape {
  const shape = showEffect(effect);
  const { asset, from, to, owner } = shape;
  return {
    ...shape,
    ...(asset?.symbol !== undefined && { asset: { ...asset, symbol: nameOfAsset(asset as Asset) } }),
    ...(from !== undefined && { from: canonicalAddress(from) }),
    ...(to !== undefined && { to: canonicalAddress(to) }),
    ...(owner !== undefined && { owner: canonicalAddress(owner) }),
  };
}
