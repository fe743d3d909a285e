/**
 * Managed ingress: how the traffic of an application reaches its container. A node dials the app-proxy and keeps the connection; the
 * proxy opens streams in it. The proxy decides nothing: it asks the api who may use a route, and where the route leads.
 */
export * from './internal.ts';
export * from './tunnel.ts';
