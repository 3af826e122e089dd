import { defineConfig } from 'vite';
import { serviceKeys } from './service-keys.js';

export default defineConfig(async () => ({
  plugins: [await serviceKeys(process.env.VITE_COUNTERSIGN_URL)],
  define: { global: 'globalThis' },
  esbuild: { jsx: 'automatic' },
}));
