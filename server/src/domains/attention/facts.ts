/** Nodes whose reports one look judges before it comes round again. */
export const judgedAtOnce = 200;
/** A slot becomes free on one node, or on the few of one operation. */
export const heldAtOnce = 64;
/** What an alert has room for. */
export const mostWords = 1_000;
