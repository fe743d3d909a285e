import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { terminalEndReasonNames } from '../terminal/close-codes.ts';

const strict = { additionalProperties: false } as const;
const session = {
  session_id: Uuid,
  allocation_id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  version: Type.Integer({ minimum: 1 }),
  user_id: Uuid,
  simulated: Type.Boolean(),
};
const Bytes = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);

export const terminalSessionOpened = defineEvent({
  type: 'terminal.session.opened',
  version: '1.0',
  summary: 'A person has a shell in an allocation.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...session, expires_at: Timestamp }, strict),
});

export const terminalSessionEnded = defineEvent({
  type: 'terminal.session.ended',
  version: '1.0',
  summary: 'A terminal session is over. Bytes are null when its gateway did not report them.',
  producer: 'api',
  alsoFrom: ['provisioning-worker'],
  consumers: ['webhook-worker'],
  payload: Type.Object(
    {
      ...session,
      reason: Type.Enum(terminalEndReasonNames),
      opened: Type.Boolean({ description: 'Whether there was a shell.' }),
      seconds: Type.Integer({ minimum: 0 }),
      sent_bytes: Bytes,
      received_bytes: Bytes,
    },
    strict,
  ),
});
