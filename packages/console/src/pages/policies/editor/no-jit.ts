import { config } from 'zod';

// SECURITY: zod compiles schemas with `new Function` unless told not to. The Content-Security-Policy forbids that.
// INVARIANT: this module comes before every other that makes a schema.
config({ jitless: true });
