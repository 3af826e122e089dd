import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { OperatorError } from '@countersign/contract';
import { codeOf, type Library, type Pkcs11Package } from './library.ts';
import type { FromThread, ThreadData, TokenCall, TokenResults, ToThread } from './messages.ts';
import { Token } from './token.ts';
import type { Pkcs11Key } from './uri.ts';

/** A thread for one PKCS #11 library, whose functions block. Calls are executed one after another. */
const { modulePath, packageFile } = workerData as ThreadData;
const tokens = new Map<string, Token>();
let loaded: { readonly ck: Pkcs11Package; readonly library: Library } | undefined;

/** Some libraries notice a token that returns only after a new start. It ends the sessions of all tokens. */
function reset(): void {
  for (const token of tokens.values()) token.forget();
  const { library } = load();
  tolerate(0x190, () => library.C_Finalize());
  initialize(library);
}

function load() {
  if (loaded === undefined) {
    const ck = createRequire(import.meta.url)(packageFile) as Pkcs11Package;
    const library = new ck.PKCS11();
    library.load(modulePath);
    initialize(library);
    loaded = { ck, library };
  }
  return loaded;
}

/** CKR_CRYPTOKI_ALREADY_INITIALIZED: other code of this process uses the library too. */
const initialize = (library: Library) => tolerate(0x191, () => library.C_Initialize());

function tolerate(code: number, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
  }
}

function tokenFor(key: Pkcs11Key): Token {
  const name = JSON.stringify(key);
  let token = tokens.get(name);
  if (token === undefined) {
    const { ck, library } = load();
    token = new Token(ck, library, key, reset);
    tokens.set(name, token);
  }
  return token;
}

function execute(key: Pkcs11Key, call: TokenCall): TokenResults[TokenCall['op']] {
  const token = tokenFor(key);
  if (call.op === 'keys') return token.keys();
  if (call.op === 'generate') return token.generate();
  if (call.op === 'encrypt') return token.encrypt(call.keyId, call.plain, call.associatedData);
  if (call.op === 'decrypt') return token.decrypt(call.keyId, call.wrapped, call.associatedData);
  token.close();
  return undefined;
}

parentPort?.on('message', ({ callId, key, call }: ToThread) => {
  let answer: FromThread;
  try {
    answer = { callId, result: execute(key, call) };
  } catch (error) {
    const fix =
      error instanceof OperatorError ? error.fix : `check that ${modulePath} is a PKCS #11 library that this user can load`;
    answer = { callId, message: error instanceof Error ? error.message : String(error), fix };
  } finally {
    if (call.op === 'encrypt') call.plain.fill(0);
  }
  parentPort?.postMessage(answer);
  if ('result' in answer && call.op === 'decrypt') (answer.result as Uint8Array | undefined)?.fill(0);
});
