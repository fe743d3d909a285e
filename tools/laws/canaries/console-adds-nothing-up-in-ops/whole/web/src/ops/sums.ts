export const gpusOf = (overview: { readonly running: { readonly gpus: number } }): number => overview.running.gpus;
