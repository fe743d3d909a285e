/**
 * What certificates of the protocol call their holders. The URI is what counts: it is in every certificate and is
 * compared as a whole. The common name is there for people and for older tools.
 */
export const nodeSpiffeId = (nodeId: string): string => `spiffe://gpuaas/node/${nodeId}`;
export const nodeCommonName = (nodeId: string): string => `node-${nodeId}`;
export const controlPlaneSpiffeId = 'spiffe://gpuaas/control-plane';
