import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * A reader of a log over HTTP, written after RFC 6962, C2SP signed-note, tlog-checkpoint, tlog-tiles and tlog-cosignature with node:crypto
 * and nothing of the product.
 */

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest();
};

const hashOfLeaf = (data: Buffer) => sha256(Buffer.of(0), data);
const hashOfNode = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);

/** RFC 6962 section 2.1, word for word. */
function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return sha256('');
  if (hashes.length === 1) return hashes[0] as Buffer;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return hashOfNode(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

interface Key {
  readonly name: string;
  readonly id: string;
  readonly type: number;
  readonly publicKey: Buffer;
}

/** `<name>+<key id>+<base64 of type and key>`. The id is the start of SHA-256(name, line feed, type, key). */
export function readKey(text: string): Key {
  const [, name = '', id = '', encoded = ''] = /^(.+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  demand(sha256(`${name}\n`, bytes).toString('hex', 0, 4) === id, 'the id of the key is not its hash');
  return { name, id, type: bytes[0] as number, publicKey: bytes.subarray(1) };
}

const isSigned = ({ publicKey }: Key, message: string, signature: Buffer) => {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  return verify(null, Buffer.from(message), createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
};

/** Whether a key signed a note: type 1 signs the text, type 4 signs a time and the text. */
function isSignedBy(key: Key, note: string): boolean {
  const at = note.indexOf('\n\n');
  const text = note.slice(0, at + 1);
  return note
    .slice(at + 2)
    .split('\n')
    .filter((line) => line.startsWith(`\u2014 ${key.name} `))
    .map((line) => Buffer.from(line.slice(key.name.length + 3), 'base64'))
    .filter((bytes) => bytes.toString('hex', 0, 4) === key.id)
    .some((bytes) => {
      if (key.type === 1) return isSigned(key, text, bytes.subarray(4));
      const time = bytes.readBigUInt64BE(4);
      return isSigned(key, `cosignature/v1\ntime ${time}\n${text}`, bytes.subarray(12));
    });
}

export interface IndependentTree {
  readonly size: number;
  readonly root: Buffer;
  readonly mapRoot: Buffer | undefined;
  readonly note: string;
}

/** A checkpoint that all of these keys signed. */
export function readCheckpoint(note: string, keys: readonly Key[]): IndependentTree {
  for (const key of keys) demand(isSignedBy(key, note), `${key.name} did not sign the checkpoint`);
  const [origin, size, root = '', ...extensions] = note.slice(0, note.indexOf('\n\n')).split('\n');
  demand(origin === keys[0]?.name, 'the checkpoint is of another log');
  const heads = extensions.find((line) => line.startsWith('countersign-heads-1 '))?.split(' ')[1];
  const mapRoot = heads === undefined ? undefined : Buffer.from(heads, 'base64');
  return { size: Number(size), root: Buffer.from(root, 'base64'), mapRoot, note };
}

async function read(url: string): Promise<Buffer> {
  const response = await fetch(url);
  demand(response.status === 200, `${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The path of a tile with fewer than a thousand before it. */
const pathOf = (level: string, index: number, width: number) =>
  `tile/${level}/${String(index).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`;

/** The data of every leaf, read from entry bundles. All tiles of every level are compared with hashes computed from the leaves. */
export async function readLeaves(base: string, { size, root }: IndependentTree): Promise<readonly Buffer[]> {
  const leaves: Buffer[] = [];
  for (let index = 0; index * 256 < size; index++) {
    const width = Math.min(256, size - index * 256);
    const bundle = await read(`${base}/log/${pathOf('entries', index, width)}`);
    for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
      leaves.push(bundle.subarray(at + 2, at + 2 + bundle.readUInt16BE(at)));
  }
  demand(leaves.length === size, 'entries are missing');
  let hashes: readonly Buffer[] = leaves.map(hashOfLeaf);
  demand(rootOf(hashes).equals(root), 'the entries do not lead to the root of the checkpoint');
  for (let level = 0; hashes.length > 0; level++) {
    for (let index = 0; index * 256 < hashes.length; index++) {
      const part = hashes.slice(index * 256, (index + 1) * 256);
      const tile = await read(`${base}/log/${pathOf(String(level), index, part.length)}`);
      demand(tile.equals(Buffer.concat(part)), `tile ${index} of level ${level} is not that of the entries`);
    }
    const whole = Math.floor(hashes.length / 256);
    const below = hashes;
    hashes = Array.from({ length: whole }, (_, index) => rootOf(below.slice(index * 256, (index + 1) * 256)));
  }
  return leaves;
}

/** The value of an organization in the head map, by the nodes of a proof. */
export function valueInMap(mapRoot: Buffer, organizationId: string, nodes: readonly Buffer[]): string | undefined {
  const key = sha256(`organization\n${organizationId}`);
  let expected = mapRoot;
  for (const [depth, node] of nodes.entries()) {
    demand(sha256(Buffer.of(2), node).equals(expected), `node ${depth} is not the one that is named above it`);
    if (node[0] === 0) {
      for (let at = 1; at < node.length; at += 64)
        if (node.subarray(at, at + 32).equals(key)) return node.toString('hex', at + 32, at + 64);
      return undefined;
    }
    const nibble = Number.parseInt(key.toString('hex')[depth] as string, 16);
    expected = node.subarray(1 + nibble * 32, 33 + nibble * 32);
  }
  throw new Error('the proof ends before a bucket');
}

/** The data of a leaf of version 2, and its hash. */
export function leafOf(opening: string, salt: string): { readonly data: Buffer; readonly hash: Buffer } {
  const data = Buffer.concat([Buffer.of(2), sha256(Buffer.from(salt, 'hex'), opening)]);
  return { data, hash: hashOfLeaf(data) };
}

export const digestOf = (text: string) => sha256(text).toString('hex');
