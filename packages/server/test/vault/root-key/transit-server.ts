import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../../../../test/support/self-signed.ts';

interface StoredKey {
  readonly bytes: Buffer;
  readonly exportable: boolean;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

const failure = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });

/**
 * A protocol server: the transit engine of Vault and OpenBao as their API documentation describes it, over HTTPS on this machine. It is not
 * one of these products.
 */
export class TransitServer {
  readonly token = 's.the-token-of-the-test';
  readonly certificate: string;
  /** Another state than `serving` is an outage. */
  state: 'serving' | 'sealed' | 'silent' = 'serving';
  /** An old engine ignores associated data. */
  ignoresAssociatedData = false;
  readonly keys = new Map<string, StoredKey>();
  readonly #server: Server;

  constructor() {
    const { key, cert } = selfSigned();
    this.certificate = cert;
    this.#server = createServer({ key, cert }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (this.state === 'silent') return;
        const text = Buffer.concat(chunks).toString('utf8');
        const token = request.headers['x-vault-token'];
        const { status, body } = this.#answer(
          request.method ?? '',
          request.url ?? '',
          token,
          text === '' ? {} : JSON.parse(text),
        );
        response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(body === undefined ? undefined : JSON.stringify(body));
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(method: string, path: string, token: unknown, body: Record<string, string | boolean>): Answer {
    if (this.state === 'sealed') return failure(503, 'Vault is sealed');
    if (token !== this.token) return failure(403, 'permission denied');
    const [, operation = '', name = ''] = /^\/v1\/transit\/(keys|encrypt|decrypt)\/([\w.-]+)$/.exec(path) ?? [];
    const key = this.keys.get(name);
    if (operation === 'keys' && method === 'GET')
      return key === undefined ? failure(404) : { status: 200, body: { data: describe(key) } };
    if (operation === 'keys') {
      if (key === undefined) this.keys.set(name, { bytes: randomBytes(32), exportable: body.exportable === true });
      return { status: 204 };
    }
    if (key === undefined) return failure(400, 'encryption key not found');
    const context = this.ignoresAssociatedData ? Buffer.alloc(0) : Buffer.from(String(body.associated_data ?? ''), 'base64');
    if (operation === 'encrypt') return encrypt(key, Buffer.from(String(body.plaintext), 'base64'), context);
    return decrypt(key, String(body.ciphertext), context);
  }
}

function describe({ exportable }: StoredKey): object {
  return { type: 'aes256-gcm96', exportable, allow_plaintext_backup: false, derived: false, latest_version: 1 };
}

function encrypt({ bytes }: StoredKey, plain: Buffer, context: Buffer): Answer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(context);
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { status: 200, body: { data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } } };
}

function decrypt({ bytes }: StoredKey, ciphertext: string, context: Buffer): Answer {
  const sealed = Buffer.from(/^vault:v1:([\w+/=]+)$/.exec(ciphertext)?.[1] ?? '', 'base64');
  if (sealed.length < 28) return failure(400, 'invalid ciphertext');
  const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(0, 12))
    .setAAD(context)
    .setAuthTag(sealed.subarray(-16));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    return { status: 200, body: { data: { plaintext: plain.toString('base64') } } };
  } catch {
    return failure(400, 'cipher: message authentication failed');
  }
}
