import { TurnkeyProvider, useTurnkey } from '@turnkey/react-wallet-kit';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { parseEther, parseGwei, serializeTransaction } from 'viem';

const url = import.meta.env.VITE_COUNTERSIGN_URL;
const organizationId = import.meta.env.VITE_ORGANIZATION_ID;

const config = {
  organizationId,
  apiBaseUrl: `${url}/compat/turnkey`,
  authProxyUrl: `${url}/auth-proxy`,
  authProxyConfigId: organizationId,
  passkeyConfig: { rpId: location.hostname },
};

const payment = {
  chainId: 11155111,
  nonce: 0,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: parseEther('0.01'),
  gas: 21_000n,
  maxFeePerGas: parseGwei('20'),
  maxPriorityFeePerGas: parseGwei('1'),
};

function Wallet() {
  const turnkey = useTurnkey();
  const [signed, setSigned] = useState('');
  const account = turnkey.wallets?.[0]?.accounts[0];
  // Developers and the test try the client in the console of the browser.
  useEffect(() => {
    window.turnkey = turnkey;
  });

  async function pay() {
    const unsignedTransaction = serializeTransaction(payment).slice(2);
    const transactionType = 'TRANSACTION_TYPE_ETHEREUM';
    setSigned(await turnkey.signTransaction({ walletAccount: account, unsignedTransaction, transactionType }));
  }

  if (account === undefined)
    return (
      <main>
        <p id="state">{`${turnkey.clientState} ${turnkey.authState}`}</p>
        <button type="button" onClick={() => turnkey.signUpWithPasskey()}>
          Sign up with a passkey
        </button>
      </main>
    );
  return (
    <main>
      <p id="address">{account.address}</p>
      <button type="button" onClick={pay}>
        Sign a payment
      </button>
      <output>{signed}</output>
    </main>
  );
}

createRoot(document.getElementById('root')).render(
  <TurnkeyProvider config={config} callbacks={{ onError: (error) => console.error(error.message, error.cause?.message) }}>
    <Wallet />
  </TurnkeyProvider>,
);
