import { network } from 'hardhat';

// `hardhat run` gives a script no arguments.
const { PAY_TO: to, PAY_VALUE: value } = process.env;
const { provider } = await network.connect('countersign');
const [from] = await provider.request({ method: 'eth_accounts' });
const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to, value }] });
let receipt = null;
while (receipt === null) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
}
const message = '0x48656c6c6f';
const signature = await provider.request({ method: 'personal_sign', params: [message, from] });
console.log(JSON.stringify({ from, hash, status: receipt.status, message, signature }));
