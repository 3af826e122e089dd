import { X509Certificate } from 'node:crypto';

/** Which models of authenticators may be registered, and who vouches for a model. */
export interface AllowedModels {
  /** AAGUIDs in their text form. */
  readonly aaguids: readonly string[];
  /** The makers' root certificates that the operator trusts. */
  readonly roots: readonly X509Certificate[];
}

/** A chain has a leaf, one or two intermediates, and perhaps the root. */
const MAX_CHAIN_LENGTH = 5;

/** WebAuthn section 8.2.1: the extension id-fido-gen-ce-aaguid (1.3.6.1.4.1.45724.1.1.4), not critical, with an OCTET STRING inside. */
const AAGUID_EXTENSION = Buffer.from('060b2b0601040182e51c01010404120410', 'hex');

const AAGUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const NO_MODEL = '00000000-0000-0000-0000-000000000000';

/** Whether a text is the AAGUID of a model in its one form: lower-case hexadecimal with hyphens. All zeros name no model. */
export function isAaguid(text: string): boolean {
  return AAGUID.test(text) && text !== NO_MODEL;
}

/**
 * Whether a maker whom the operator trusts certifies that the authenticator is of an allowed model.
 * SECURITY: an authenticator can claim any AAGUID, and anyone can create a certificate. Only a certificate that names the AAGUID and leads
 * to a trusted root proves it. That the certificate signed the attestation is checked elsewhere. No revocation list is fetched.
 */
export function isAllowedModel(
  { aaguids, roots }: AllowedModels,
  aaguid: Uint8Array,
  chain: readonly Uint8Array[],
  nowMs: number,
): boolean {
  const [leaf] = chain;
  if (!aaguids.includes(aaguidText(aaguid)) || leaf === undefined || chain.length > MAX_CHAIN_LENGTH) return false;
  if (!Buffer.from(leaf).includes(Buffer.concat([AAGUID_EXTENSION, aaguid]))) return false;
  return leadsToRoot(chain, roots, nowMs);
}

function aaguidText(aaguid: Uint8Array): string {
  return Buffer.from(aaguid)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** RFC 5280 section 6, the part that attestations need: every certificate is within its validity and signed by the next, up to a trusted one. */
function leadsToRoot(chain: readonly Uint8Array[], roots: readonly X509Certificate[], nowMs: number): boolean {
  const certificates = parse(chain);
  for (const [index, certificate] of (certificates ?? []).entries()) {
    if (!isInTime(certificate, nowMs) || (index > 0 && !certificate.ca)) return false;
    const issuers = roots.filter((root) => isInTime(root, nowMs));
    if (issuers.some((root) => root.fingerprint256 === certificate.fingerprint256)) return true;
    if (issuers.some((root) => root.ca && isIssuedBy(certificate, root))) return true;
    const next = certificates?.[index + 1];
    if (next === undefined || !isIssuedBy(certificate, next)) return false;
  }
  return false;
}

function parse(chain: readonly Uint8Array[]): X509Certificate[] | undefined {
  try {
    return chain.map((bytes) => new X509Certificate(bytes));
  } catch {
    // Not certificates: they prove nothing.
    return undefined;
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isInTime({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}
