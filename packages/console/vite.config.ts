import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

/** Needed by every page, with and without a session. */
const start = new RegExp(
  [
    'console/src/session/(api|context|database|issuer-response|known-organizations|passkeys|session)\\.',
    'console/src/offline/(service-worker|trusted-script|use-offline)\\.',
    'console/src/ui/(button|centered-page|field|icon|name|page|query-view|toast)\\.',
    'console/src/(data/errors|shell/(theme|error-pages)|words/(common|identity))\\.',
  ].join('|'),
);
/** Needed by most pages with a session. */
const inside = /console\/src\/(data|shell|ui\/(copy|dialog|page-head|page-title|tabs|when)|words\/shell)/;
/** Needed to make a passkey, and not to sign in with one. */
const registration = /@simplewebauthn\/.*\/(startRegistration|identifyRegistrationError)\./;
/** The texts of pages with a session. */
const laterTexts = /console\/src\/words\/(?!common|identity|index|shell|table)/;

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
      // Texts are data: a file that needs none of a chunk of texts does not load it.
      treeshake: { moduleSideEffects: [{ test: /console\/src\/words\/|@simplewebauthn/, sideEffects: false }] },
      output: {
        // Few files on the first load: each request costs about as much as the smallest chunks.
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(history|react-router|router-core|react-store|store|query-core|react-query))\//,
            },
            { name: 'texts', test: laterTexts, priority: 1, includeDependenciesRecursively: false },
            { name: 'registration', test: registration, priority: 1, includeDependenciesRecursively: false },
            { name: 'start', test: start },
            { name: 'inside', test: inside },
          ],
        },
      },
    },
  },
});
