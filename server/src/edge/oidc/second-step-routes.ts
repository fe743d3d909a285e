import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type {
  Answer,
  Authenticated,
  EmbeddedIssuer,
  FactorRefused,
  Question,
  SecondStep,
} from '../../ports/identity-provider/port.ts';
import { factorPage, recoveryCodesPage, setUpPage } from './factor-pages.ts';
import type { Send } from './layout.ts';

/** A change of second factors during sign-in; the person is notified by email. */
export type FactorChange = 'factor_added' | 'recovery_code_used';

const wrongCode = 'That code is wrong, or was used before. Wait for the next one and try again.';
const wrongPasskey = 'That passkey was not accepted. Try again, or enter a code.';
const maxPasskeyLength = 8_192;

type Refusal = (waitMs: number) => { readonly text: string; readonly headers: Record<string, string> };
function problemOf(refused: FactorRefused, refusal: Refusal) {
  if (refused.refused === 'too_many_tries') return { status: 429, ...refusal(refused.waitMs) };
  return { status: 401, text: refused.refused === 'passkey_wrong' ? wrongPasskey : wrongCode, headers: {} };
}

interface SecondStepParts {
  readonly issuer: Pick<EmbeddedIssuer, 'factors' | 'secondSteps'>;
  readonly path: (id: string, last: string) => string;
  readonly send: Send;
  readonly overPage: Parameters<Send>[2];
  readonly fieldOf: (request: FastifyRequest, name: string) => string;
  readonly refusal: Refusal;
  readonly questionFor: (request: FastifyRequest, reply: FastifyReply) => Promise<Question | undefined>;
  readonly answer: (request: FastifyRequest, reply: FastifyReply, given: Answer) => Promise<unknown>;
  readonly factorChanged: ((accountId: string, change: FactorChange) => Promise<void>) | undefined;
}

/**
 * The part of a sign-in after the password. A person who has a second factor is asked for it. A person who has none and
 * needs one sets it up here: otherwise a policy that asks for a second factor would lock out everybody who has none.
 */
export function makeSecondStep(parts: SecondStepParts) {
  const { send, path, fieldOf, overPage } = parts;
  const { factors, secondSteps } = parts.issuer;
  const formOf = (question: Question, last: string, problem?: string) => ({
    action: path(question.id, last),
    refuseAction: path(question.id, '/refuse'),
    question,
    problem,
  });
  /** Asks for the factor. Each page has a challenge of its own for passkeys. */
  async function askForFactor(reply: FastifyReply, question: Question, accountId: string, refused?: FactorRefused) {
    const { status, text, headers } = refused
      ? problemOf(refused, parts.refusal)
      : { status: 200, text: undefined, headers: {} };
    const ways = await factors.waysToProve(accountId, question.id);
    return send(reply, status, factorPage({ ...formOf(question, '/factor', text), ways }), headers);
  }

  /** By the passkey if there is an answer of one, otherwise by the code. */
  async function proveBy(request: FastifyRequest, question: Question, accountId: string) {
    const passkey = fieldOf(request, 'passkey').slice(0, maxPasskeyLength);
    if (passkey) return factors.provePasskey(accountId, question.id, readJson(passkey));
    return factors.prove(accountId, fieldOf(request, 'code').slice(0, 32));
  }

  async function finish(request: FastifyRequest, reply: FastifyReply, question: Question, step: SecondStep) {
    await secondSteps.end(question.id);
    const { accountId: login, checkedAt, proved: methods = [] } = step;
    return parts.answer(request, reply, { login, checkedAt, methods });
  }

  async function beginSetUp(reply: FastifyReply, question: Question, who: Pick<SecondStep, 'accountId' | 'checkedAt'>) {
    const totp = await factors.beginTotp(who.accountId, 'Authenticator app', { asFirst: true });
    if ('refused' in totp) return send(reply, 400, overPage);
    const { id, secret, uri } = totp;
    await secondSteps.keep(question.id, { ...who, settingUp: { id, secret, uri } });
    return send(reply, 200, setUpPage({ ...formOf(question, '/set-up'), totp }));
  }

  async function find(request: FastifyRequest, reply: FastifyReply) {
    const question = await parts.questionFor(request, reply);
    const step = question && (await secondSteps.find(question.id));
    return step && { question, step };
  }

  return {
    /** Continues after the right password. */
    async begin(request: FastifyRequest, reply: FastifyReply, question: Question, account: Authenticated) {
      const { id: accountId, checkedAt } = account;
      if (await factors.has(accountId)) {
        await secondSteps.keep(question.id, { accountId, checkedAt });
        return askForFactor(reply, question, accountId);
      }
      if (question.wantsSecondFactor) return beginSetUp(reply, question, { accountId, checkedAt });
      return parts.answer(request, reply, { login: accountId, checkedAt, methods: [] });
    },

    mount(scope: FastifyInstance) {
      scope.post('/interaction/:id/factor', async (request, reply) => {
        const found = await find(request, reply);
        if (!found || found.step.settingUp || found.step.proved) return send(reply, 400, overPage);
        const { question, step } = found;
        const proof = await proveBy(request, question, step.accountId);
        if ('refused' in proof) return askForFactor(reply, question, step.accountId, proof);
        if (proof.by === 'recovery_code') await parts.factorChanged?.(step.accountId, 'recovery_code_used');
        return finish(request, reply, question, { ...step, proved: proof.methods });
      });

      scope.post('/interaction/:id/set-up', async (request, reply) => {
        const found = await find(request, reply);
        const totp = found?.step.settingUp;
        if (!found || !totp) return send(reply, 400, overPage);
        const { question, step } = found;
        const code = fieldOf(request, 'code').slice(0, 32);
        const done = await factors.confirmTotp(step.accountId, totp.id, code, { asFirst: true });
        if ('refused' in done) {
          // It expired, was started anew elsewhere, or the person has a factor from elsewhere by now.
          if (done.refused === 'not_found') return send(reply, 400, overPage);
          const { status, text, headers } = problemOf(done, parts.refusal);
          return send(reply, status, setUpPage({ ...formOf(question, '/set-up', text), totp }), headers);
        }
        await parts.factorChanged?.(step.accountId, 'factor_added');
        const proved = { accountId: step.accountId, checkedAt: step.checkedAt, proved: ['otp'] };
        await secondSteps.keep(question.id, proved);
        const sheet = recoveryCodesPage({
          action: path(question.id, '/kept'),
          question,
          codes: done.recoveryCodes ?? [],
        });
        return send(reply, 200, sheet);
      });

      scope.post('/interaction/:id/kept', async (request, reply) => {
        const found = await find(request, reply);
        if (!found?.step.proved) return send(reply, 400, overPage);
        return finish(request, reply, found.question, found.step);
      });
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
