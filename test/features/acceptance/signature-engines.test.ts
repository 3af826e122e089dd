import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { encodeStamp, importApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { apiKeyParams } from '../../support/world.ts';
import { runImport } from '../sign-in/transfer-support.ts';

const faultyAddon = (fault: string) => ({
  NODE_OPTIONS: `--require ${fileURLToPath(new URL('../../support/faulty-addon.cjs', import.meta.url))}`,
  FAULTY_ADDON: fault,
});

/** Good stamps of one key that give it a table in both workers. */
const STAMPS_FOR_TABLES = 320;
/** Signatures of one key that give it a table in both workers. */
const SIGNATURES_FOR_TABLES = 200;
const CONNECTIONS = 10;

const { Fn, BASE } = p256.Point;
const order = Fn.ORDER;
const hex = (value: bigint) => value.toString(16).padStart(64, '0');
const randomScalar = () => (BigInt(`0x${randomBytes(32).toString('hex')}`) % (order - 1n)) + 1n;

/** Runs calls on several connections at the same time, so that both workers serve some. */
async function repeat(times: number, call: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < times) await call(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
}

/** DER (X.690) of r and s, also of values that no signature has. */
function derSignature(r: bigint, s: bigint): string {
  const integer = (value: bigint) => {
    const digits = value.toString(16);
    const even = digits.length % 2 === 0 ? digits : `0${digits}`;
    const padded = Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even;
    return `02${(padded.length / 2).toString(16).padStart(2, '0')}${padded}`;
  };
  const both = integer(r) + integer(s);
  return `30${(both.length / 2).toString(16).padStart(2, '0')}${both}`;
}

describe.each([
  { addon: 'the addon', environment: {}, edges: [1n, order / 2n, (1n << 128n) - 1n] },
  { addon: 'the addon disabled', environment: { COUNTERSIGN_NATIVE: 'off' }, edges: [1n] },
  { addon: 'WebAssembly, without any addon for secp256k1', environment: faultyAddon('without-signers'), edges: [1n] },
  { addon: 'an addon that accepts every signature and hashes wrongly', environment: faultyAddon('wrong-answers'), edges: [1n] },
])('two workers with $addon', ({ environment, edges }: { environment: Record<string, string>; edges: readonly bigint[] }) => {
  let installation: Installation;
  let server: Serving;
  let root: Caller;
  let userId: string;
  const path = '/public/v1/query/whoami';

  beforeAll(async () => {
    installation = await engines.sqlite();
    server = await serve(placeOf(installation), ['--workers', '2'], { environment });
    root = server.root;
    ({ userId } = await root.data('whoami'));
  });
  afterAll(async () => {
    await server?.kill();
    await installation?.remove();
  });

  const body = () => Buffer.from(JSON.stringify({ organizationId: root.organizationId }));
  const sendStamp = (publicKey: string, signature: string): Promise<Answer> =>
    root.send(path, body(), {
      'x-stamp': encodeStamp({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature }),
    });

  test('D64, D153: returns the RFC 6979 signature with low s, and no nonce repeats', async () => {
    const privateKey = randomBytes(32);
    const { privateKeyId } = await runImport({ caller: root, userId }, 'privateKey', privateKey);
    const nonces = new Set<string>();
    const payloads = Array.from({ length: SIGNATURES_FOR_TABLES }, () => randomBytes(32));
    await repeat(payloads.length, async (index) => {
      const payload = payloads[index] as Buffer;
      const { r, s, v } = await root.result('signRawPayload', {
        signWith: privateKeyId,
        payload: payload.toString('hex'),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      });
      const expected = secp256k1.sign(payload, privateKey, { prehash: false, lowS: true, format: 'recovered' });
      expect(v + r + s).toBe(Buffer.from(expected).toString('hex'));
      nonces.add(r);
    });
    expect(nonces.size).toBe(payloads.length);
    const batch = await root.result('signRawPayloads', {
      signWith: privateKeyId,
      payloads: payloads.slice(0, 40).map((payload) => payload.toString('hex')),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
    const batchNonces = new Set(batch.signatures.map(({ r }: { r: string }) => r));
    expect(batchNonces).toEqual(new Set([...nonces].filter((r) => batchNonces.has(r))));
    expect(batchNonces.size).toBe(40);
  });

  test('D150, D180: verifies stamps with an s at every edge, and rejects altered ones', async () => {
    const digest = Fn.create(BigInt(`0x${createHash('sha256').update(body()).digest('hex')}`));
    for (const s of edges) {
      // A private key that gives this s: d = (s k - digest) / r.
      const nonce = randomScalar();
      const r = Fn.create(BASE.multiply(nonce).x);
      const secret = Fn.div(Fn.sub(Fn.mul(s, nonce), digest), r);
      const publicKey = Buffer.from(BASE.multiply(secret).toBytes(true)).toString('hex');
      const key = importApiKey({ apiPublicKey: publicKey, apiPrivateKey: hex(secret) });
      await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const altered: readonly (readonly [bigint, bigint])[] = [
        [r, Fn.add(s, 3n)],
        [Fn.add(r, 1n), s],
        [0n, s],
        [r, 0n],
        [r, order],
        [r + order, s],
        [order, s],
      ];
      const check = async () => {
        expect((await sendStamp(publicKey, derSignature(r, s))).status).toBe(200);
        expect((await sendStamp(publicKey, derSignature(r, order - s))).status).toBe(200);
        for (const [otherR, otherS] of altered)
          expect((await sendStamp(publicKey, derSignature(otherR, otherS))).status, `${otherR} ${otherS}`).toBe(401);
      };
      await check();
      await repeat(STAMPS_FOR_TABLES, async () => {
        expect((await root.with({ key }).query('whoami')).status).toBe(200);
      });
      for (let round = 0; round < 4; round++) await check();
    }
  });
});

test('D64: a wrong signature of the signing library does not leave the server', async () => {
  const installation = await engines.sqlite();
  const server = await serve(placeOf(installation), ['--workers', '2'], { environment: faultyAddon('wrong-signature') });
  try {
    const { root } = server;
    const { userId } = await root.data('whoami');
    const privateKey = randomBytes(32);
    const { privateKeyId } = await runImport({ caller: root, userId }, 'privateKey', privateKey);
    let withheld = 0;
    await repeat(SIGNATURES_FOR_TABLES, async () => {
      const payload = randomBytes(32);
      const answer = await root.submit('signRawPayload', {
        signWith: privateKeyId,
        payload: payload.toString('hex'),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      });
      const expected = Buffer.from(secp256k1.sign(payload, privateKey, { prehash: false, lowS: true })).toString('hex');
      if (answer.status === 200) expect(JSON.stringify(answer.body)).toContain(expected.slice(64));
      else {
        withheld++;
        expect(answer.status).toBe(500);
        expect(JSON.stringify(answer.body)).not.toContain(expected.slice(0, 64));
      }
    });
    // One in each worker.
    expect(withheld).toBe(2);
  } finally {
    await server.kill();
    await installation.remove();
  }
});
