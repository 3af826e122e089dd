import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from 'viem';
import { sendBytes } from '../support/send-bytes.js';
import { nameFor, newUser, openWorld } from '../support/world.js';

// What clients written in Go and Rust put on the wire, built here byte by byte. The facts are those of their published source.

let world;

before(async () => {
  world = await openWorld();
});

after(() => world.close());

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
/** base64url without padding, of JSON in the order that both clients write. The JavaScript client puts the scheme second. */
const stampOf = (publicKey, signature, scheme) =>
  Buffer.from(JSON.stringify({ publicKey, signature: signature.toString('hex'), scheme })).toString('base64url');

/** A key on P-256: 02 or 03 and x, in hexadecimal digits. The signature is DER over SHA-256, with any s. */
function p256Key() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const odd = Buffer.from(y, 'base64url').at(-1) & 1;
  const hex = `${odd ? '03' : '02'}${Buffer.from(x, 'base64url').toString('hex').padStart(64, '0')}`;
  return {
    curveType: 'API_KEY_CURVE_P256',
    publicKey: hex,
    stamp: (body) => stampOf(hex, sign('sha256', body, privateKey), 'SIGNATURE_SCHEME_TK_API_P256'),
  };
}

/** A key on secp256k1. `lowS`: the Rust client normalizes s, the Go client does not. */
function secp256k1Key({ lowS }) {
  const secret = secp256k1.utils.randomPrivateKey();
  const publicKey = Buffer.from(secp256k1.getPublicKey(secret, true)).toString('hex');
  const der = (digest) => Buffer.from(secp256k1.sign(digest, secret, { lowS }).toDERRawBytes());
  return {
    curveType: 'API_KEY_CURVE_SECP256K1',
    publicKey,
    stamp: (body) => stampOf(publicKey, der(sha256(body)), 'SIGNATURE_SCHEME_TK_API_SECP256K1'),
    personalStamp: (digest) => stampOf(publicKey, der(digest), 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191'),
  };
}

/** A key on ed25519: 32 bytes in hexadecimal digits. The signature is over the body itself. */
function ed25519Key() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const hex = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url').toString('hex');
  return {
    curveType: 'API_KEY_CURVE_ED25519',
    publicKey: hex,
    stamp: (body) => stampOf(hex, sign(null, body, privateKey), 'SIGNATURE_SCHEME_TK_API_ED25519'),
  };
}

const personalDigest = (body) =>
  Buffer.from(keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`), body])).slice(2), 'hex');

/** A key of the credentials file, which holds it as both clients do: 64 hexadecimal digits, and the compressed point. */
function jwkOf(publicKey, privateKey) {
  const point = Buffer.from(p256.ProjectivePoint.fromHex(publicKey).toRawBytes(false));
  return {
    kty: 'EC',
    crv: 'P-256',
    d: Buffer.from(privateKey, 'hex').toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
}

async function userWith({ curveType, publicKey }) {
  return newUser(world, { apiKeys: [{ apiKeyName: nameFor('key'), publicKey, curveType }] });
}

const whoami = (body, headers) => sendBytes(`${world.server.compatibleUrl}/public/v1/query/whoami`, body, headers);

describe('a client written in Go', () => {
  /** `json.Encoder` ends with a line feed and escapes <, > and &. */
  const goBody = (value) =>
    Buffer.from(`${JSON.stringify(value).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)}\n`);
  const goHeaders = { 'Content-Type': 'application/json', Accept: 'application/json', 'Accept-Encoding': 'gzip' };
  const ask = async (key) => {
    const body = goBody({ organizationId: world.organizationId });
    return whoami(body, { ...goHeaders, 'X-Stamp': key.stamp(body) });
  };

  for (const [name, make] of Object.entries({
    'P-256': p256Key,
    secp256k1: () => secp256k1Key({ lowS: false }),
    ed25519: ed25519Key,
  })) {
    test(`${name}: hexadecimal keys, publicKey before signature before scheme, a line feed after the body`, async () => {
      const key = make();
      const userId = await userWith(key);
      for (let round = 0; round < 6; round++) {
        const { status, body } = await ask(key);
        assert.deepEqual([status, body.userId], [200, userId]);
      }
    });
  }

  test('an activity whose texts the encoder escapes', async () => {
    const { apiPublicKey, apiPrivateKey, organizationId } = world.server.credentials;
    const key = jwkOf(apiPublicKey, apiPrivateKey);
    const userTagName = `${nameFor('R&D')} <ops>`;
    const body = goBody({
      type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
      timestampMs: String(Date.now()),
      organizationId,
      parameters: { userTagName, userIds: [] },
    });
    assert.ok(body.includes('\\u0026') && body.includes('\\u003c'));
    const signature = sign('sha256', body, { key, format: 'jwk' });
    const headers = { ...goHeaders, 'X-Stamp': stampOf(apiPublicKey, signature, 'SIGNATURE_SCHEME_TK_API_P256') };
    const answer = await sendBytes(`${world.server.compatibleUrl}/public/v1/submit/create_user_tag`, body, headers);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(answer.body.activity.intent.createUserTagIntent.userTagName, userTagName);
  });

  test('secp256k1 with EIP-191: over the message, and never over a constant', async () => {
    const key = secp256k1Key({ lowS: false });
    const userId = await userWith(key);
    const body = goBody({ organizationId: world.organizationId });
    const answer = await whoami(body, { ...goHeaders, 'X-Stamp': key.personalStamp(personalDigest(body)) });
    assert.deepEqual([answer.status, answer.body.userId], [200, userId]);
    // A release of that client signs 32 zero bytes here instead of the digest. Such a stamp fits every body, so none may pass.
    const constant = await whoami(body, { ...goHeaders, 'X-Stamp': key.personalStamp(Buffer.alloc(32)) });
    assert.equal(constant.status, 401);
  });

  test('another body with the same stamp is refused', async () => {
    const key = p256Key();
    await userWith(key);
    const body = goBody({ organizationId: world.organizationId });
    const without = body.subarray(0, -1);
    assert.equal((await whoami(without, { ...goHeaders, 'X-Stamp': key.stamp(body) })).status, 401);
  });
});

describe('a client written in Rust', () => {
  /** No Content-Type at all, header names in lower case, null where a field is absent, no space and no line feed. */
  const rustHeaders = { 'user-agent': 'turnkey-rust-client/0.5.0', accept: '*/*' };
  const rustBody = (value) => Buffer.from(JSON.stringify(value));

  for (const [name, make] of Object.entries({ 'P-256': p256Key, secp256k1: () => secp256k1Key({ lowS: true }) })) {
    test(`${name}: no Content-Type, and an answer that is application/json and nothing else`, async () => {
      const key = make();
      const userId = await userWith(key);
      const body = rustBody({ organizationId: world.organizationId });
      const answer = await whoami(body, { ...rustHeaders, 'x-stamp': key.stamp(body) });
      // The client compares the whole media type: a charset would be an error there.
      assert.deepEqual([answer.status, answer.contentType, answer.body.userId], [200, 'application/json', userId]);
    });
  }

  test('null for what an activity leaves out', async () => {
    const { apiPublicKey, apiPrivateKey, organizationId } = world.server.credentials;
    const key = jwkOf(apiPublicKey, apiPrivateKey);
    const body = rustBody({
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      timestampMs: String(Date.now()),
      parameters: { walletName: nameFor('rust'), accounts: [], mnemonicLength: null },
      organizationId,
      generateAppProofs: null,
    });
    const signature = sign('sha256', body, { key, format: 'jwk' });
    const headers = { ...rustHeaders, 'x-stamp': stampOf(apiPublicKey, signature, 'SIGNATURE_SCHEME_TK_API_P256') };
    const answer = await sendBytes(`${world.server.compatibleUrl}/public/v1/submit/create_wallet`, body, headers);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.ok(answer.body.activity.result.createWalletResult.walletId);
  });

  test('an error is application/json as well, with its code and message', async () => {
    const key = p256Key();
    const body = rustBody({ organizationId: world.organizationId });
    const answer = await whoami(body, { ...rustHeaders, 'x-stamp': key.stamp(body) });
    assert.deepEqual([answer.status, answer.contentType, answer.body.code], [401, 'application/json', 16]);
  });
});
