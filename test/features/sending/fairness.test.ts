import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createSubOrganization, createWallet, errorOf } from '../../support/world.ts';
import { createOrganization } from '../catalogue/support/organizations.ts';
import { call, createSigner, send } from '../json-rpc/support.ts';
import { confirm, fundedAccount, pay, payment, sendingConfig } from './support.ts';

const DEAD_CHAIN = 'eip155:999';
/** More than all places of a chain in a process. */
const MANY = 20;
const wei = (ether: bigint) => `0x${(ether * 10n ** 18n).toString(16)}`;

/** What a node says until it stops to respond: enough to sign a transaction. */
const facts: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x3e7',
  eth_getTransactionCount: '0x0',
  eth_getBalance: wei(1n),
  eth_getBlockByNumber: { number: '0x10', baseFeePerGas: '0x1' },
  eth_maxPriorityFeePerGas: '0x1',
};

describe.skipIf(missingAnvil !== undefined)(withAnvil('the share of a tenant in sending'), () => {
  let anvil: Anvil;
  let front: Awaited<ReturnType<typeof serveNode>>;
  let dead: Awaited<ReturnType<typeof serveNode>>;
  let installation: Installation;
  let service: TestService;
  /** The node of the healthy chain does not respond about these accounts any more. */
  const silentAbout = new Set<string>();
  const never = new Promise<never>(() => undefined);

  beforeAll(async () => {
    anvil = await startAnvil();
    front = await serveNode((method, params) => {
      const [first] = params as [unknown];
      if (silentAbout.has(String(first).toLowerCase())) return never;
      return anvil.call(method, params as unknown[]).catch(({ message }) => ({ error: { code: -32000, message } }));
    });
    dead = await serveNode((method) => facts[method] ?? never);
    installation = await preparedEngines.sqlite();
    const { chainEndpoints = [], ...config } = sendingConfig([front.url]);
    service = await startService(installation, {
      config: {
        ...config,
        chainEndpoints: [...chainEndpoints, { chain: DEAD_CHAIN, endpoints: [{ url: dead.url }] }],
        chainTimeoutSeconds: 120,
      },
    });
  });
  afterAll(async () => {
    await front?.close();
    await dead?.close();
    await service?.close();
    await installation?.remove();
    await anvil?.stop();
  });

  /** A payment from each of many accounts of one tenant. */
  async function payFromMany(root: Caller, more: object): Promise<string[]> {
    const { addresses } = await createWallet(root, MANY);
    for (const from of addresses) {
      await anvil.fund(from, 1);
      const params = payment(from, { gasLimit: '21000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1', ...more });
      await expect.poll(async () => (await root.submit('ethSendTransaction', params)).status, { timeout: 60_000 }).toBe(200);
    }
    return addresses;
  }

  test('D901: a chain whose nodes do not respond does not stop sending on another one', { timeout: 240_000 }, async () => {
    const { root } = service;
    await payFromMany(root, { caip2: DEAD_CHAIN });
    const from = await fundedAccount(root, anvil);
    await confirm(root, anvil, await pay(root, from));
  });

  test('D901: many slow accounts of one tenant do not stop those of another one', { timeout: 240_000 }, async () => {
    const [crowded, quiet] = [await createOrganization(service.root, service), await createOrganization(service.root, service)];
    await anvil.call('evm_setAutomine', [false]);
    for (const from of await payFromMany(crowded, {})) silentAbout.add(from.toLowerCase());
    await anvil.call('evm_setAutomine', [true]);
    const from = await fundedAccount(quiet, anvil);
    await confirm(quiet, anvil, await pay(quiet, from));
  });

  test('D900: requests that are rejected after nodes were asked use up the share of their tenant only', async () => {
    const place = await preparedEngines.sqlite();
    const config = { ...sendingConfig([anvil.url]), chainSendsPerOrganization: 2 };
    const strict = await startService(place, { config });
    try {
      const [greedy, other] = [await createOrganization(strict.root, strict), await createOrganization(strict.root, strict)];
      const { addresses } = await createWallet(greedy);
      const ask = () => greedy.submit('ethSendTransaction', payment(addresses[0] as string));
      expect(errorOf(await ask()).code).toBe('PRECONDITION_FAILED');
      await expect.poll(async () => errorOf(await ask()), { interval: 1 }).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      // A sub-organization has no share of its own.
      const { caller: child } = await createSubOrganization(greedy);
      const ofChild = (await createWallet(child)).addresses[0] as string;
      await expect.poll(async () => errorOf(await ask()).code, { interval: 1, timeout: 30_000 }).not.toBe('RATE_LIMIT_EXCEEDED');
      expect(errorOf(await child.submit('ethSendTransaction', payment(ofChild))).code).toBe('RATE_LIMIT_EXCEEDED');
      const from = await fundedAccount(other, anvil);
      await confirm(other, anvil, await pay(other, from));
    } finally {
      await strict.close();
      await place.remove();
    }
  });

  test('D942: reads over JSON-RPC of all sub-organizations count in the budget of their parent', async () => {
    const place = await preparedEngines.sqlite();
    const strict = await startService(place, { config: { ...sendingConfig([anvil.url]), rpcReadsPerUser: 1 } });
    try {
      const children = await Promise.all(Array.from({ length: 10 }, () => createSubOrganization(strict.root)));
      const signers = await Promise.all(children.map(({ caller }) => createSigner(caller)));
      const reads = signers.map(({ walletId, token }) =>
        send(strict.url, `${walletId}/31337`, call('eth_getLogs', {}), token).then(
          ({ body }) => body.error?.data?.errorCode ?? 'ok',
        ),
      );
      expect(await Promise.all(reads)).toContain('RATE_LIMIT_EXCEEDED');
    } finally {
      await strict.close();
      await place.remove();
    }
  });
});
