/** A number or choice that the business may want to change without a release. */
export type PolicyKind =
  | { readonly type: 'integer'; readonly default: number; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] };

export type Policy = PolicyKind & {
  readonly key: `${string}.${string}`;
  readonly unit?: string;
  readonly description: string;
  /** Which domain reads it. */
  readonly owner: string;
};
export const definePolicy = <const P extends Policy>(policy: P): P => policy;
