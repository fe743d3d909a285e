/**
 * What certificates of the protocol call their holders. The URI is what counts: it is in every certificate and is
 * compared as a whole. The common name is there for people and for older tools.
 */
export const nodeSpiffeId = (nodeId: string): string => `spiffe://gpuaas/node/${nodeId}`;
export const nodeCommonName = (nodeId: string): string => `node-${nodeId}`;
export const controlPlaneSpiffeId = 'spiffe://gpuaas/control-plane';

/**
 * A process of the control plane that calls another one, or that nodes call. It shows the same certificate when it calls and
 * when it is called; the URI says which process it is, and never which node.
 */
export const processSpiffeId = (name: string): string => `spiffe://gpuaas/process/${name}`;
export const processCommonName = (name: string): string => `process-${name}`;
