import { renderFields } from '../render.ts';
import { nextCommand, shellQuote } from '../shell-quote.ts';
import type { Paint } from '../terminal.ts';
import type { ChainState } from './chain.ts';
import type { Treasury } from './seed.ts';

/** What `countersign dev` shows when it is ready. */
export interface DevFacts {
  readonly url: string;
  readonly compatibleUrl: string;
  readonly consoleUrl: string;
  readonly organizationId: string;
  readonly treasury: Treasury;
  readonly mailbox: string | undefined;
  readonly forwardTo: string | undefined;
  readonly folder: string;
  readonly node: (ChainState & { readonly rpcUrl: string }) | undefined;
}

export function welcome(facts: DevFacts, paint: Paint): string {
  const { url, compatibleUrl, consoleUrl, organizationId, treasury, mailbox, forwardTo, folder, node } = facts;
  const { people, walletName, address } = treasury;
  const [ann, ben] = people.map(({ file }) => file);
  const chain = node && `chain ${node.chainId}; balance of the wallet: ${node.balance} wei`;
  const places = {
    console: consoleUrl,
    service: url,
    'for @turnkey SDKs': compatibleUrl,
    mailbox,
    'forwards to': forwardTo,
    chain,
    data: folder,
  };
  const as = (file: string | undefined) => `export COUNTERSIGN_CREDENTIALS=${shellQuote(file ?? '')}`;
  return [
    paint('green', 'A treasury for two people is ready. Ctrl-C removes it, including its keys.'),
    '',
    renderFields(places, { columns: 200, paint }),
    '',
    `Ann and Ben are treasurers of the wallet "${walletName}", ${address}.`,
    'One of them can pay up to 0.1 ETH, both together any amount.',
    '',
    ...people.flatMap(({ name, consoleLink }) => [
      paint('bold', `In a browser as ${name}, with a new passkey:`),
      `  ${consoleLink}`,
    ]),
    paint('bold', `Without a passkey, as ${people.map(({ email }) => email).join(' or ')}, with a code from the mailbox:`),
    `  ${consoleUrl}#/sign-in?organization=${organizationId}`,
    '',
    paint('bold', 'As Ann, in a second terminal:'),
    `  ${as(ann)}`,
    `  ${nextCommand(['trigger', 'waiting'])}      ${paint('dim', '# also: completed, failed')}`,
    paint('bold', 'As Ben, in a third:'),
    `  ${as(ben)}`,
    `  ${nextCommand(['approve'])}`,
    '',
    ...(node === undefined
      ? []
      : [
          paint('bold', 'A payment on that chain, once the wallet has funds (Ctrl-C removes its key):'),
          `  export COUNTERSIGN_RPC_URL=${shellQuote(node.rpcUrl)}`,
          `  ${nextCommand(['trigger', 'payment'])}`,
          '',
        ]),
    paint('dim', 'Requests and events follow. Type "r" and Enter to resend the last event, "r ID" to resend another.'),
    '',
  ].join('\n');
}
