import './session/issuer-response.ts';
import './look/tokens.css';
import './look/font-latin.css';
import './styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isSessionEnded } from './data/errors.ts';
import { router, skipToSignIn } from './router.tsx';
import { loadSettings } from './session/api.ts';
import { SessionProvider } from './session/context.tsx';
import { rememberedSession } from './session/database.ts';
import { restoreTheme } from './shell/theme.tsx';
import { ToastProvider } from './ui/toast.tsx';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Without a network, fail immediately and show the error.
      networkMode: 'always',
      // Retry only if the service did not respond.
      retry: (failures, error) => failures < 2 && !isSessionEnded(error) && (error as { code?: string }).code === 'UNREACHABLE',
      refetchOnWindowFocus: true,
    },
    // SECURITY: D223: a change fails without a network. It is never sent later, when the user no longer expects it.
    mutations: { networkMode: 'always' },
  },
});

// Without storage, the session provider reports the error.
const remembered = rememberedSession().catch(() => null);
const [session] = await Promise.all([remembered, restoreTheme(), loadSettings()]);
if (session === undefined) skipToSignIn();
createRoot(document.getElementById('console') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
