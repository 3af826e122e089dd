#!/usr/bin/env node
// SECURITY: without a listener, SIGUSR1 opens Node's inspector, which can read the API key in memory.
process.on('SIGUSR1', () => {});
const { main } = await import('../dist/main.js');
await main(process.argv.slice(2), process.env);
