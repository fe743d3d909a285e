import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type {
  Answer,
  Authenticated,
  EmbeddedIssuer,
  FactorRefused,
  Question,
  SecondStep,
} from '../../ports/identity-provider/port.ts';
import type { AfterForm, Outcome } from './after-form.ts';
import { factorPage, recoveryCodesPage, setUpPage } from './factor-pages.ts';
import type { Send } from './layout.ts';

/** A change of second factors during sign-in; the person is notified by email. */
export type FactorChange = 'factor_added' | 'recovery_code_used';

const wrongCode = 'That code is wrong, or was used before. Wait for the next one and try again.';
const wrongPasskey = 'That passkey was not accepted. Try again, or enter a code.';
const maxPasskeyLength = 8_192;
const maxCodeLength = 32;

type Refusal = (waitMs: number) => { readonly text: string; readonly headers: Record<string, string> };
const problemOf = (refused: FactorRefused): Outcome =>
  refused.refused === 'too_many_tries'
    ? { status: 429, waitMs: refused.waitMs }
    : { status: 401, problem: refused.refused === 'passkey_wrong' ? wrongPasskey : wrongCode };

interface SecondStepParts {
  readonly issuer: Pick<EmbeddedIssuer, 'factors' | 'secondSteps'>;
  readonly path: (id: string, last: string) => string;
  readonly send: Send;
  readonly afterForm: AfterForm;
  readonly isOver: (reply: FastifyReply) => FastifyReply;
  readonly fieldOf: (request: FastifyRequest, name: string) => string;
  readonly refusal: Refusal;
  readonly questionFor: (request: FastifyRequest, reply: FastifyReply) => Promise<Question | undefined>;
  readonly answer: (request: FastifyRequest, reply: FastifyReply, given: Answer) => Promise<unknown>;
  readonly factorChanged: ((accountId: string, change: FactorChange) => Promise<void>) | undefined;
}

/** The page on which a sign-in stands after its password. */
const lastOf = (step: SecondStep): '/factor' | '/set-up' | '/kept' =>
  step.proved ? '/kept' : step.settingUp ? '/set-up' : '/factor';

/**
 * The part of a sign-in after the password. A person who has a second factor is asked for it. A person who has none and
 * needs one sets it up here: otherwise a policy that asks for a second factor would lock out everybody who has none.
 */
export function makeSecondStep(parts: SecondStepParts) {
  const { path, isOver, afterForm } = parts;
  const { factors, secondSteps } = parts.issuer;

  async function finish(request: FastifyRequest, reply: FastifyReply, question: Question, step: SecondStep) {
    await secondSteps.end(question.id);
    const { accountId: login, checkedAt, proved: methods = [] } = step;
    return parts.answer(request, reply, { login, checkedAt, methods });
  }
  async function find(request: FastifyRequest, reply: FastifyReply) {
    const question = await parts.questionFor(request, reply);
    const step = question && (await secondSteps.find(question.id));
    return step && { question, step };
  }
  /** Keeps where the sign-in stands, and sends the browser to the page of it. */
  async function goTo(reply: FastifyReply, question: Question, step: SecondStep) {
    await secondSteps.keep(question.id, step);
    return afterForm.go(reply, path(question.id, lastOf(step)));
  }
  const refuse = (reply: FastifyReply, question: Question, step: SecondStep, refused: FactorRefused) =>
    afterForm.go(reply, path(question.id, lastOf(step)), problemOf(refused));

  return {
    /** Continues after the right password. */
    async begin(request: FastifyRequest, reply: FastifyReply, question: Question, account: Authenticated) {
      const { id: accountId, checkedAt } = account;
      if (await factors.has(accountId)) return goTo(reply, question, { accountId, checkedAt });
      if (!question.wantsSecondFactor) {
        return parts.answer(request, reply, { login: accountId, checkedAt, methods: [] });
      }
      const totp = await factors.beginTotp(accountId, 'Authenticator app', { asFirst: true });
      if ('refused' in totp) return isOver(reply);
      const { id, secret, uri } = totp;
      return goTo(reply, question, { accountId, checkedAt, settingUp: { id, secret, uri } });
    },

    mount(scope: FastifyInstance) {
      const show = makeShow(parts);
      for (const last of ['/factor', '/set-up', '/kept'] as const) {
        scope.get(`/interaction/:id${last}`, async (request, reply) => {
          const found = await find(request, reply);
          if (!found) return isOver(reply);
          // A page that the Back button led to, and that is done.
          if (lastOf(found.step) !== last) return afterForm.go(reply, path(found.question.id, lastOf(found.step)));
          return show(request, reply, found);
        });
      }

      scope.post('/interaction/:id/factor', async (request, reply) => {
        const found = await find(request, reply);
        if (!found || lastOf(found.step) !== '/factor') return isOver(reply);
        const { question, step } = found;
        const proof = await proveBy(parts, request, found);
        if ('refused' in proof) return refuse(reply, question, step, proof);
        if (proof.by === 'recovery_code') await parts.factorChanged?.(step.accountId, 'recovery_code_used');
        return finish(request, reply, question, { ...step, proved: proof.methods });
      });

      scope.post('/interaction/:id/set-up', async (request, reply) => {
        const found = await find(request, reply);
        const totp = found?.step.settingUp;
        if (!found || !totp) return isOver(reply);
        const { question, step } = found;
        const code = parts.fieldOf(request, 'code').slice(0, maxCodeLength);
        const done = await factors.confirmTotp(step.accountId, totp.id, code, { asFirst: true });
        if ('refused' in done) {
          // It expired, was started anew elsewhere, or the person has a factor from elsewhere by now.
          return done.refused === 'not_found' ? isOver(reply) : refuse(reply, question, step, done);
        }
        await parts.factorChanged?.(step.accountId, 'factor_added');
        const { accountId, checkedAt } = step;
        const recoveryCodes = done.recoveryCodes ?? [];
        return goTo(reply, question, { accountId, checkedAt, proved: ['otp'], recoveryCodes });
      });

      scope.post('/interaction/:id/kept', async (request, reply) => {
        const found = await find(request, reply);
        if (!found?.step.proved) return isOver(reply);
        return finish(request, reply, found.question, found.step);
      });
    },
  };
}

interface Found {
  readonly question: Question;
  readonly step: SecondStep;
}

/** By the passkey if there is an answer of one, otherwise by the code. */
async function proveBy({ issuer, fieldOf }: SecondStepParts, request: FastifyRequest, { question, step }: Found) {
  const passkey = fieldOf(request, 'passkey').slice(0, maxPasskeyLength);
  if (passkey) return issuer.factors.provePasskey(step.accountId, question.id, readJson(passkey));
  return issuer.factors.prove(step.accountId, fieldOf(request, 'code').slice(0, maxCodeLength));
}

/** The page of a sign-in that stands after its password, with the problem of the form before it. */
const makeShow =
  ({ issuer, path, send, afterForm, refusal }: SecondStepParts) =>
  async (request: FastifyRequest, reply: FastifyReply, { question, step }: Found) => {
    const outcome = afterForm.take(request, reply);
    const waits = outcome?.waitMs === undefined ? undefined : refusal(outcome.waitMs);
    const form = {
      action: path(question.id, lastOf(step)),
      refuseAction: path(question.id, '/refuse'),
      question,
      problem: waits?.text ?? outcome?.problem,
    };
    const answer = (sheet: Parameters<Send>[2]) => send(reply, outcome?.status ?? 200, sheet, waits?.headers);
    if (step.proved) return answer(recoveryCodesPage({ ...form, codes: step.recoveryCodes ?? [] }));
    if (step.settingUp) return answer(setUpPage({ ...form, totp: step.settingUp }));
    // Each page has a challenge of its own for passkeys.
    return answer(factorPage({ ...form, ways: await issuer.factors.waysToProve(step.accountId, question.id) }));
  };

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
