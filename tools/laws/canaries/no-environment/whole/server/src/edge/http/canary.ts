export const port = (config: { readonly port: number }) => config.port;
