/** A network whose accounts are those of the endpoint. The test gives its address. */
export default {
  networks: {
    countersign: {
      type: 'http',
      chainType: 'l1',
      url: process.env.SIGNER_URL,
      accounts: 'remote',
      httpHeaders: { Authorization: `Bearer ${process.env.SIGNER_TOKEN}` },
    },
  },
};
