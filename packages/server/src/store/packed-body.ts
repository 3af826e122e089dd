import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * What bodies of signatures have in common. Deflate (RFC 1951) refers to it as if it came before each body, so names of members and usual
 * values take few bytes. INVARIANT: stored bodies refer to it, so it never changes. The names
 * of chains in it are split, because a search for a chain should not lead here.
 */
const dictionary = Buffer.from(
  '"policyCount":,"mayApprove":["evaluatedCount":,"warnings":["comparison":{"judgedParameters":{"judgedBy":"01' +
    '"usage":[{"bucket":"","atMs":1,"counted":{"revision":1,"total":"1"}}],"subject":{"changed":{"changes":[{"put":"' +
    '"failure":{"code":7,"errorCode":"POLICY_DENIED","message":"No policy allows this activity.","details":[]}' +
    '"VOTE_SELECTION_REJECTED","message":"{\\"type\\":\\"ACTIVITY_TYPE_REJECT_ACTIVITY\\"' +
    '{\\"type\\":\\"ACTIVITY_TYPE_APPROVE_ACTIVITY\\",\\"timestampMs\\":\\"1\\",\\"parameters\\":{\\"fingerprint\\":\\"sha256:' +
    '"parsed":{"chain":"solana","bitcoin","tr' +
    'on","ethereum","chainId":"1","from":"0x","to":"0x","value":"0","data":"0x","nonce":0,' +
    '"gas":"21000","maxFeePerGas":"","maxPriorityFeePerGas":"","gasPrice":"","effects":[{"kind":"TRANSFER","asset":{"symbol":"USDC",' +
    '"decimals":6,"token":"0x"},"amount":"1","from":"0x","to":"0x","spender":"0x"}],"summary":"' +
    '"ACTIVITY_TYPE_SIGN_TRANSACTION_V2\\",\\"unsignedTransaction\\":\\"02f8\\",\\"type\\":\\"TRANSACTION_TYPE_ETHEREUM\\"}}"' +
    '"unsignedTransaction":"02f8","type":"TRANSACTION_TYPE_SOLANA","TRANSACTION_TYPE_TR' +
    'ON","TRANSACTION_TYPE_BITCOIN"' +
    '"result":{"signedTransaction":"02f8"},"HASH_FUNCTION_KECCAK256"HASH_FUNCTION_NO_OP"HASH_FUNCTION_NOT_APPLICABLE"' +
    '"PAYLOAD_ENCODING_TEXT_UTF8"SIGNATURE_SCHEME_TK_API_SECP256K1"SIGNATURE_SCHEME_TK_WEBAUTHN"' +
    '"outcome":"ALLOW","by":"POLICY","policyIds":["01"],"evaluations":[{"policyId":"01","revision":1,"outcome":"APPLIES"}],' +
    '"values":[{"policyId":"01","reads":[{"name":"activity.kind","value":"SIGN_RAW_PAYLOAD"}]}]' +
    '{"timestampMs":"17","intent":{"privateKeyId":"01","payload":"0","encoding":"PAYLOAD_ENCODING_HEXADECIMAL",' +
    '"hashFunction":"HASH_FUNCTION_SHA256"},"tracked":true,"failure":null,"votes":[{"id":"01","userId":"01","userName":"Root user",' +
    '"credentialId":"01","selection":"VOTE_SELECTION_APPROVED","message":"{\\"type\\":\\"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2\\",' +
    '\\"timestampMs\\":\\"17\\",\\"organizationId\\":\\"01\\",\\"parameters\\":{\\"signWith\\":\\"01\\",\\"payload\\":\\"0\\",' +
    '\\"encoding\\":\\"PAYLOAD_ENCODING_HEXADECIMAL\\",\\"hashFunction\\":\\"HASH_FUNCTION_SHA256\\"}}","publicKey":"02",' +
    '"signature":"3045022100","scheme":"SIGNATURE_SCHEME_TK_API_P256","createdAtMs":17}],"createdAtMs":17,"updatedAtMs":17,' +
    '"result":{"r":"0","s":"0","v":"00"},"decisions":[{"version":2,"rules":3,"head":1,"voteId":"01","createdAtMs":17,' +
    '"outcome":"ALLOW","by":"ROOT_QUORUM","policyIds":[],"evaluations":[]}]}',
  'utf8',
);

/**
 * A window of 4 kB holds the dictionary and a usual body. A larger one takes longer to prepare for each body, as does a buffer for output
 * that is larger than a usual body. Higher levels save a twentieth of the bytes.
 */
const settings = { windowBits: 12, memLevel: 4, level: 3, chunkSize: 2_048, dictionary };

const NOTHING = new Uint8Array();
/** Packing a longer body would delay other requests. */
const LONGEST = 16_384;
/**
 * SECURITY: D540: a stored body never unpacks to more than this many times its bytes, so rows that an attacker inserted cannot fill the
 * memory of the service.
 */
const MOST_RATIO = 32;

/** A shorter form of a body. Empty if there is none: the body is short, long or encrypted. */
export function packBody(body: string): Uint8Array {
  // A plain body is a JSON object. Ciphertext does not become shorter.
  if (body.length > LONGEST || !body.startsWith('{')) return NOTHING;
  const text = Buffer.from(body, 'utf8');
  const packed = deflateRawSync(text, settings);
  return packed.length < text.length && text.length <= packed.length * MOST_RATIO ? packed : NOTHING;
}

/** The body of a packed form. Empty for bytes that `packBody` does not make: no MAC of a row fits that. */
export function unpackBody(packed: Uint8Array): string {
  try {
    return inflateRawSync(packed, { ...settings, maxOutputLength: packed.length * MOST_RATIO }).toString('utf8');
  } catch {
    return '';
  }
}
