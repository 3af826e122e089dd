// A module to load on demand: its portable cryptography is large.
export { ApiKeyStamper } from '@countersign/client';
