import { type Client, completed } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { checkRpcUrl, readChain, sendTransaction } from '../dev/chain.ts';
import { exampleTerms, unsignedPayment } from '../dev/payment.ts';
import { TREASURY } from '../dev/seed.ts';
import { CliError, UsageError } from '../errors.ts';
import { renderSubmitted } from '../render-response.ts';
import { jsonText } from '../terminal.ts';

const FINNEY = 10n ** 15n;

/** Events that can be triggered in the treasury of `countersign dev`. */
const events = {
  completed: { summary: 'a payment of 0.01 ETH, which one treasurer may sign', pay: 10n * FINNEY },
  waiting: { summary: 'a payment of 5 ETH, which needs the approval of the other treasurer', pay: 5000n * FINNEY },
  payment: { summary: 'a payment of 0.01 ETH, sent to the node of --rpc-url', pay: 10n * FINNEY },
  failed: { summary: 'a new user tag, which no policy allows treasurers to create', pay: undefined },
} as const;

/** `trigger`: triggers an event that webhook endpoints receive. */
export function addTrigger(program: Command, context: Context): void {
  const list = Object.entries(events).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  const command = program
    .command('trigger')
    .argument('<event>', Object.keys(events).join(', '))
    .helpGroup('Service:')
    .summary('Trigger an event in the treasury of "countersign dev"')
    .addHelpText('after', `\nEvents:\n${list.join('\n')}\n\nExample:\n  $ countersign trigger waiting`);
  command.option('--rpc-url <url>', 'an Ethereum node, which provides chain, nonce and fees of payments (COUNTERSIGN_RPC_URL)');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the activity as JSON')
    .action(async (event: string, flags: ConnectionFlags & { rpcUrl?: string; json?: true }) => {
      if (!(event in events))
        throw new UsageError(`Unknown event "${event}".`, `Choose one of: ${Object.keys(events).join(', ')}.`);
      const given = flags.rpcUrl ?? context.environment.COUNTERSIGN_RPC_URL;
      const rpcUrl = given === undefined ? undefined : checkRpcUrl(given);
      const client = connect(context, flags);
      await requireThrowAway(client);
      if (event === 'payment') return sendPayment(context, client, rpcUrl, flags.json);
      const submitted = await trigger(client, event as keyof typeof events, rpcUrl);
      context.stdout.write(flags.json ? `${jsonText(submitted)}\n` : renderSubmitted(context, submitted));
    });
}

/**
 * SECURITY: D306: the events sign payments. The service knows whether it is an example; a name of a wallet, or a flag, can be anything.
 */
async function requireThrowAway(client: Client): Promise<void> {
  const { configs } = await client.getOrganizationConfigs({});
  if (configs.throwAway === true) return;
  throw new CliError(
    'This is not the treasury of "countersign dev": an event would sign with real keys.',
    'Start "countersign dev", and use the credentials of Ann or Ben that it shows.',
  );
}

async function trigger(client: Client, event: keyof typeof events, rpcUrl: string | undefined) {
  const { pay } = events[event];
  // A different name or nonce makes it a different activity.
  const number = Math.floor(Math.random() * 1_000_000);
  if (pay === undefined) return client.createUserTag({ userTagName: `Triggered ${number}`, userIds: [] });
  return sign(client, pay, rpcUrl, number);
}

async function sendPayment(context: Context, client: Client, rpcUrl: string | undefined, json: true | undefined): Promise<void> {
  if (rpcUrl === undefined)
    throw new UsageError('No Ethereum node was given.', 'Pass one with --rpc-url or COUNTERSIGN_RPC_URL.');
  const submitted = await sign(client, events.payment.pay, rpcUrl, 0);
  const { signedTransaction } = completed(submitted);
  const transactionHash = await sendTransaction(rpcUrl, signedTransaction);
  context.stdout.write(
    json
      ? `${jsonText({ ...submitted, transactionHash })}\n`
      : `${renderSubmitted(context, submitted)}Sent: ${transactionHash}\n`,
  );
}

async function sign(client: Client, pay: bigint, rpcUrl: string | undefined, nonce: number) {
  const { wallets } = await client.listWallets();
  const treasury = wallets.find(({ walletName }) => walletName === TREASURY);
  const { accounts } =
    treasury === undefined ? { accounts: [] } : await client.listWalletAccounts({ walletId: treasury.walletId });
  const account = accounts.find(({ addressFormat }) => addressFormat === 'ADDRESS_FORMAT_ETHEREUM');
  if (account === undefined)
    throw new CliError(
      `This organization has no wallet "${TREASURY}" for Ethereum.`,
      'Start "countersign dev", and use the credentials of Ann or Ben.',
    );
  const terms = rpcUrl === undefined ? exampleTerms(nonce) : await readChain(rpcUrl, account.address);
  const unsignedTransaction = unsignedPayment(pay, terms);
  return client.signTransaction({ signWith: account.address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction });
}
