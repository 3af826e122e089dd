import type { Client } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { unsignedPayment } from '../dev/payment.ts';
import { TREASURY } from '../dev/seed.ts';
import { CliFault, UsageFault } from '../faults.ts';
import { renderSubmitted } from '../render-response.ts';
import { jsonText } from '../terminal.ts';

const FINNEY = 10n ** 15n;

/** What can be made to happen, in the treasury of `countersign dev`. */
const events = {
  completed: { summary: 'a payment of 0.01 ETH, which one treasurer may sign', pay: 10n * FINNEY },
  waiting: { summary: 'a payment of 5 ETH, which waits for the other treasurer', pay: 5000n * FINNEY },
  failed: { summary: 'a new tag of users, which no policy allows to treasurers', pay: undefined },
} as const;

/** `trigger`: makes something happen of which endpoints are told. */
export function addTrigger(program: Command, context: Context): void {
  const list = Object.entries(events).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  const command = program
    .command('trigger')
    .argument('<event>', Object.keys(events).join(', '))
    .helpGroup('Service:')
    .summary('Make an event happen in the treasury of "countersign dev"')
    .addHelpText('after', `\nEvents:\n${list.join('\n')}\n\nExample:\n  $ countersign trigger waiting`);
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the activity as JSON')
    .action(async (event: string, flags: ConnectionFlags & { json?: true }) => {
      if (!(event in events))
        throw new UsageFault(`There is no event "${event}".`, `Take one of: ${Object.keys(events).join(', ')}.`);
      const submitted = await trigger(connect(context, flags), event as keyof typeof events);
      context.stdout.write(flags.json ? `${jsonText(submitted)}\n` : renderSubmitted(context, submitted));
    });
}

async function trigger(client: Client, event: keyof typeof events) {
  const { pay } = events[event];
  // Another name, or another nonce, makes another activity.
  const number = Math.floor(Math.random() * 1_000_000);
  if (pay === undefined) return client.createUserTag({ userTagName: `Triggered ${number}`, userIds: [] });
  const { wallets } = await client.listWallets();
  const treasury = wallets.find(({ walletName }) => walletName === TREASURY);
  const { accounts } =
    treasury === undefined ? { accounts: [] } : await client.listWalletAccounts({ walletId: treasury.walletId });
  const account = accounts.find(({ addressFormat }) => addressFormat === 'ADDRESS_FORMAT_ETHEREUM');
  if (account === undefined)
    throw new CliFault(
      `This organization has no wallet "${TREASURY}" for Ethereum.`,
      'Start "countersign dev", and use the credentials of Ann or Ben.',
    );
  const unsignedTransaction = unsignedPayment(pay, number);
  return client.signTransaction({ signWith: account.address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction });
}
