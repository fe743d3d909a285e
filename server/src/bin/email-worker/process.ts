import { Type } from 'typebox';
import { makeFindPasswordLetter, makeFindSecurityLetter } from '../../domains/identity/index.ts';
import {
  mailsChannel,
  makeLetterListeners,
  makeMailQueue,
  unsubscribePath,
  unsubscribeToken,
} from '../../domains/notifications/index.ts';
import { startConsumer } from '../../domains/outbox/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { makeInvitationLetters, secretsOfInvitations } from '../../domains/tenancy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { Secret } from '../../kernel/process/config.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { defineProcess } from '../../ports/open.ts';

const name = 'email-worker';
/** In case a wake-up was lost, and for mails whose next try is due. */
const lookEveryMs = 15_000;

export const emailWorker = defineProcess({
  name,
  summary: 'Writes to people: sends letters and the mails of notifications, each once, and keeps what became of them.',
  needs: ['database', 'bus', 'mail'],
  config: Type.Object({
    publicUrl: Type.String({ pattern: '^https?://', description: 'Where people reach this installation.' }),
    oidcIssuer: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description: 'As the api has it. Left out, invitations say how to get an account of our own provider.',
      }),
    ),
    secretsKey: Secret({
      description: 'The keyring of the api, or its keys for letters alone: the tokens in letters follow from it.',
    }),
  }),
  async start({ config, database, bus, mail, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    const seal = openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY').seal('letters');
    const digestOf = (address: string) => seal.digest('recipient', address);
    const consumer = scope.keep(
      'consumer',
      await startConsumer({
        name,
        db,
        bus,
        begin: actsOf(name, ids),
        log,
        maxAttempts: policies.number('events.consume_max_attempts'),
        listeners: makeLetterListeners({
          db,
          mail,
          findInvitation: makeInvitationLetters({ db, clock, secrets: secretsOfInvitations(seal) }),
          findPasswordLetter: makeFindPasswordLetter({ db, clock, seal }),
          findSecurityLetter: makeFindSecurityLetter({ db }),
          digestOf,
          maxPerRecipientPerHour: () => policies.number('mail.max_per_recipient_per_hour'),
          publicUrl: config.publicUrl,
          hasOwnAccounts: config.oidcIssuer === undefined,
        }),
      }),
    );
    const queue = makeMailQueue({
      ...{ db, mail, ids, clock, log, metrics, publicUrl: config.publicUrl, policy: policies.number },
      begin: actsOf(name, ids),
      digestOf,
      unsubscribeUrl: (subscription) => {
        const url = new URL(unsubscribePath, config.publicUrl);
        url.searchParams.set('token', unsubscribeToken(seal, subscription));
        return url.href;
      },
    });
    const sending = scope.keep('mail-queue', startReconciler(queue, { clock, log, everyMs: lookEveryMs }));
    scope.keep('mail-queue wake-up', await database.listen(mailsChannel, sending.wake));
    const lag = metrics.gauge('gpuaas_events_consumer_lag', 'Events that wait for a consumer.', ['consumer']);
    metrics.onScrape(async () => lag.set({ consumer: name }, await consumer.lag()));
  },
});
