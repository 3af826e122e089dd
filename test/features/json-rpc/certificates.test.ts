import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { authority, type SelfSigned, selfSigned } from '../../support/self-signed.ts';
import { startService, type TestService } from '../../support/service.ts';
import { startCore } from '../isolation/support.ts';
import { call, createSigner, type Signer } from './support.ts';

/** The compressed public key of a certificate, computed without the code of the service. */
function publicKeyOf({ cert }: SelfSigned): string {
  const point = createPublicKey(cert).export({ type: 'spki', format: 'der' }).subarray(-64);
  return `${((point.at(-1) ?? 0) & 1) === 1 ? '03' : '02'}${point.subarray(0, 32).toString('hex')}`;
}

describe('client certificates at the JSON-RPC endpoint', () => {
  const server = selfSigned();
  const clients = authority();
  const certificates = { known: clients.issue('known'), stranger: clients.issue('stranger') };
  let installation: Installation;
  let open: TestService;
  let tls: TestService;
  let signer: Signer;

  beforeAll(async () => {
    installation = await engines.sqlite();
    const file = (name: string, text: string) => {
      const path = join(installation.directory, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    open = await startService(installation);
    signer = await createSigner(open.root);
    await open.root.result('createRpcKeys', {
      userId: signer.userId,
      rpcKeys: [
        {
          apiKeyName: 'Certificate',
          proof: 'RPC_PROOF_CERTIFICATE',
          identifier: publicKeyOf(certificates.known),
          expirationSeconds: '3600',
        },
      ],
    });
    const tlsClientCa = file('clients.pem', clients.cert);
    tls = await startService(installation, {
      config: { tlsCert: file('cert.pem', server.cert), tlsKey: file('key.pem', server.key), tlsClientCa, rpcApprovalSeconds: 0 },
    });
  });
  afterAll(async () => {
    await tls?.close();
    await open?.close();
    await installation?.remove();
  });

  function send(certificate: SelfSigned | undefined, path: string, body: object, headers: Record<string, string> = {}) {
    return new Promise<{ status: number; body: Json }>((resolve, reject) => {
      const own = { 'content-type': 'application/json', ...headers };
      const options = { method: 'POST', headers: own, agent: false, ca: server.cert, ...certificate };
      const outgoing = request(`${tls.url.replace('http:', 'https:')}/rpc/${path}`, options, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      });
      outgoing.on('error', reject).end(JSON.stringify(body));
    });
  }

  const path = () => `${signer.organizationId}/${signer.walletId}`;

  test('a registered certificate signs, and the record names the credential', async () => {
    const [from = ''] = signer.addresses;
    const { body } = await send(certificates.known, path(), call('personal_sign', '0x0c', from));
    expect(await recoverMessageAddress({ message: { raw: '0x0c' }, signature: body.result })).toBe(from);
    const { apiKeys } = await open.root.data('getApiKeys', { userId: signer.userId });
    const types = apiKeys.map(({ credential }: { credential: { type: string } }) => credential.type).sort();
    expect(types).toEqual(['CREDENTIAL_TYPE_RPC_CERTIFICATE', 'CREDENTIAL_TYPE_RPC_TOKEN']);
  });

  test('D787: no certificate, another one and a header that claims one are refused', async () => {
    const claim = { 'x-client-cert': publicKeyOf(certificates.known) };
    for (const [certificate, headers] of [
      [undefined, {}],
      [undefined, claim],
      [certificates.stranger, claim],
    ] as const)
      expect(await send(certificate, path(), call('eth_accounts'), headers)).toMatchObject({ status: 401 });
    const { status, body } = await send(certificates.known, signer.walletId, call('eth_accounts'));
    expect([status, body.error.message]).toEqual([401, expect.stringContaining('in the path')]);
  });

  test('D784: a page that the browser sends with a certificate is refused', async () => {
    const { status } = await send(certificates.known, path(), call('eth_accounts'), { origin: 'https://evil.example' });
    expect(status).toBe(403);
  });

  test('a token works over TLS too, with a certificate or without', async () => {
    for (const certificate of [undefined, certificates.known, certificates.stranger]) {
      const headers = { authorization: `Bearer ${signer.token}` };
      expect((await send(certificate, signer.walletId, call('eth_accounts'), headers)).body.result).toEqual(signer.addresses);
    }
  });

  test('D789: a certificate is worth nothing after its key was removed', async () => {
    const { apiKeys } = await open.root.data('getApiKeys', { userId: signer.userId });
    const { apiKeyId } = apiKeys.find(({ apiKeyName }: { apiKeyName: string }) => apiKeyName === 'Certificate');
    await open.root.result('deleteApiKeys', { userId: signer.userId, apiKeyIds: [apiKeyId] });
    await expect.poll(async () => (await send(certificates.known, path(), call('eth_accounts'))).status).toBe(401);
  });
});

test('D787: a core believes no certificate that an edge claims, and verifies tokens itself', async () => {
  const installation = await engines.sqlite();
  const certificate = newApiKey();
  const service = await startService(installation);
  const signer = await createSigner(service.root);
  const rpcKeys = [
    { apiKeyName: 'Certificate', proof: 'RPC_PROOF_CERTIFICATE', identifier: certificate.publicKey, expirationSeconds: '3600' },
  ];
  await service.root.result('createRpcKeys', { userId: signer.userId, rpcKeys });
  await service.close();
  const server = selfSigned();
  const file = (name: string, text: string) => {
    const path = join(installation.directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const core = await startCore(installation, {
    tlsCert: file('cert.pem', server.cert),
    tlsKey: file('key.pem', server.key),
    tlsClientCa: file('clients.pem', authority().cert),
    rpcApprovalSeconds: 0,
  });
  try {
    const edge = (await core.edge()).open(1, { certificateKey: certificate.publicKey });
    const json = { 'content-type': 'application/json' };
    const ask = (path: string, headers: Record<string, string>) =>
      edge.send(`/rpc/${path}`, JSON.stringify(call('eth_accounts')), headers, 'POST', 1);
    expect((await ask(`${signer.organizationId}/${signer.walletId}`, json)).status).toBe(401);
    const token = { ...json, authorization: `Bearer ${signer.token}` };
    expect((await ask(signer.walletId, token)).body.result).toEqual(signer.addresses);
  } finally {
    await core.close();
    await installation.remove();
  }
});
