/**
 * What the product promises, one row for each requirement. A row says in words what is promised and names the tests that
 * show it; only results of those tests, all of them green, make it a claim.
 */
export type Capability = { readonly id: string; readonly words: string } & (
  | Shown
  | Partly
  | { readonly sameAs: string }
  | { readonly notBuilt: true }
  | { readonly ruledOtherwise: string }
  | { readonly informative: string }
  | { readonly notPlanned: string }
);

/** Shown in full by these tests. */
export interface Shown {
  readonly by: Proofs;
  /** Said where hosts are involved and only simulated ones were used. */
  readonly host?: 'simulated';
}

/** Some of it is shown, and this is what is missing. It never counts as shown. */
export interface Partly {
  readonly by: Proofs;
  readonly lacks: string;
}

/**
 * Test files, each with titles that must occur in it: a test or a group of tests whose title contains the text. A file
 * named `*.production.test.ts` runs against real servers in `.ci/run`, every other one in `npm test`.
 */
export type Proofs = Readonly<Record<string, readonly string[]>>;

export interface CapabilityGroup {
  readonly name: string;
  readonly rows: readonly Capability[];
}

export const isProductionFile = (path: string): boolean => path.endsWith('.production.test.ts');
