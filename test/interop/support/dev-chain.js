import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createBlock } from '@ethereumjs/block';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createTxFromRLP } from '@ethereumjs/tx';
import { bigIntToHex, bytesToHex, createAccount, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { createVM, runTx } from '@ethereumjs/vm';

const GAS_LIMIT = 30_000_000n;
const BASE_FEE = 1_000_000_000n;

/**
 * Starts a development chain of one node on a free loopback port. It answers the JSON-RPC methods that a wallet client calls.
 * @ethereumjs/vm checks and runs every transaction, one transaction a block, so the chain runs on every processor.
 */
export async function startChain(chainId) {
  const common = new Common({ chain: { ...Mainnet, chainId }, hardfork: Hardfork.Prague });
  const vm = await createVM({ common });
  const receipts = new Map();
  let number = 0n;

  const accountOf = async (address) => (await vm.stateManager.getAccount(createAddressFromString(address))) ?? createAccount({});
  const blockAt = (height) =>
    createBlock(
      { header: { number: height, gasLimit: GAS_LIMIT, baseFeePerGas: BASE_FEE, timestamp: height } },
      { common, skipConsensusFormatValidation: true },
    );

  const methods = {
    eth_chainId: () => bigIntToHex(BigInt(chainId)),
    eth_blockNumber: () => bigIntToHex(number),
    eth_getBlockByNumber: () => ({
      ...blockAt(number).toJSON().header,
      hash: bytesToHex(blockAt(number).hash()),
      transactions: [],
    }),
    eth_maxPriorityFeePerGas: () => bigIntToHex(BASE_FEE),
    eth_getBalance: async (address) => bigIntToHex((await accountOf(address)).balance),
    eth_getCode: async (address) => bytesToHex(await vm.stateManager.getCode(createAddressFromString(address))),
    eth_getTransactionCount: async (address) => bigIntToHex((await accountOf(address)).nonce),
    // Yellow Paper, appendix G: a transfer to an account without code.
    eth_estimateGas: () => bigIntToHex(21_000n),
    // Of a call without a receiver: its data is the code of a contract to create, and its result what that code returns.
    async eth_call({ data }) {
      const { exceptionError, returnValue } = await vm.evm.runCode({ code: hexToBytes(data), gasLimit: GAS_LIMIT });
      if (exceptionError !== undefined) throw new Error(exceptionError.error);
      return bytesToHex(returnValue);
    },
    eth_getTransactionReceipt: (hash) => receipts.get(hash) ?? null,
    async eth_sendRawTransaction(raw) {
      const tx = createTxFromRLP(hexToBytes(raw), { common });
      const block = blockAt(number + 1n);
      const { receipt, totalGasSpent } = await runTx(vm, { tx, block });
      number += 1n;
      const hash = bytesToHex(tx.hash());
      receipts.set(hash, {
        transactionHash: hash,
        transactionIndex: '0x0',
        blockHash: bytesToHex(block.hash()),
        blockNumber: bigIntToHex(number),
        from: tx.getSenderAddress().toString(),
        to: tx.to?.toString() ?? null,
        status: receipt.status === 1 ? '0x1' : '0x0',
        gasUsed: bigIntToHex(totalGasSpent),
        logs: [],
      });
      return hash;
    },
  };

  const answer = async ({ id, method, params = [] }) => {
    try {
      if (!(method in methods)) throw new Error(`the development chain has no ${method}`);
      return { jsonrpc: '2.0', id, result: await methods[method](...params) };
    } catch ({ message }) {
      return { jsonrpc: '2.0', id, error: { code: -32000, message } };
    }
  };
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer(await json(request))));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Makes an account hold this many wei, with nonce 0. */
    setBalance: (address, balance) => vm.stateManager.putAccount(createAddressFromString(address), createAccount({ balance })),
    /** EIP-7702: makes an account obey the code at an address. */
    setDelegation: (address, to) =>
      vm.stateManager.putCode(createAddressFromString(address), hexToBytes(`0xef0100${to.replace(/^0x/, '')}`)),
    codeOf: methods.eth_getCode,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
