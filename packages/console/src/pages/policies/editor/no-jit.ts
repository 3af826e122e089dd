import { config } from 'zod';

// SECURITY: by default zod compiles schemas with `new Function`, which the Content-Security-Policy forbids.
// INVARIANT: this module runs before any other that creates a schema. A bundler may change the order within one chunk.
config({ jitless: true });
