import type { ApiKeyRecord, AuthenticatorRecord } from '@countersign/judgement';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { AuditError, must } from '../audit-error.ts';
import type { SignatureChecks } from '../checks.ts';
import type { CastVote } from '../format/lines.ts';
import { fromHex, utf8 } from '../text.ts';
import { readDerSignature } from './der-signature.ts';
import { verifyPasskeyStamp } from './passkey.ts';

/** A credential as the activity that made it recorded it. */
export type Credential =
  | { readonly kind: 'apiKey'; readonly record: ApiKeyRecord }
  | { readonly kind: 'authenticator'; readonly record: AuthenticatorRecord };

/** What was stamped: the SHA-256 of the body in hex, and the body where the file has it. */
export interface Stamped {
  readonly digestHex: string;
  readonly body: string | undefined;
}

/** How an API key signs, and what is needed of the body. False where the body is needed and withheld. */
type Scheme = (key: Uint8Array, signature: Uint8Array, stamped: Stamped, checks: SignatureChecks) => boolean | 'BODY_WITHHELD';

const ETHEREUM_PREFIX = '\x19Ethereum Signed Message:\n';

const compactOf = (signature: Uint8Array) => readDerSignature(signature) ?? new Uint8Array();

const schemes: Readonly<Record<string, { readonly curve: ApiKeyRecord['curve']; readonly verify: Scheme }>> = {
  SIGNATURE_SCHEME_TK_API_P256: {
    curve: 'API_KEY_CURVE_P256',
    verify: (key, signature, { digestHex, body }, checks) =>
      body === undefined
        ? checks.p256Digest(key, hexToBytes(digestHex), compactOf(signature))
        : checks.p256(key, utf8(body), compactOf(signature)),
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1: {
    curve: 'API_KEY_CURVE_SECP256K1',
    verify: (key, signature, { digestHex }, checks) => checks.secp256k1(key, hexToBytes(digestHex), compactOf(signature)),
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: {
    curve: 'API_KEY_CURVE_SECP256K1',
    verify(key, signature, { body }, checks) {
      if (body === undefined) return 'BODY_WITHHELD';
      const bytes = utf8(body);
      return checks.secp256k1(
        key,
        keccak_256(concatBytes(utf8(`${ETHEREUM_PREFIX}${bytes.length}`), bytes)),
        compactOf(signature),
      );
    },
  },
  SIGNATURE_SCHEME_TK_API_ED25519: {
    curve: 'API_KEY_CURVE_ED25519',
    verify: (key, signature, { body }, checks) =>
      body === undefined ? 'BODY_WITHHELD' : checks.ed25519(key, utf8(body), signature),
  },
};

/**
 * Checks the stamp of a vote by the credential that it names. Throws AuditError if it does not verify.
 * Gives false where only the body, which holds a secret and is not in the file, could tell.
 */
export function verifyStamp(vote: CastVote, credential: Credential, stamped: Stamped, checks: SignatureChecks): boolean {
  must(credential.record.userId === vote.userId, `credential ${vote.credentialId} is not of user ${vote.userId}`);
  if (credential.kind === 'authenticator') {
    must(vote.scheme === 'SIGNATURE_SCHEME_TK_WEBAUTHN', 'a passkey stamps with another scheme');
    verifyPasskeyStamp(vote.signature, stamped.digestHex, credential.record, checks);
    return true;
  }
  const scheme = Object.hasOwn(schemes, vote.scheme) ? schemes[vote.scheme] : undefined;
  if (scheme === undefined) throw new AuditError(`the scheme ${vote.scheme} is unknown`);
  const { publicKey, curve } = credential.record;
  must(scheme.curve === curve, 'the scheme of a stamp is not that of its key');
  const signature = fromHex(vote.signature, 'the signature of a stamp');
  const holds = scheme.verify(fromHex(publicKey, 'a public key'), signature, stamped, checks);
  if (holds === 'BODY_WITHHELD') return false;
  must(holds, `the stamp of user ${vote.userId} does not verify with credential ${vote.credentialId}`);
  return true;
}
