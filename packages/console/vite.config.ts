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
    // Include the licences of bundled code.
    license: { fileName: 'licenses.md' },
    target: 'es2022',
    // No inlined assets: the Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    // The polyfill would be an inline script.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        // Few files on the first load: each request costs about as much as the smallest chunks.
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(history|react-router|router-core|react-store|store|query-core|react-query))\//,
            },
            { name: 'session', test: /console\/src\/(session|offline)\// },
            { name: 'ui', test: /console\/src\/(ui|words)\// },
          ],
        },
      },
    },
  },
});
