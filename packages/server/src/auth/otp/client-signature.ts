import { verify } from 'node:crypto';
import { z } from 'zod';
import { p256Key } from './p256-key.ts';

/** The word of the holder of a key: what the client signed, and how. */
export interface ClientSignature {
  readonly publicKey: string;
  readonly message: string;
  /** r and s, or DER; hexadecimal. */
  readonly signature: string;
}

/** What is to be proven: that the holder of the token's key wants this key logged in with this token. */
export interface LoginProof {
  readonly tokenId: string;
  readonly tokenKeyHex: string;
  readonly sessionKeyHex: string;
}

const messageShape = z.object({
  login: z.object({ publicKey: z.string() }),
  tokenId: z.string(),
  type: z.literal('USAGE_TYPE_LOGIN'),
});

/** Clients send either. */
const encodings = ['ieee-p1363', 'der'] as const;

const lower = (text: string) => text.toLowerCase();

/** Whether a client's signature is by the key of the token, and says exactly this login. */
export function provesLogin({ publicKey, message, signature }: ClientSignature, proof: LoginProof): boolean {
  if (lower(publicKey) !== lower(proof.tokenKeyHex) || !/^([0-9a-fA-F]{2}){1,128}$/.test(signature)) return false;
  const said = messageShape.safeParse(toJson(message));
  if (!said.success || said.data.tokenId !== proof.tokenId) return false;
  if (lower(said.data.login.publicKey) !== lower(proof.sessionKeyHex)) return false;
  const key = p256Key(proof.tokenKeyHex);
  const [data, bytes] = [Buffer.from(message, 'utf8'), Buffer.from(signature, 'hex')];
  return encodings.some((dsaEncoding) => verify('sha256', data, { key, dsaEncoding }, bytes));
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The shape refuses undefined.
    return undefined;
  }
}
