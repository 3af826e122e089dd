import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { checkRpcUrl, readChain } from '../dev/chain.ts';
import { CliError, UsageError } from '../errors.ts';
import { jsonText, paintFor } from '../terminal.ts';
import { replayOnRequest } from './listen.ts';

const example = `
All data is in a new temporary folder, which is removed when you stop the command.

Examples:
  $ countersign dev
  $ countersign dev --port 9000 --forward-to http://127.0.0.1:3000/webhooks
  $ countersign dev --rpc-url http://127.0.0.1:8545`;

interface DevFlags {
  readonly port: string;
  readonly forwardTo?: string;
  readonly rpcUrl?: string;
  readonly json?: true;
}

/** `dev`: a temporary service with an example treasury. Shows its requests and events in one terminal. */
export function addDev(program: Command, context: Context): void {
  program
    .command('dev')
    .helpGroup('Service:')
    .summary('Run a temporary service with an example treasury, and watch requests and events')
    .option('--port <port>', 'port to listen on; 0 picks a free one', '8787')
    .option('--forward-to <url>', 'also post every event to this address')
    .option('--rpc-url <url>', 'an Ethereum node, such as a local fork; "trigger payment" sends to it')
    .optionsGroup('Output:')
    .option('--json', 'print one line of JSON with "url" when ready, and one for each request and event')
    .addHelpText('after', example)
    .action((flags: DevFlags) => develop(context, flags));
}

async function develop(context: Context, flags: DevFlags): Promise<void> {
  if (!/^\d{1,5}$/.test(flags.port)) throw new UsageError('--port must be a number.', 'Write it as --port 8787.');
  if (flags.forwardTo !== undefined && !URL.canParse(flags.forwardTo))
    throw new UsageError(`--forward-to is not a URL: ${flags.forwardTo}`, 'Pass a full URL: http://127.0.0.1:3000/webhooks.');
  if (flags.rpcUrl !== undefined) checkRpcUrl(flags.rpcUrl);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-dev-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // SECURITY: a second Ctrl-C ends the process immediately. Remove the keys in the folder then too.
  process.on('exit', remove);
  try {
    await runIn(folder, context, flags);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

async function runIn(folder: string, context: Context, flags: DevFlags): Promise<void> {
  const server = await import('@countersign/server');
  const { seedTreasury, clientOf } = await import('../dev/seed.ts');
  const { startRequestLog } = await import('../dev/request-log.ts');
  const { startInspector } = await import('../dev/inspector.ts');
  const { welcome } = await import('../dev/welcome.ts');
  const { requestLine, deliveryLine } = await import('../dev/log-lines.ts');
  const paint = paintFor(context, context.stdout);
  const show = (line: string, value: object) => context.stdout.write(`${flags.json ? jsonText(value) : line}\n`);
  const names = new Map<string, string>();
  const nameOf = (publicKey: string) => names.get(publicKey);
  const opened: { close(): Promise<void> }[] = [];
  const open = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const each = await opening;
    opened.push(each);
    return each;
  };
  try {
    // One process starts sooner and takes less memory, and an example has nothing to protect.
    const given = {
      dataDir: folder,
      port: '0',
      isolate: 'off',
      logLevel: 'error',
      webhookNetworks: '127.0.0.0/8',
      allowedOrigins: '*',
    };
    const running = await open(server.startServer(server.readConfig(given, {}), { isThrowAway: true }));
    let isReady = false;
    const log = await open(
      startRequestLog({ port: Number(flags.port), host: '127.0.0.1', target: new URL(running.url) }, (seen) => {
        if (isReady) show(requestLine(seen, { columns: context.stdout.columns, paint, nameOf }), { request: seen });
      }),
    ).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EADDRINUSE'
        ? new CliError(`Port ${flags.port} is in use.`, 'Choose another --port (0 picks a free one).', { cause })
        : cause;
    });
    const url = `http://127.0.0.1:${log.port}`;
    const compatibleUrl = url + new URL(running.compatibleUrl).pathname;
    const root = JSON.parse(readFileSync(running.credentialsFile, 'utf8'));
    const client = clientOf(root, url);
    const consoleUrl = `http://localhost:${log.port}/console/`;
    const treasury = await seedTreasury(client, { baseUrl: url, consoleUrl }, (name) => join(folder, `${name}.json`));
    names.set(root.apiPublicKey, 'Root user');
    for (const { name, apiPublicKey } of treasury.people) names.set(apiPublicKey, name);
    const { forwardTo, rpcUrl } = flags;
    const chain = rpcUrl === undefined ? undefined : await readChain(rpcUrl, treasury.address);
    const inspector = await open(
      startInspector({ baseUrl: running.url, ...(forwardTo !== undefined && { forwardTo }) }, (delivery) => {
        if (isReady) show(deliveryLine(delivery, paint), { event: delivery.event, forwarded: delivery.forwarded });
      }),
    );
    await client.createWebhookEndpoint({ name: 'Inspector', url: inspector.url });
    const { page } = await server.readDevelopmentMail(server.readConfig(given, {}), 1);
    isReady = true;
    const stopped = context.untilStopped();
    // Users see the request log's address, not the address of the service behind it.
    const mailbox = page?.replace(new URL(page).origin, url);
    const node = rpcUrl === undefined || chain === undefined ? undefined : { rpcUrl, ...chain };
    const chainId = chain && String(chain.chainId);
    const organizationId = client.organizationId;
    const shown = { url, compatibleUrl, consoleUrl, organizationId, treasury, mailbox, forwardTo, folder, node };
    show(welcome(shown, paint), { url, consoleUrl, folder, ...treasury, mailbox, ...(chainId && { chainId }) });
    const silence = context.onLine((line) => replayOnRequest(context, inspector, line, paint));
    await stopped;
    silence();
  } finally {
    for (const each of opened.reverse()) await each.close();
  }
}
