import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Agent, createAgent } from './agent.ts';
import { ConfigError, readConfig, readFlags, usage } from './config.ts';
import { serveHttp } from './serve/http.ts';
import { createServer, version } from './server.ts';

/** The `countersign-mcp` command. Over stdio, standard output belongs to the protocol; everything else goes to standard error. */
export async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    await start(argv, environment);
  } catch (error) {
    // Only messages of settings are shown: others may contain anything.
    const message =
      error instanceof ConfigError || error instanceof TypeError
        ? error.message
        : String((error as { code?: unknown }).code ?? error);
    log(message);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  }
}

async function start(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const flags = readFlags(argv);
  if (flags.help || flags.version) {
    process.stdout.write(flags.help ? usage : `${version}\n`);
    return;
  }
  const { agent: options, tools, http } = readConfig(flags, environment);
  const agent = createAgent(options);
  // The environment is inherited by other programs that a library may start.
  delete process.env.COUNTERSIGN_API_PRIVATE_KEY;
  delete process.env.COUNTERSIGN_MCP_TOKEN;
  const factory = () => createServer(agent, { onError: logError, ...(tools && { tools }) });
  if (http === undefined) {
    serveStdio(factory, { onerror: logError });
    await greet(agent, 'stdio');
    return;
  }
  const { url, close } = await serveHttp(http, factory, logError);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
  await greet(agent, url);
}

/** Reports for whom the server acts, or that the service cannot be reached yet. */
async function greet(agent: Agent, where: string): Promise<void> {
  const who = await agent.self().then(
    ({ userId }) => `user ${userId} of organization ${agent.organizationId}`,
    (error: Error) => `the service does not answer yet: ${error.message}`,
  );
  log(`serving ${where} for ${who}`);
}

const log = (message: string) => void process.stderr.write(`countersign-mcp: ${message}\n`);
const logError = (error: unknown) => log(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
