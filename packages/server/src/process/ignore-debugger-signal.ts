// SECURITY: SIGUSR1 opens Node's inspector in a process that does not handle the signal, and the inspector reads every key in
// memory. A worker loads this file before anything else. The program that starts the primary process begins with the same line.
process.on('SIGUSR1', () => {});
