import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Transaction } from 'ethers';

/** A small Ethereum node: accounts have a balance and a nonce, and a signed payment changes both (EIP-1474, EIP-1559). */
export async function startNode(chainId: bigint) {
  const accounts = new Map<string, { balance: bigint; nonce: bigint }>();
  const of = (address: string) => {
    const key = address.toLowerCase();
    const account = accounts.get(key) ?? { balance: 0n, nonce: 0n };
    accounts.set(key, account);
    return account;
  };
  const asked: string[] = [];
  const gasPrice = 3n * 10n ** 9n;

  function take(raw: string): string {
    const transaction = Transaction.from(raw);
    const { from, to, value, gasLimit, maxFeePerGas, hash } = transaction;
    if (from === null || to === null || hash === null) throw new Error('not signed');
    const sender = of(from);
    const cost = value + gasLimit * (maxFeePerGas ?? 0n);
    if (transaction.chainId !== chainId) throw new Error('invalid chain id for signer');
    if (BigInt(transaction.nonce) !== sender.nonce) throw new Error('nonce too low');
    if (cost > sender.balance) throw new Error('insufficient funds for gas * price + value');
    sender.nonce += 1n;
    sender.balance -= value + gasLimit * gasPrice;
    of(to).balance += value;
    return hash;
  }

  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const methods: Readonly<Record<string, (...params: string[]) => string>> = {
    eth_chainId: () => hex(chainId),
    eth_gasPrice: () => hex(gasPrice),
    eth_maxPriorityFeePerGas: () => hex(10n ** 9n),
    eth_getBalance: (address = '') => hex(of(address).balance),
    eth_getTransactionCount: (address = '') => hex(of(address).nonce),
    eth_sendRawTransaction: (raw = '') => take(raw),
  };

  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    asked.push(method);
    const answer = (() => {
      try {
        const run = methods[method];
        return run === undefined ? { error: { code: -32601, message: 'no such method' } } : { result: run(...params) };
      } catch (error) {
        return { error: { code: -32000, message: (error as Error).message } };
      }
    })();
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    account: of,
    close: () => server.close(),
  };
}
