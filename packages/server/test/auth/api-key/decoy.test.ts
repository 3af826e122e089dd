import { createPrivateKey, sign } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signedMessage, spendVerification } from '../../../src/auth/api-key/decoy.ts';
import { VerifierCache } from '../../../src/auth/api-key/schemes.ts';
import type { PasskeyStamp } from '../../../src/auth/api-key/stamp.ts';
import { challengeOf, verifyAssertion } from '../../../src/auth/webauthn/assertion.ts';
import { coseAlgorithms } from '../../../src/auth/webauthn/cose-key.ts';
import { assertionCheck } from '../assertion-check.ts';
import { SoftwareAuthenticator } from '../software-authenticator.ts';

const work: string[] = [];
const es256 = coseAlgorithms.get(-7) as NonNullable<ReturnType<typeof coseAlgorithms.get>>;
const original = es256.verifier;

const body = Buffer.from('{}');
const key = new SoftwareAuthenticator();
const REFUSAL = ['check: false', 'prepare'];

/** A stamp by the private key 1. Everybody has that of the generator. */
function stampOfGenerator(): PasskeyStamp {
  const { x, y } = p256.Point.BASE;
  const text = (value: bigint) => Buffer.from(p256.Point.Fp.toBytes(value)).toString('base64url');
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: text(1n), x: text(x), y: text(y) } });
  const stamp = key.get(challengeOf(body));
  return { ...stamp, signature: sign('sha256', signedMessage(stamp), privateKey) };
}

function verifyWith(verifiers: VerifierCache, stamp: PasskeyStamp) {
  return verifyAssertion(assertionCheck(key, body, stamp, { verifiers }));
}

describe('refusing a passkey takes the same work', () => {
  beforeEach(() => {
    work.length = 0;
    vi.spyOn(es256, 'verifier').mockImplementation((key) => {
      work.push('prepare');
      const verifier = original(key);
      return (message, signature) => {
        const holds = verifier(message, signature);
        work.push(`check: ${holds}`);
        return holds;
      };
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('whether it is unknown, registered or in use', () => {
    const verifiers = new VerifierCache();
    const stamp = stampOfGenerator();
    expect(() => verifyWith(verifiers, stamp)).toThrow();
    expect(work.sort()).toEqual(REFUSAL);

    verifyWith(verifiers, key.get(challengeOf(body)));
    work.length = 0;
    expect(() => verifyWith(verifiers, stamp)).toThrow();
    expect(work.sort()).toEqual(REFUSAL);
  });

  test('for an unknown one, whoever signed the stamp', () => {
    for (const stamp of [stampOfGenerator(), key.get(challengeOf(body))]) {
      work.length = 0;
      spendVerification(stamp);
      expect(work.sort()).toEqual(REFUSAL);
    }
  });
});
