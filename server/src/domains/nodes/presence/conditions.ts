import type { NodeDetail } from '@gpuaas/contract';

type Condition = NodeDetail['conditions'][number];
interface Facts {
  readonly state: string;
  readonly schedulable: boolean;
  readonly cordonReason: string | null;
  readonly changedAt: Date;
  readonly reportedAt: Date | null;
  readonly lostAfterMs: number;
  readonly certificate: { readonly notAfter: Date; readonly revokedAt: Date | null } | undefined;
  readonly now: Date;
}

/** What we think of a node ourselves, beside what it says of itself. */
export function ourConditions(facts: Facts): Condition[] {
  const { now, reportedAt, certificate, changedAt } = facts;
  const condition = (
    type: string,
    holds: boolean | undefined,
    reason: string,
    message: string,
    since: Date,
  ): Condition => ({
    type,
    status: holds === undefined ? 'Unknown' : holds ? 'True' : 'False',
    reason,
    message,
    since: since.toISOString(),
  });
  const isHeard = reportedAt ? now.getTime() - reportedAt.getTime() <= facts.lostAfterMs : undefined;
  const reporting =
    isHeard === undefined
      ? condition('Reporting', undefined, 'NeverHeard', 'The node has not reported yet.', changedAt)
      : condition(
          'Reporting',
          isHeard,
          isHeard ? 'Heard' : 'Silent',
          isHeard ? 'The node reports.' : 'The node has said nothing for longer than it may.',
          reportedAt ?? changedAt,
        );
  const takesWork = facts.state === 'active' && facts.schedulable;
  const schedulable = condition(
    'Schedulable',
    takesWork,
    takesWork ? 'Published' : facts.state === 'active' ? 'Cordoned' : 'NotActive',
    takesWork
      ? 'New work may go there.'
      : facts.state === 'active'
        ? (facts.cordonReason ?? 'The node was not published yet.')
        : `The node is ${facts.state}.`,
    changedAt,
  );
  if (!certificate) {
    return [
      reporting,
      schedulable,
      condition('Certified', undefined, 'NeverEnrolled', 'No certificate was issued yet.', changedAt),
    ];
  }
  const isGood = certificate.revokedAt === null && certificate.notAfter > now;
  return [
    reporting,
    schedulable,
    condition(
      'Certified',
      isGood,
      isGood ? 'Valid' : certificate.revokedAt ? 'Revoked' : 'Expired',
      isGood
        ? `The certificate is good until ${certificate.notAfter.toISOString()}.`
        : 'The node cannot reach us until it is given a recovery token.',
      certificate.revokedAt ?? (isGood ? changedAt : certificate.notAfter),
    ),
  ];
}
