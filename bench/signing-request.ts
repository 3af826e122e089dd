/** The organization and key of a signing request. */
export interface SigningTarget {
  readonly organizationId: string;
  readonly privateKeyId: string;
}

/** Where signing requests are sent. */
export const SIGNING_PATH = '/public/v1/submit/sign_raw_payload';

/** The body of one signing request. A distinct payload makes a distinct activity. */
export function signingBody({ organizationId, privateKeyId }: SigningTarget, payloadHex: string, timestampMs: number): string {
  return JSON.stringify({
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(timestampMs),
    organizationId,
    parameters: {
      signWith: privateKeyId,
      payload: payloadHex,
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    },
  });
}
