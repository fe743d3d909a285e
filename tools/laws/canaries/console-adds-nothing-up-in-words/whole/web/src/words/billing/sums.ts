export const centsOf = (report: { readonly total: { readonly cents: bigint } }): bigint => report.total.cents;
