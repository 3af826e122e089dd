import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/settings.ts';
import { type Confinement, type EdgeFiles, edgeEnvironment, planConfinement, probeCommand } from './confinement.ts';

/** Whether keys are isolated from the network, and why not. */
export interface Isolation {
  /** The settings with `on` or `off` instead of `auto`. */
  readonly config: Config;
  /** Present if edge processes serve HTTP. */
  readonly confinement?: Confinement;
  /** One sentence for the operator. Absent if the operator chose. */
  readonly fact?: string;
}

/** What a service in one process takes, twice over, and with edges as well. */
const LEAST_MEGABYTES_PER_WORKER = 512;
/** Long, because a slow start must not decide what is protected. */
const PROBE_MS = 60_000;

/**
 * Decides whether to isolate. With `on`, throws ConfigError if that is impossible. With `auto`, isolates if an edge process can be confined
 * here and no setting contradicts it.
 */
export async function chooseIsolation(
  config: Config,
  files: EdgeFiles,
  memoryBytes: number = memoryOfProcess(),
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Isolation> {
  if (config.isolate === 'off') return { config };
  if (config.isolate === 'on') return { config, confinement: planConfinement(config, files.edgeEntry, environment) };
  const planned = await tryIsolation(config, files, memoryBytes, environment);
  if (typeof planned === 'string')
    return { config: { ...config, isolate: 'off' }, fact: `keys are not isolated from the network: ${planned}` };
  return {
    config: { ...config, isolate: 'on' },
    confinement: planned,
    fact: 'keys are isolated from the network: other processes without access to keys and data serve HTTP',
  };
}

/** How edges are confined, or why they cannot be. */
async function tryIsolation(
  config: Config,
  files: EdgeFiles,
  memoryBytes: number,
  environment: NodeJS.ProcessEnv,
): Promise<Confinement | string> {
  if (config.unsealHttps) return '--unseal-https takes shares in the process that has the keys';
  const megabytes = Math.floor(memoryBytes / 2 ** 20);
  const needed = LEAST_MEGABYTES_PER_WORKER * config.workers;
  if (megabytes < needed)
    return `${megabytes} MB of memory are less than the ${needed} MB that ${counted(config.workers)} should have`;
  try {
    const planned = planConfinement(config, files.edgeEntry, environment);
    await probe(planned, files);
    return planned;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** Starts a confined process that reads the program of an edge, and throws ConfigError if that fails. */
async function probe(confinement: Confinement, { edgeEntry }: EdgeFiles): Promise<void> {
  const { file, args } = probeCommand(confinement, fileURLToPath(edgeEntry));
  try {
    await promisify(execFile)(file, args, { env: edgeEnvironment(), cwd: '/', timeout: PROBE_MS, ...confinement.user });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    const [reason = message] = stderr.split('\n').filter((line) => /^confine:|Error/.test(line));
    throw new ConfigError(`a confined process does not start here (${reason.trim()})`, 'Set --isolate off.', { cause: error });
  }
}

const counted = (workers: number) => (workers === 1 ? 'one worker' : `${workers} workers`);

/** The memory of the machine, or that of the container if it is limited. */
function memoryOfProcess(): number {
  // Node returns 0 or an absurdly large number if there is no limit.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
