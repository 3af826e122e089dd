import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Input {
  readonly KeyId: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Record<string, string>;
}

/**
 * A protocol server: the operations Encrypt and Decrypt of AWS KMS as its API reference describes them, on this machine. It is not
 * AWS: it compares the access key id, and does not verify signatures.
 */
export class KmsServer {
  readonly accessKeyId = 'AKIATHEKEYOFTHETEST';
  state: 'serving' | 'disabled' | 'silent' = 'serving';
  readonly #keys = new Map<string, Buffer>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (this.state === 'silent') return;
        const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
        const isKnown = request.headers.authorization?.includes(`Credential=${this.accessKeyId}/`) === true;
        const result = isKnown
          ? this.#answer(operation, JSON.parse(Buffer.concat(chunks).toString('utf8')) as Input)
          : { __type: 'AccessDeniedException' };
        response
          .writeHead('__type' in result ? 400 : 200, { 'Content-Type': 'application/x-amz-json-1.1' })
          .end(JSON.stringify(result));
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Makes a symmetric key. Returns its ARN. */
  createKey(): string {
    const arn = `arn:aws:kms:eu-central-1:111122223333:key/${randomUUID()}`;
    this.#keys.set(arn, randomBytes(32));
    return arn;
  }

  #answer(operation: string, { KeyId, Plaintext = '', CiphertextBlob = '', EncryptionContext = {} }: Input): object {
    const key = this.#keys.get(KeyId);
    if (key === undefined) return { __type: 'NotFoundException' };
    if (this.state === 'disabled') return { __type: 'DisabledException' };
    const context = Buffer.from(JSON.stringify(Object.entries(EncryptionContext).sort()));
    if (operation === 'Encrypt') {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
      const sealed = Buffer.concat([nonce, cipher.update(Buffer.from(Plaintext, 'base64')), cipher.final(), cipher.getAuthTag()]);
      return { KeyId, CiphertextBlob: sealed.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    }
    try {
      const sealed = Buffer.from(CiphertextBlob, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
        .setAAD(context)
        .setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
      return { KeyId, Plaintext: plain.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    } catch {
      return { __type: 'InvalidCiphertextException' };
    }
  }
}
