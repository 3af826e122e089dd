/** The files of `z3-solver` that the worker loads from the service, next to itself, and their SHA-256. */
export const z3Files = {
  'z3-built.js': '0c6cc2a4a8461b0ffa73e792f97c9749a0c7a2ad5c647b43ec7f630c82b16ee1',
  'z3-built.wasm': '2765f5443a5a3a41aace71a82dd954e3b8c885a7d621b50122b1aede0dc8348a',
} as const;
