import { sshAlias } from '@gpuaas/contract/terminal';

const mark = 'cert-authority,';
/** A line of authorized_keys: sshd lets in certificates of this authority that name the allocation, and no others. */
export const authorityLine = (allocationId: string, authority: string): string =>
  `${mark}principals="${sshAlias(allocationId)}" ${authority}`;
export const isAuthorityLine = (line: string): boolean => line.startsWith(mark);

/** The lines of authorized_keys of an allocation: its keys, and the authorities that it trusts. */
export const keyLinesOf = (params: {
  readonly allocation_id: string;
  readonly authorized_keys: readonly string[];
  readonly trusted_authorities?: readonly string[];
}): string[] => [
  ...params.authorized_keys,
  ...(params.trusted_authorities ?? []).map((key) => authorityLine(params.allocation_id, key)),
];
