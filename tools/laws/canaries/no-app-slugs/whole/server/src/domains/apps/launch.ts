export const isSpecial = (parameters: { readonly idle: boolean }): boolean => parameters.idle;
