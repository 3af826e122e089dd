import type { RunningZ3, Z3Module } from '@countersign/judgement';
import type { FailureReason } from './messages.ts';
import { z3Files } from './z3-files.ts';

/** The solver cannot be loaded. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

type Z3WithThreads = Z3Module & { readonly PThread: { terminateAllThreads(): void } };

/** The scope of a dedicated worker. The DOM types describe only pages. */
interface WorkerScope {
  readonly location: { readonly href: string };
  importScripts(url: string): void;
  /** Set by `z3-built.js`. */
  initZ3?: (options: {
    readonly wasmBinary: ArrayBuffer;
    readonly mainScriptUrlOrBlob: string;
    readonly printErr: (line: string) => void;
  }) => Promise<Z3WithThreads>;
}

const scope = self as unknown as WorkerScope;
const SCRIPT = 'z3-built.js';

/**
 * Loads Z3 from the service and starts it. Throws LoadError.
 * The WebAssembly, which is the solver, runs from the bytes that were checked. The script around it is loaded once more by its address, and again
 * by each thread, because the policy of these scripts allows no other source. So the check of the script finds another version or a damaged file,
 * and not a service that sends something else the second time. Such a service could send any page.
 */
export async function loadZ3(): Promise<RunningZ3> {
  const [, wasmBinary] = await Promise.all([fileOf(SCRIPT), fileOf('z3-built.wasm')]);
  const script = addressOf(SCRIPT);
  scope.importScripts(script);
  if (scope.initZ3 === undefined) throw new LoadError('OTHER_VERSION', `${SCRIPT} defines no initZ3`);
  try {
    // Its threads log their termination as an error.
    const module = await scope.initZ3({ wasmBinary, mainScriptUrlOrBlob: script, printErr: () => {} });
    return { module, stop: async () => module.PThread.terminateAllThreads() };
  } catch (error) {
    // Z3 reserves 2 GiB of addresses when it starts.
    const isMemory = error instanceof RangeError || /memory/i.test(String(error));
    throw new LoadError(isMemory ? 'MEMORY' : 'CRASHED', String(error));
  }
}

const addressOf = (name: string) => new URL(name, scope.location.href).href;

/**
 * The bytes of a file, if they are those of the tested version.
 * SECURITY: D1062: another version, or a damaged file, could answer wrongly, so it answers nothing.
 */
async function fileOf(name: keyof typeof z3Files): Promise<ArrayBuffer> {
  let response: Response;
  let content: ArrayBuffer;
  try {
    response = await fetch(addressOf(name));
    content = await response.arrayBuffer();
  } catch (error) {
    throw new LoadError('NETWORK', String(error));
  }
  if (response.status === 404) throw new LoadError('NOT_INSTALLED', new TextDecoder().decode(content).trim());
  if (!response.ok) throw new LoadError('NETWORK', `${name}: HTTP ${response.status}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (hex !== z3Files[name]) throw new LoadError('OTHER_VERSION', `${name} has the SHA-256 ${hex}`);
  return content;
}
