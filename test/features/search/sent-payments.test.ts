import { solanaPayment, tronPayment } from '@countersign/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type BitcoinLedger, createBitcoinLedger } from '../../support/bitcoin-ledger.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { createTronLedger, type TronLedger } from '../../support/tron-ledger.ts';
import { createPrivateKey } from '../../support/world.ts';
import { type BitcoinServer, bitcoinAccount, bitcoinConfig, bitcoinPayment, serveBitcoin } from '../sending/bitcoin-support.ts';
import { fundedSolana, RECEIVER as SOL_RECEIVER, solanaConfig } from '../sending/solana-support.ts';
import { fundedAccount, payment, reach, sendingConfig, speedUp } from '../sending/support.ts';
import { fundedTron, serveTron, TRX, RECEIVER as TRX_RECEIVER, type TronServer, tronConfig } from '../sending/tron-support.ts';

const DAY_MS = 86_400_000;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('searches for sent payments on %s'),
  (engine) => {
    let nodes: { anvil: Anvil; solana: SolanaNode; tron: TronServer; bitcoin: BitcoinServer };
    let [trx, btc]: [TronLedger, BitcoinLedger] = [createTronLedger(), createBitcoinLedger()];
    let installation: Installation;
    let service: TestService;
    let raw: RawDatabase;

    beforeAll(async () => {
      [trx, btc] = [createTronLedger(), createBitcoinLedger()];
      const [anvil, solana] = [await startAnvil(), await startSolanaNode()];
      nodes = { anvil, solana, tron: await serveTron(trx), bitcoin: await serveBitcoin(btc) };
      const settings = [
        sendingConfig([anvil.url]),
        solanaConfig(solana, [solana.url]),
        tronConfig(trx, [nodes.tron]),
        bitcoinConfig(btc, [nodes.bitcoin]),
      ];
      const chainEndpoints = settings.flatMap((each) => each.chainEndpoints ?? []);
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: { ...Object.assign({}, ...settings), chainEndpoints } });
      raw = await installation.raw();
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await nodes?.anvil.stop();
      await nodes?.solana.close();
      await nodes?.tron.close();
      await nodes?.bitcoin.close();
    });

    const walletAt = async (caller: Caller, address: string): Promise<Json> =>
      (await caller.data('listWalletAccounts', { address })).accounts[0];

    /** Hashes of the payments that a search finds, newest first. */
    async function found(input: object): Promise<string[]> {
      const { activities } = await service.root.data('searchActivities', {
        ...input,
        since: String(Date.now() - DAY_MS),
        limit: 100,
      });
      return activities.map(
        ({ result }: Json) => (Object.values(result ?? {})[0] as Json)?.transactionHash ?? result?.transactionHash,
      );
    }

    async function settle(): Promise<void> {
      const [size] = await raw.all('SELECT size FROM log_state');
      const leaves = async () => Number((await raw.all('SELECT leaves FROM activity_term_state'))[0]?.leaves ?? 0);
      await expect.poll(leaves, { timeout: 60_000 }).toBeGreaterThanOrEqual(Number(size?.size));
    }

    /** Before and after indexing, and without what an earlier release indexed, the responses are the same. */
    async function expectFound(input: object, hashes: readonly string[]): Promise<void> {
      expect(await found(input)).toEqual(hashes);
      await expect.poll(async () => Number((await raw.all('SELECT count(*) AS n FROM log_queue'))[0]?.n)).toBe(0);
      await settle();
      expect(await found(input)).toEqual(hashes);
      await raw.run('DELETE FROM activity_terms');
      await raw.run('DELETE FROM activity_term_state');
      await settle();
      expect(await found(input)).toEqual(hashes);
    }

    test('a wallet filter finds payments on Ethereum, and their replacement', async () => {
      const { root } = service;
      await nodes.anvil.call('evm_setAutomine', [false]);
      const from = await fundedAccount(root, nodes.anvil);
      const { sendTransactionStatusId: id, transactionHash } = await root.result('ethSendTransaction', payment(from));
      await reach(root, id, 'BROADCASTING');
      const replaced = await speedUp(root, from, id);
      const { walletId, walletAccountId } = await walletAt(root, from);
      for (const keyId of [walletId, walletAccountId]) await expectFound({ keyId }, [replaced.transactionHash, transactionHash]);
      await nodes.anvil.call('evm_setAutomine', [true]);
    });

    test('a filter by private key finds its payments', async () => {
      const { root } = service;
      const keyId = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
      const { privateKey } = await root.data('getPrivateKey', { privateKeyId: keyId });
      const from = privateKey.addresses[0].address;
      await nodes.anvil.fund(from, 1);
      const { transactionHash } = await root.result('ethSendTransaction', payment(from));
      await expectFound({ keyId }, [transactionHash]);
    });

    test('filters find payments on Solana by wallet, and by the words of the memo and of the reference', async () => {
      const { root } = service;
      const from = await fundedSolana(root, nodes.solana);
      const unsignedTransaction = solanaPayment(
        { from, to: SOL_RECEIVER, amount: 1_000n, decimals: 9, asset: `${nodes.solana.chain}/slip44:501` },
        { memo: 'Invoice №7 "last"' },
      );
      const { transactionHash } = await root.result('solSendTransaction', {
        signWith: from,
        caip2: nodes.solana.chain,
        unsignedTransaction,
      });
      await expectFound({ keyId: (await walletAt(root, from)).walletId }, [transactionHash]);
      await expectFound({ reference: '№7 INVOICE "last"' }, [transactionHash]);
      expect(await found({ reference: 'invoice memo' })).toEqual([]);
    });

    test('filters find payments on Tron by wallet and by the words of the memo', async () => {
      const { root } = service;
      const from = await fundedTron(root, trx);
      const unsignedTransaction = tronPayment(
        { from, to: TRX_RECEIVER, amount: TRX, decimals: 6, asset: `${trx.chain}/slip44:195` },
        { timestampMs: Date.now(), feeLimit: 0n, memo: 'Rent Zürich' },
      );
      const { transactionHash } = await root.result('tronSendTransaction', {
        signWith: from,
        caip2: trx.chain,
        unsignedTransaction,
      });
      await expectFound({ keyId: (await walletAt(root, from)).walletId }, [transactionHash]);
      await expectFound({ reference: 'zürich' }, [transactionHash]);
    });

    test('filters find payments on Bitcoin by wallet, and by the receiver in upper case', async () => {
      const { root } = service;
      const account = await bitcoinAccount(root, btc);
      const { transactionHash } = await root.result('bitcoinSendTransaction', bitcoinPayment(btc, account));
      await expectFound({ keyId: (await walletAt(root, account.address)).walletId }, [transactionHash]);
      const { activities } = await root.data('searchActivities', {
        limit: 1,
        filterByType: ['ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION'],
      });
      const to: string = activities[0].parsed.effects.find(({ kind }: Json) => kind === 'TRANSFER').to;
      expect(to).toMatch(/^bcrt1/);
      await expectFound({ counterparty: to.toUpperCase() }, [transactionHash]);
    });
  },
);
