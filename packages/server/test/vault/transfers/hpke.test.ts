import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/vault/keys/secret.ts';
import { hpkeSuite, openWith, sealTo } from '../../../src/vault/transfers/hpke.ts';
import { hpkeOpen, hpkeSeal, keySchedule, newKeyPair } from '../bundle-client.ts';
import { fromHex, toHex } from '../support.ts';

/** The vector of RFC 9180 (test-vectors.json) for mode 0, KEM 0x0010, KDF 0x0001, AEAD 0x0002, and its first encryption. */
const vector = {
  info: fromHex('4f6465206f6e2061204772656369616e2055726e'),
  ikmR: fromHex('a0ce15d49e28bd47a18a97e147582d814b08cbe00109fed5ec27d1b4e9f6f5e3'),
  skRm: fromHex('317f915db7bc629c48fe765587897e01e282d3e8445f79f27f65d031a88082b2'),
  pkRm: fromHex(
    '04abc7e49a4c6b3566d77d0304addc6ed0e98512ffccf505e6a8e3eb25c685136f853148544876de76c0f2ef99cdc3a05ccf5ded7860c7c021238f9e2073d2356c',
  ),
  skEm: fromHex('90345e3a1d116c1dd39ae76d95ab858c142223a63e44f8f85318cfa91a84858e'),
  enc: fromHex(
    '04c06b4f6bebc7bb495cb797ab753f911aff80aefb86fd8b6fcc35525f3ab5f03e0b21bd31a86c6048af3cb2d98e0d3bf01da5cc4c39ff5370d331a4f1f7d5a4e0',
  ),
  key: 'ee16802a936d5f544771131900ee6973d0551de9e852ece2ef34bf0d5f9e1d1d',
  baseNonce: '9bc50980832a7b4b58c40161',
  aad: fromHex('436f756e742d30'),
  pt: '4265617574792069732074727574682c20747275746820626561757479',
  ct: fromHex('58c61a45059d0c5704560e9d88b564a8b63f1364b8d1fcb3c4c6ddc1d291742465e902cd216f8908da49f8f96f'),
};

describe('the RFC 9180 vector of the suite', () => {
  test('the suite opens it', async () => {
    const pair = {
      privateKey: await hpkeSuite.DeserializePrivateKey(vector.skRm),
      publicKey: await hpkeSuite.DeserializePublicKey(vector.pkRm),
    };
    const { info, aad } = vector;
    expect(toHex(await hpkeSuite.Open(pair, vector.enc, vector.ct, { info, aad }))).toBe(vector.pt);
  });

  test('the suite derives its receiver', async () => {
    const { privateKey, publicKey } = await hpkeSuite.DeriveKeyPair(vector.ikmR, true);
    expect(toHex(await hpkeSuite.SerializePrivateKey(privateKey))).toBe(toHex(vector.skRm));
    expect(toHex(await hpkeSuite.SerializePublicKey(publicKey))).toBe(toHex(vector.pkRm));
  });

  test('the test client derives its key and nonce from both sides', async () => {
    const { p256 } = await import('@noble/curves/nist.js');
    for (const [mine, theirs] of [
      [vector.skRm, vector.enc],
      [vector.skEm, vector.pkRm],
    ] as const) {
      const dh = p256.getSharedSecret(mine, theirs, true).slice(1);
      const { key, nonce } = keySchedule(dh, vector.enc, vector.pkRm, vector.info);
      expect({ key: toHex(key), nonce: toHex(nonce) }).toEqual({ key: vector.key, nonce: vector.baseNonce });
    }
  });
});

describe('messages to one key', () => {
  const plaintexts = fc.uint8Array({ minLength: 0, maxLength: 300 });

  test('two other implementations open sealed messages', async () => {
    const oracle = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
    await fc.assert(
      fc.asyncProperty(plaintexts, async (plaintext) => {
        const receiver = newKeyPair();
        const { encappedPublic, ciphertext } = await sealTo(receiver.publicKey, plaintext);
        expect(toHex(hpkeOpen(receiver, encappedPublic, ciphertext))).toBe(toHex(plaintext));
        const opener = await oracle.createRecipientContext({
          recipientKey: await oracle.kem.deserializePrivateKey(receiver.privateKey),
          enc: encappedPublic,
          info: new TextEncoder().encode('turnkey_hpke'),
        });
        const opened = await opener.open(ciphertext, Buffer.concat([encappedPublic, receiver.publicKey]));
        expect(toHex(new Uint8Array(opened))).toBe(toHex(plaintext));
      }),
      { numRuns: 25 },
    );
  });

  test('messages sealed by another implementation open', async () => {
    await fc.assert(
      fc.asyncProperty(plaintexts, async (plaintext) => {
        const receiver = newKeyPair();
        const opened = await openWith(
          new Secret(receiver.privateKey),
          receiver.publicKey,
          hpkeSeal(receiver.publicKey, plaintext),
        );
        expect(opened && toHex(opened.bytes)).toBe(toHex(plaintext));
      }),
      { numRuns: 25 },
    );
  });

  test('D31: every message has its own ephemeral key', async () => {
    const { publicKey } = newKeyPair();
    const messages = await Promise.all(Array.from({ length: 8 }, () => sealTo(publicKey, new Uint8Array(32))));
    expect(new Set(messages.map(({ encappedPublic }) => toHex(encappedPublic))).size).toBe(8);
    expect(new Set(messages.map(({ ciphertext }) => toHex(ciphertext))).size).toBe(8);
  });

  test('D31: an altered bit of ciphertext or tag, another ephemeral key and another receiver do not open', async () => {
    const receiver = newKeyPair();
    const message = hpkeSeal(receiver.publicKey, Buffer.from('thirty-two bytes of private key!'));
    const open = (changed: Partial<typeof message>, by = receiver) =>
      openWith(new Secret(Uint8Array.from(by.privateKey)), by.publicKey, { ...message, ...changed });
    expect(await open({})).toBeDefined();
    for (const bit of [0, 7, 100, message.ciphertext.length * 8 - 1]) {
      const ciphertext = Buffer.from(message.ciphertext);
      ciphertext[bit >> 3] = (ciphertext[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(await open({ ciphertext })).toBeUndefined();
    }
    expect(await open({ ciphertext: message.ciphertext.subarray(0, 15) })).toBeUndefined();
    expect(await open({ ciphertext: Buffer.alloc(0) })).toBeUndefined();
    expect(await open({ encappedPublic: newKeyPair().publicKey })).toBeUndefined();
    expect(await open({}, newKeyPair())).toBeUndefined();
  });

  test('D31: an ephemeral key that is not a point, compressed or truncated does not open', async () => {
    const receiver = newKeyPair();
    const message = hpkeSeal(receiver.publicKey, new Uint8Array(32));
    const offCurve = Uint8Array.from(message.encappedPublic);
    offCurve[64] = (offCurve[64] as number) ^ 1;
    const { p256 } = await import('@noble/curves/nist.js');
    const compressed = p256.Point.fromBytes(message.encappedPublic).toBytes(true);
    for (const encappedPublic of [
      offCurve,
      compressed,
      new Uint8Array(65),
      Uint8Array.of(0),
      message.encappedPublic.slice(0, 64),
    ]) {
      expect(
        await openWith(new Secret(Uint8Array.from(receiver.privateKey)), receiver.publicKey, { ...message, encappedPublic }),
      ).toBeUndefined();
    }
  });

  test('D31: both public keys are associated data: a message without the receiver in it does not open', async () => {
    const receiver = newKeyPair();
    const pk = await hpkeSuite.DeserializePublicKey(receiver.publicKey);
    for (const aad of [() => new Uint8Array(0), (enc: Uint8Array) => enc, () => receiver.publicKey]) {
      const { encapsulatedSecret, ctx } = await hpkeSuite.SetupSender(pk, { info: Buffer.from('turnkey_hpke') });
      const ciphertext = await ctx.Seal(new Uint8Array(32), aad(encapsulatedSecret));
      const opened = await openWith(new Secret(Uint8Array.from(receiver.privateKey)), receiver.publicKey, {
        encappedPublic: encapsulatedSecret,
        ciphertext,
      });
      expect(opened).toBeUndefined();
    }
  });

  test('D31: a receiver that is not a point of the curve is refused', async () => {
    const { publicKey } = newKeyPair();
    const offCurve = Uint8Array.from(publicKey);
    offCurve[64] = (offCurve[64] as number) ^ 1;
    for (const receiver of [offCurve, publicKey.slice(0, 64), new Uint8Array(65), new Uint8Array(0)]) {
      await expect(sealTo(receiver, new Uint8Array(32))).rejects.toThrow();
    }
  });
});
