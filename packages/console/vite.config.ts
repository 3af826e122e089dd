import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

export default defineConfig({
  root,
  // Relative addresses: the console works under any path.
  base: './',
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['@countersign/source', 'module', 'browser'] },
  build: {
    outDir: 'dist',
    // The files hand on code of others, so their licences come along.
    license: { fileName: 'licenses.md' },
    target: 'es2022',
    // A file of its own for every asset: the Content-Security-Policy allows no data: addresses.
    assetsInlineLimit: 0,
    // The polyfill would be an inline script.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
