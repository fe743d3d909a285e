import { startVaultDouble } from '../../testing/vault-double.ts';
import { secretsConformance } from './conformance.ts';
import { vaultSecrets } from './vault.ts';

const entry = 'secret/gpuaas/api';
const path = 'secret/data/gpuaas/api';

// Not Vault itself: a server of as much of its protocol as the adapter uses, written here. The table says so.
secretsConformance('vault by a double', async () => {
  const store = await startVaultDouble();
  store.entries.set(path, {});
  return {
    async keep(name, value) {
      store.entries.set(path, { ...store.entries.get(path), [name]: value });
    },
    open: () => vaultSecrets({ url: store.url, entry, login: { kind: 'token', token: async () => 'root-token' } }),
    breakDown: async () => store.seal(true),
    recover: async () => store.seal(false),
    close: () => store.close(),
  };
});
