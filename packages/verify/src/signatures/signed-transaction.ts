import type { ParsedTransaction, RawSignature, SignerKey, SigningRequest, TransactionType } from '@countersign/chains';
import { bytesToHex } from '@noble/hashes/utils.js';
import { AuditError } from '../audit-error.ts';
import { readDerSignature } from '../stamps/der-signature.ts';
import { fromHex } from '../text.ts';

/**
 * The signatures in a signed transaction, in the order of the requests.
 * INVARIANT: how they are found does not matter for what is proven. The transaction is assembled again from them, and must be this one.
 */
export function signaturesIn(
  signed: string,
  type: TransactionType,
  parsed: ParsedTransaction,
  signer: SignerKey,
  requests: readonly SigningRequest[],
): readonly RawSignature[] {
  const bytes = fromHex(signed, 'a signed transaction');
  const assembles = (signatures: readonly RawSignature[]) => assembled(type, parsed, signer, signatures) === signed;
  const find = finders[type.signatureLayout];
  const found = find(bytes, requests, signer, (signatures) => assembled(type, parsed, signer, signatures)).find(assembles);
  if (found === undefined) throw new AuditError('the signed transaction is not the requested one');
  return found;
}

function assembled(
  type: TransactionType,
  parsed: ParsedTransaction,
  signer: SignerKey,
  signatures: readonly RawSignature[],
): string | undefined {
  try {
    return type.assemble(parsed, signer, signatures);
  } catch {
    // Not a signature that this chain takes. Another candidate may be.
    return undefined;
  }
}

type Finder = (
  bytes: Uint8Array,
  requests: readonly SigningRequest[],
  signer: SignerKey,
  assemble: (signatures: readonly RawSignature[]) => string | undefined,
) => readonly (readonly RawSignature[])[];

const recoveries = [0, 1] as const;
const both = (bytes: Uint8Array) => recoveries.map((recovery) => [{ bytes, recovery }]);

const finders: Readonly<Record<TransactionType['signatureLayout'], Finder>> = {
  FIXED: atFixedPlace,
  RLP: (bytes) => lastIntegers(bytes).flatMap(both),
  PSBT: inRecords,
};

/** For signatures of fixed position and length: two transactions with different signatures reveal the offset. */
function atFixedPlace(...[bytes, , , assemble]: Parameters<Finder>): ReturnType<Finder> {
  const marked = (byte: number) => assemble([{ bytes: new Uint8Array(64).fill(byte), recovery: 0 }]) ?? '';
  const [a, b] = [marked(0x11), marked(0x22)];
  const digit = [...a].findIndex((letter, at) => letter !== b[at]);
  return digit < 0 ? [] : both(bytes.slice(digit / 2, digit / 2 + 64));
}

/** The last two integers of an RLP list (Ethereum yellow paper, appendix B), as r and s. */
function lastIntegers(bytes: Uint8Array): readonly Uint8Array[] {
  return integersEnding(bytes, bytes.length).flatMap(({ start, value: s }) =>
    integersEnding(bytes, start).map(({ value: r }) => {
      const compact = new Uint8Array(64);
      compact.set(r, 32 - r.length);
      compact.set(s, 64 - s.length);
      return compact;
    }),
  );
}

/** The integers of up to 32 bytes that could end at a place. A shorter one has its length before it. */
function integersEnding(bytes: Uint8Array, end: number): readonly { readonly start: number; readonly value: Uint8Array }[] {
  const found: { start: number; value: Uint8Array }[] = [];
  for (let length = 32; length > 0; length--) {
    const start = end - length - 1;
    if (start > 0 && bytes[start] === 0x80 + length) found.push({ start, value: bytes.slice(start + 1, end) });
  }
  return found;
}

/** BIP-174 and BIP-371: a partial signature of the key, or a key-path signature, for each own input. */
function inRecords(...[bytes, requests, signer]: Parameters<Finder>): ReturnType<Finder> {
  const hex = bytesToHex(bytes);
  const partial = [...hex.matchAll(new RegExp(`2202${bytesToHex(signer.publicKey)}([0-9a-f]{2})`, 'g'))].flatMap((match) => {
    const start = (match.index + match[0].length) / 2;
    const length = Number.parseInt(match[1] as string, 16);
    // The last byte says what is signed (SIGHASH).
    return readDerSignature(bytes.slice(start, start + length - 1)) ?? [];
  });
  const keyPath = [...hex.matchAll(/011340([0-9a-f]{128})/g)].map(([, digits]) => fromHex(digits as string, 'a signature'));
  const take = (kind: SigningRequest['kind']) => (kind === 'schnorr' ? keyPath : partial).shift() ?? new Uint8Array();
  return [requests.map(({ kind }) => ({ bytes: take(kind), recovery: 0 }))];
}
