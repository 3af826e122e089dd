import { ECDH, generateKeyPairSync, hash, randomBytes, randomUUID, sign } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAddon } from '@countersign/native';
import secp256k1 from 'secp256k1';
import { connect } from '../../packages/server/src/store/sqlite/connection.ts';
import { loadSecp256k1 } from '../../packages/server/src/vault/secp256k1/load.ts';
import { signingBody } from '../signing-request.ts';
import type { Loop } from './loop.ts';

/** What the loops are made from. */
export interface FloorInputs {
  /** A real answer of the service, which is also about what it keeps. */
  readonly answer: string;
  /** Rows in one commit, one loop for each. */
  readonly commits: readonly number[];
}

/** The least that does the work of each centre of a request, alone. */
export async function floorLoops({ answer, commits }: FloorInputs): Promise<readonly Loop[]> {
  const { addon } = loadAddon(process.env);
  if (addon === undefined) throw new Error('the floors are those of the native part, which is not built: run "npm rebuild"');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // The last 65 bytes are the point (RFC 5480 section 2.2).
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
  const verify = await addon.p256Verifier(ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed') as Buffer);
  const target = { organizationId: randomUUID(), privateKeyId: randomUUID() };
  const body = Buffer.from(signingBody(target, randomBytes(32).toString('hex'), Date.now()));
  const stamp = sign('sha256', body, { key: privateKey, dsaEncoding: 'ieee-p1363' });

  const digest = hash('sha256', body, 'buffer');
  const secret = randomBytes(32);
  const { signEcdsa } = loadSecp256k1('native').k1;
  const { bytes, recovery } = signEcdsa(digest, secret);
  const signature = Buffer.from([...bytes, recovery]);
  const check = addon.secp256k1Checker(secp256k1.publicKeyCreate(secret), true);

  const record = Buffer.from(answer);
  const hashed = Buffer.alloc(32);
  const [innerKey, outerKey] = [randomBytes(64), randomBytes(64)];
  const lengths = new Uint8Array(Uint32Array.of(record.length).buffer);
  const object = JSON.parse(answer) as object;

  return [
    { name: 'verify', once: () => void (verify(body, stamp) || fail('a stamp did not verify')) },
    { name: 'sign', once: () => void signEcdsa(digest, secret) },
    { name: 'check', once: () => void (check(signature, digest) || fail('a signature did not verify')) },
    {
      name: 'hashes',
      once() {
        addon.sha256(body, hashed);
        addon.hmacSha256Each(innerKey, outerKey, record, lengths, hashed);
      },
    },
    { name: 'read', once: () => void JSON.parse(body.toString()) },
    { name: 'write', once: () => void Buffer.from(JSON.stringify(object)) },
    ...(await Promise.all(commits.map((rows) => commitLoop(rows, answer)))),
  ];
}

/** Inserts rows of the record's size into one table, and commits once per `rows` of them. */
async function commitLoop(rows: number, record: string): Promise<Loop> {
  const db = await connect(join(mkdtempSync(join(tmpdir(), 'floor-')), 'floor.db'), {
    waitMs: 1_000,
    acceptLostWal: false,
    check: () => undefined,
  });
  db.exec('CREATE TABLE activities (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO activities (body) VALUES (?)');
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  let open = 0;
  return {
    name: `commits of ${rows}`,
    once() {
      // Without this reference the database would be collected, and its statements with it.
      if (!db.isOpen) fail('the database is closed');
      if (open === 0) begin.run();
      insert.run(record);
      open = (open + 1) % rows;
      if (open === 0) commit.run();
    },
  };
}

function fail(message: string): never {
  throw new Error(message);
}
