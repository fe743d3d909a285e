/** Reports that are read and evaluated at a time. */
export const evaluatedAtOnce = 200;
/** A slot becomes free on one node, or on the few of one operation. */
export const heldAtOnce = 64;
/** What an alert has room for. */
export const mostWords = 1_000;
/** Hosts that a breaker names of those that it holds back. */
export const heldShown = 100;
/** Hosts that the alert of a breaker names; the list of breakers has more of them. */
export const heldNamed = 5;
/** Changes of alerts that are published in one act. */
export const publishedAtOnce = 200;
