import type { AuthenticatorRecord } from '@countersign/judgement';
import { readStrictJson } from '@countersign/strict-json';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { AuditError, must } from '../audit-error.ts';
import type { SignatureChecks } from '../checks.ts';
import { fromBase64Url, toBase64Url, utf8 } from '../text.ts';
import { readDerSignature } from './der-signature.ts';
import { verifyRs256 } from './rs256.ts';

const FIELDS = ['credentialId', 'authenticatorData', 'clientDataJson', 'signature'] as const;
const CLIENT_DATA_LIMITS = { length: 8_192, depth: 4, values: 64, names: 32 };
const USER_PRESENT = 0x01;

/**
 * Checks a passkey's stamp over a body, given as its SHA-256 in hex (WebAuthn section 7.2), to the extent that the passkey's own record
 * tells what to expect. The origins where a passkey may be used are a setting of the operator, so they are not checked here.
 */
export function verifyPasskeyStamp(
  signatureText: string,
  bodyDigestHex: string,
  passkey: Pick<AuthenticatorRecord, 'credentialId' | 'publicKey' | 'rpId'>,
  checks: SignatureChecks,
): void {
  const parts = readParts(signatureText);
  must(parts.credentialId === passkey.credentialId, 'the stamp is from another passkey');
  const authenticatorData = fromBase64Url(parts.authenticatorData, 'the authenticator data of a stamp');
  const clientDataJson = fromBase64Url(parts.clientDataJson, 'the client data of a stamp');
  const signature = fromBase64Url(parts.signature, 'the signature of a stamp');
  const signed = concatBytes(authenticatorData, sha256(clientDataJson));
  must(verifyCose(passkey.publicKey, signed, signature, checks), 'the signature of the passkey does not verify');
  const clientData = readStrictJson(clientDataJson, CLIENT_DATA_LIMITS) as {
    readonly type?: unknown;
    readonly challenge?: unknown;
  };
  must(clientData.type === 'webauthn.get', 'the passkey did not sign a request');
  must(clientData.challenge === toBase64Url(utf8(bodyDigestHex)), 'the passkey signed another body');
  must(authenticatorData.length >= 37, 'the authenticator data of a stamp is too short');
  const rpIdHash = bytesToHex(authenticatorData.subarray(0, 32));
  must(rpIdHash === bytesToHex(sha256(utf8(passkey.rpId))), 'the passkey signed for another relying party');
  must(((authenticatorData[32] as number) & USER_PRESENT) !== 0, 'the passkey signed without user presence');
}

function readParts(text: string): Readonly<Record<(typeof FIELDS)[number], string>> {
  const json = new TextDecoder().decode(fromBase64Url(text, 'the stamp of a passkey'));
  let parts: Record<string, unknown>;
  try {
    parts = JSON.parse(json) as Record<string, unknown>;
  } catch {
    throw new AuditError('the stamp of a passkey is not JSON');
  }
  const canonical = JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, parts[name]])));
  must(json === canonical && FIELDS.every((name) => typeof parts[name] === 'string'), 'the stamp of a passkey is malformed');
  return parts as Record<(typeof FIELDS)[number], string>;
}

// RFC 9052 section 7 in the canonical form of CTAP2: kty 2, alg -7, crv 1, then x and y; and kty 3, alg -257, then n and e.
const ES256 = /^a5010203262001215820([0-9a-f]{64})225820([0-9a-f]{64})$/;
const RS256 = /^a401030339010020(?:58|59)([0-9a-f]+)$/;

function verifyCose(publicKey: string, signed: Uint8Array, signature: Uint8Array, checks: SignatureChecks): boolean {
  const hex = bytesToHex(fromBase64Url(publicKey, 'the public key of a passkey'));
  const [, x, y] = ES256.exec(hex) ?? [];
  if (x !== undefined && y !== undefined) {
    const compact = readDerSignature(signature);
    const point = Uint8Array.from((`04${x}${y}`.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16)));
    return compact !== undefined && checks.p256(point, signed, compact);
  }
  const [, rest] = RS256.exec(hex) ?? [];
  if (rest === undefined) throw new AuditError('the public key of a passkey has an unknown format');
  return verifyRs256(rest, signed, signature);
}
