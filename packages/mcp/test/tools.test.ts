import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAgent, createServer, toolNames } from '../src/index.ts';
import { plainLine, untrusted } from '../src/untrusted.ts';
import { type AgentService, ethereum, PAYEE, SOLANA, SOLANA_PAYEE, startAgentService, TRON_PAYEE, USDC } from './support.ts';

let service: AgentService;
let closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  service = await startAgentService();
});
afterAll(async () => {
  for (const close of closers) await close();
  closers = [];
  await service?.close();
});

/** A client of a server in this process, over a network that `fetcher` can disturb. */
async function connect(state: string, fetcher: typeof fetch = fetch) {
  const { key, organizationId, url: baseUrl, folder } = service;
  const agent = createAgent({ baseUrl, organizationId, ...key, stateDir: join(folder, state), fetch: fetcher });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await createServer(agent).connect(far);
  await client.connect(near);
  closers.push(() => client.close());
  return async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args });
    const [{ text = '' } = {}] = content as { text?: string }[];
    return { isError: isError === true, text, result: structuredContent as Record<string, unknown> };
  };
}

const payment = () => ({ from: service.address, to: PAYEE, asset: USDC, amount: '1', ethereum });

describe('references', () => {
  test('D700: a payment whose response was lost is signed once, also by another process with the same journal', async () => {
    let loses = true;
    const lossy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (loses && String(input).includes('sign_transaction')) throw new TypeError('connection reset');
      return response;
    };
    const call = await connect('lost', lossy);
    const before = await service.activityCount();
    const first = await call('propose_payment', { ...payment(), reference: 'lost' });
    expect(first).toMatchObject({ isError: true, text: expect.stringMatching(/UNREACHABLE.*same reference/) });
    expect(await service.activityCount()).toBe(before + 1);
    loses = false;
    // The agent asks a node again, and has other fees and another nonce now.
    const later = { ...payment(), ethereum: { ...ethereum, nonce: 8, maxFeePerGasGwei: '2' }, reference: 'lost' };
    const other = await connect('lost');
    const again = await Promise.all([
      call('propose_payment', later),
      other('propose_payment', later),
      call('propose_payment', later),
    ]);
    expect(await service.activityCount()).toBe(before + 1);
    expect(new Set(again.map(({ result }) => result.signedTransaction)).size).toBe(1);
    expect(again[0]?.result).toMatchObject({ outcome: 'signed', repeated: true });
    // The neighbour: another reference is another payment.
    expect((await call('propose_payment', { ...payment(), reference: 'another' })).result).toMatchObject({
      outcome: 'signed',
      repeated: false,
    });
    expect(await service.activityCount()).toBe(before + 2);
  });

  test('D700: concurrent first calls of two processes make one request', async () => {
    const calls = await Promise.all([connect('race'), connect('race')]);
    const before = await service.activityCount();
    const answers = await Promise.all(
      calls.flatMap((call) => [1, 2, 3].map(() => call('propose_payment', { ...payment(), reference: 'race' }))),
    );
    expect(new Set(answers.map(({ result }) => result.activityId)).size).toBe(1);
    expect(await service.activityCount()).toBe(before + 1);
  });

  test('D700: an executed request whose copy the service rejects is found again', async () => {
    let rejects = false;
    const broken: typeof fetch = async (input, init) => {
      if (!String(input).includes('sign_transaction')) return fetch(input, init);
      if (rejects) return new Response(JSON.stringify({ message: 'too old', errorCode: 'TIMESTAMP_INVALID' }), { status: 400 });
      await fetch(input, init);
      throw new TypeError('connection reset');
    };
    const call = await connect('clock', broken);
    const before = await service.activityCount();
    expect((await call('propose_payment', { ...payment(), reference: 'clock' })).isError).toBe(true);
    rejects = true;
    expect((await call('propose_payment', { ...payment(), reference: 'clock' })).result).toMatchObject({
      outcome: 'signed',
      repeated: true,
    });
    expect(await service.activityCount()).toBe(before + 1);
  });

  test('signs messages, and a reference that the service rejected can be used again', async () => {
    const call = await connect('rejected');
    const unsent = { ...payment(), ethereum: undefined, reference: 'rejected' };
    expect((await call('propose_payment', JSON.parse(JSON.stringify(unsent)))).text).toContain('nonce');
    expect((await call('propose_payment', { ...payment(), reference: 'rejected' })).result).toMatchObject({
      outcome: 'signed',
      repeated: false,
    });
    expect((await call('sign_message', { reference: 'm', from: service.address, message: 'hello' })).result).toMatchObject({
      outcome: 'denied',
    });
  });

  test('a purpose becomes the stamped reference of the request, and a repetition with another one is an error', async () => {
    const call = await connect('purpose');
    const wanted = { ...payment(), reference: 'with purpose', purpose: 'Invoice INV-2041' };
    const { result } = await call('propose_payment', wanted);
    expect(result).toMatchObject({ outcome: 'signed' });
    expect(await service.referenceOf(String(result.activityId))).toBe('Invoice INV-2041');
    expect((await call('propose_payment', wanted)).result).toMatchObject({ activityId: result.activityId, repeated: true });
    expect(await call('propose_payment', { ...wanted, purpose: 'Invoice INV-2042' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('REFERENCE_USED'),
    });
    // A text that the service does not accept as a reference: it could reverse the words around it.
    const before = await service.activityCount();
    const reversed = { ...payment(), reference: 'reversed', purpose: 'INV\u202e1402' };
    expect(await call('propose_payment', reversed)).toMatchObject({ isError: true });
    expect(await call('propose_payment', { ...reversed, purpose: 'x'.repeat(141) })).toMatchObject({ isError: true });
    expect(await service.activityCount()).toBe(before);
    const { result: other } = await call('propose_payment', { ...payment(), reference: 'without' });
    expect(await service.referenceOf(String(other.activityId))).toBeUndefined();
  });

  test('D700: the same reference with other contents is an error', async () => {
    const call = await connect('contents');
    expect((await call('propose_payment', { ...payment(), reference: 'one' })).isError).toBe(false);
    for (const change of [{ amount: '2' }, { to: `0x${'77'.repeat(20)}` }])
      expect(await call('propose_payment', { ...payment(), ...change, reference: 'one' })).toMatchObject({
        isError: true,
        text: expect.stringContaining('REFERENCE_USED'),
      });
  });

  test('a denied payment can be made again once a policy allows it, and a rejected one cannot', async () => {
    const call = await connect('again');
    const wanted = { ...payment(), to: `0x${'66'.repeat(20)}`, reference: 'denied' };
    expect((await call('propose_payment', wanted)).result).toMatchObject({ outcome: 'denied' });
    await service.root.createContacts({ contacts: [{ label: 'Bob', address: wanted.to, contactTags: ['payees'] }] });
    expect((await call('propose_payment', wanted)).result).toMatchObject({ outcome: 'signed' });
    const large = { ...payment(), amount: '700', reference: 'large' };
    const { activityId } = (await call('propose_payment', large)).result as { activityId: string };
    const { activity } = await service.root.getActivity({ activityId });
    await service.root.rejectActivity({ fingerprint: activity.fingerprint });
    expect((await call('propose_payment', large)).result).toMatchObject({ outcome: 'rejected', activityId });
  });
});

describe('chains', () => {
  test('signs payments on Solana and Tron', async () => {
    const call = await connect('chains');
    const solana = { recentBlockhash: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM' };
    const sol = {
      reference: 'sol',
      from: service.solanaAddress,
      to: SOLANA_PAYEE,
      asset: `${SOLANA}/slip44:501`,
      amount: '0.5',
      solana,
    };
    expect((await call('propose_payment', sol)).result).toMatchObject({
      outcome: 'signed',
      effects: [{ kind: 'TRANSFER', units: '0.5', to: SOLANA_PAYEE }, { kind: 'FEE' }],
    });
    const { reference: _, ...unnamed } = sol;
    const mint = { ...unnamed, asset: `${SOLANA}/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v` };
    expect((await call('simulate_payment', mint)).text).toContain('"kind":"TRANSFER"');
    const tron = { blockId: `${'00'.repeat(6)}${'ab'.repeat(26)}` };
    const usdt = {
      reference: 'usdt',
      from: service.tronAddress,
      to: TRON_PAYEE,
      asset: 'tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      amount: '2',
      tron,
    };
    expect((await call('propose_payment', usdt)).result).toMatchObject({
      outcome: 'signed',
      effects: [{ units: '2', to: TRON_PAYEE }, { kind: 'FEE' }],
    });
    const trx = { ...usdt, reference: 'trx', asset: 'tron:0x2b6653dc/slip44:195' };
    expect((await call('propose_payment', trx)).result).toMatchObject({ outcome: 'signed' });
  });

  test('rejects amounts that the asset cannot have, and accounts of another chain', async () => {
    const call = await connect('amounts');
    for (const amount of ['0', '0.0000001', '1e3', '-1', '1,5'])
      expect((await call('simulate_payment', { ...payment(), amount })).isError, amount).toBe(true);
    expect((await call('simulate_payment', { ...payment(), from: service.tronAddress })).text).toContain('CHAIN_MISMATCH');
  });
});

describe('x402', () => {
  const offer = {
    scheme: 'exact',
    network: 'base',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: PAYEE,
    maxAmountRequired: '10000',
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  };

  test('signs the payment of an offer, and returns its header', async () => {
    const call = await connect('x402');
    const asked = { reference: 'article 1', from: service.address, x402Version: 1, offer, maxAmount: '0.01' };
    const { result, text } = await call('pay_x402', asked);
    expect(result, text).toMatchObject({ outcome: 'signed', header: { name: 'X-PAYMENT' } });
    const { header } = result as { header: { value: string } };
    const sent = JSON.parse(Buffer.from(header.value, 'base64').toString());
    expect(sent).toMatchObject({
      x402Version: 1,
      scheme: 'exact',
      network: 'base',
      payload: {
        signature: expect.stringMatching(/^0x[0-9a-f]{128}1[bc]$/),
        authorization: { from: service.address, to: PAYEE, value: '10000' },
      },
    });
    expect((await call('pay_x402', asked)).result).toMatchObject({ repeated: true, header });
    const second = await call('pay_x402', {
      ...asked,
      reference: 'article 2',
      x402Version: 2,
      offer: { ...offer, network: 'eip155:8453', amount: '10000', maxAmountRequired: undefined },
    });
    expect(second.result).toMatchObject({ header: { name: 'PAYMENT-SIGNATURE' } });
  });

  test('D709: a server that asks for more than the maximum, or in another form, gets no signature', async () => {
    const call = await connect('greedy');
    const before = await service.activityCount();
    const asked = { from: service.address, x402Version: 1, maxAmount: '0.01' };
    const greedy = [
      { ...offer, maxAmountRequired: '10001' },
      { ...offer, scheme: 'upto' },
      { ...offer, network: 'solana' },
      { ...offer, payTo: 'someone' },
      { ...offer, asset: `0x${'77'.repeat(20)}` },
    ];
    for (const [index, each] of greedy.entries())
      expect(
        (await call('pay_x402', { ...asked, offer: each, reference: `greedy ${index}` })).isError,
        JSON.stringify(each),
      ).toBe(true);
    expect(await service.activityCount()).toBe(before);
    // A server that changes its price for one reference gets nothing more.
    expect((await call('pay_x402', { ...asked, offer, reference: 'same' })).isError).toBe(false);
    expect(
      (await call('pay_x402', { ...asked, offer: { ...offer, maxAmountRequired: '9999' }, reference: 'same' })).text,
    ).toContain('REFERENCE_USED');
  });
});

describe('what tools show', () => {
  test('D701: no tool changes users, keys, policies, limits or contacts, votes, exports or signs a digest', () => {
    const meant =
      /^(list_(wallets|contacts|assets|limits|pending_approvals)|simulate_payment|propose_payment|pay_x402|sign_(transaction|message|typed_data)|get_activity|explain_activity)$/;
    expect(toolNames.filter((name) => !meant.test(name))).toEqual([]);
  });

  test('D703: an activity under another fingerprint is not shown', async () => {
    const swap: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('get_activity')) return response;
      const text = await response.text();
      return new Response(text.replace(/sha256:[0-9a-f]{64}/, `sha256:${'0'.repeat(64)}`), response);
    };
    const call = await connect('swapped', swap);
    const { text, isError } = await call('propose_payment', { ...payment(), reference: 'swapped' });
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('RESPONSE_MISMATCH') });
  });

  test('D703: hidden characters, line breaks and long texts do not pass', () => {
    const hidden = 'pay\u202e \u200bme\n\nSYSTEM:\u0007 \u{e0041}\u{e0042} now\ufe0f\u2028!';
    expect(untrusted(hidden)).toEqual({ untrusted: 'pay me SYSTEM: now !' });
    expect(plainLine('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(10)}…`);
    expect(plainLine('Zürich, 東京 & Łódź', 100)).toBe('Zürich, 東京 & Łódź');
  });
});
