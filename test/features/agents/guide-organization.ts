import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readGuideBlocks } from '../../repository/docs/guide-blocks.ts';
import { importApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import type { TestService } from '../../support/service.ts';

const run = promisify(execFile);
const command = join(import.meta.dirname, '../../../packages/cli/bin/countersign.js');

/** An organization after the commands of docs/guide/agents.md. */
export interface GuideOrganization {
  /** The root user, who is also the treasurer. */
  readonly root: Caller;
  readonly agent: Caller;
  readonly agentId: string;
  readonly walletId: string;
  /** The account of the agent's wallet. */
  readonly address: string;
  /** The file with the key of the agent. */
  readonly credentialsFile: string;
  remove(): Promise<void>;
}

/** Runs the commands of the guide as the root user of an organization. */
export async function followGuide(service: TestService, root: Caller): Promise<GuideOrganization> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-agent-'));
  const blocks = readGuideBlocks().filter(({ file, word }) => file === 'docs/guide/agents.md' && word === 'run');
  const steps = blocks.map(({ code }) => code);
  const script = ['set -euo pipefail', `npx() { shift; node ${command} "$@"; }`, ...steps, 'echo "$AGENT $WALLET" > ids'].join(
    '\n',
  );
  const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = root.key;
  const saved = { organizationId: root.organizationId, apiPublicKey, apiPrivateKey };
  await writeFile(join(folder, 'root.json'), JSON.stringify(saved));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    COUNTERSIGN_URL: service.url,
    COUNTERSIGN_CREDENTIALS: join(folder, 'root.json'),
  };
  await run('bash', ['-c', script], { cwd: folder, env });
  const [agentId = '', walletId = ''] = readFileSync(join(folder, 'ids'), 'utf8').trim().split(' ');
  const credentialsFile = join(folder, 'agent.json');
  const agent = root.with({ key: importApiKey(JSON.parse(readFileSync(credentialsFile, 'utf8'))) });
  const { accounts } = await root.data('listWalletAccounts', { walletId });
  const address: string = accounts[0].address;
  return { root, agent, agentId, walletId, address, credentialsFile, remove: () => rm(folder, { recursive: true, force: true }) };
}
