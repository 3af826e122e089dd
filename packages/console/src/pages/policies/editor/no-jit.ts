import { config } from 'zod';

// SECURITY: zod compiles schemas with `new Function` unless told not to. The Content-Security-Policy forbids that.
// INVARIANT: this module is loaded, and has run, before any other that makes a schema. A bundler may change the order within one chunk.
config({ jitless: true });
