export { type AgentOptions, createAgent } from './agent.ts';
export { type CreateServerOptions, createServer } from './server.ts';
export { toolNames } from './tools/tools.ts';
