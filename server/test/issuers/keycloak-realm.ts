/** A realm as docs/guides/signing-in.md sets it up: two clients with an audience, proof keys, and people. */
export const consoleClient = 'gpuaas-console';
export const consoleSecret = 'a-secret-of-the-console-in-a-test';
export const people = {
  anna: { password: 'a sentence that nobody guesses', name: ['Anna', 'Ahrens'] },
  bela: { password: 'another sentence that nobody guesses', name: ['Bela', 'Berg'] },
  olga: { password: 'a third sentence that nobody guesses', name: ['Olga', 'Orlow'] },
} as const;

const audience = {
  name: 'audience',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': 'gpuaas', 'access.token.claim': 'true', 'id.token.claim': 'false' },
};
const proofKey = { 'pkce.code.challenge.method': 'S256' };
const plain = { enabled: true, protocol: 'openid-connect', directAccessGrantsEnabled: false };

export const realmOf = (consoleUrl: string) => ({
  ...{ realm: 'gpuaas', enabled: true, sslRequired: 'external' },
  // A role with the name of ours, which grants nothing.
  roles: { realm: [{ name: 'platform_superadmin' }] },
  clients: [
    {
      ...{ ...plain, clientId: 'gpuaas-cli', publicClient: true, standardFlowEnabled: true },
      redirectUris: ['http://127.0.0.1/callback'],
      attributes: { ...proofKey, 'oauth2.device.authorization.grant.enabled': 'true' },
      protocolMappers: [audience],
    },
    {
      ...{ ...plain, clientId: consoleClient, publicClient: false, secret: consoleSecret, standardFlowEnabled: true },
      redirectUris: [`${consoleUrl}/auth/callback`],
      attributes: { ...proofKey, 'post.logout.redirect.uris': `${consoleUrl}/` },
      protocolMappers: [audience],
    },
    // Clients of the test, which asks them for tokens without a browser.
    {
      ...{ ...plain, clientId: 'of-our-audience', publicClient: true, directAccessGrantsEnabled: true },
      protocolMappers: [audience],
    },
    { ...plain, clientId: 'of-another-audience', publicClient: true, directAccessGrantsEnabled: true },
  ],
  users: Object.entries(people).map(([username, { password, name }]) => ({
    ...{ username, enabled: true, emailVerified: true, email: `${username}@people.test` },
    ...{ firstName: name[0], lastName: name[1] },
    credentials: [{ type: 'password', value: password, temporary: false }],
    // The default roles have offline_access, for which the command line asks.
    realmRoles: ['default-roles-gpuaas', ...(username === 'olga' ? ['platform_superadmin'] : [])],
  })),
});
