/** Where a request spends its time, in the order in which they are shown. */
export const centres = [
  'stamp: P-256 verify',
  'secp256k1 sign',
  'check of the signature',
  'HTTP, sockets, event loop',
  'database: rows',
  'database: begin, commit',
  'transparency log',
  'hashes, MACs',
  'body: strict reading, schemas',
  'decision',
  'record and answer as text',
  'pipeline, queues, limits',
  'promises, timers',
  'garbage collection',
  'other',
] as const;
export type Centre = (typeof centres)[number];

/**
 * The centre of a function, by `module#function`. The first match counts. Functions without a match, such as those of libraries,
 * belong to their caller. Some names exist only in earlier builds, for comparison.
 */
const rules: readonly (readonly [RegExp, Centre | 'nothing'])[] = [
  [/^#\(idle\)$/, 'nothing'],
  [/^node:inspector#/, 'nothing'],
  [/^#\(program\)$/, 'HTTP, sockets, event loop'],
  [/^#\(garbage collector\)$/, 'garbage collection'],
  [/^server\/auth\/(api-key\/)?(p256-tables|der-signature|schemes)/, 'stamp: P-256 verify'],
  [/^node:internal\/crypto\/sig#/, 'stamp: P-256 verify'],
  [/^server\/vault\/secp256k1\/.*#sign/, 'secp256k1 sign'],
  [/^modules\/secp256k1\/.*#ecdsaSign/, 'secp256k1 sign'],
  [/^server\/vault\/secp256k1\/.*#verify/, 'check of the signature'],
  [/^modules\/secp256k1\/.*#ecdsa(Recover|Verify)/, 'check of the signature'],
  [/^server\/store\/sqlite\/transaction/, 'database: begin, commit'],
  [/^server\/store\//, 'database: rows'],
  [/^(server\/log|tlog)\//, 'transparency log'],
  [/^server\/vault\/(integrity\/)?(keyed-hash|sha256|integrity)/, 'hashes, MACs'],
  [/^node:internal\/crypto\//, 'hashes, MACs'],
  [/^(strict-json|contract|modules\/zod)\//, 'body: strict reading, schemas'],
  [
    /^server\/(wire\/(read-parameters|validate|without-nulls)|http\/strict-json|auth\/(api-key\/)?(stamp|strict-text))/,
    'body: strict reading, schemas',
  ],
  [
    /\/activity-record|^server\/(wire\/written-json|pipeline\/(authorize\/)?(decision-record|carried-out))/,
    'record and answer as text',
  ],
  [/^policy\/explain\/json-with/, 'record and answer as text'],
  [/^(collections|policy|judgement|server\/policies)\//, 'decision'],
  [/^server\/http\//, 'HTTP, sockets, event loop'],
  [/^node:(net|_http|http|internal\/(stream|http))/, 'HTTP, sockets, event loop'],
  [/^server\//, 'pipeline, queues, limits'],
  [/^node:internal\/(process\/task_queues|timers|process\/promises|async_hooks)/, 'promises, timers'],
];

/** The centre of this function, or undefined if it belongs to its caller. */
export function centreOf(functionName: string): Centre | 'nothing' | undefined {
  return rules.find(([pattern]) => pattern.test(functionName))?.[1];
}
