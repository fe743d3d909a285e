import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JWTVerifyGetKey } from 'jose';
import type { Fault } from '../../kernel/fault.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';
import type { Factors, SecondSteps } from './factors/port.ts';

export type * from './factors/port.ts';

/**
 * Authentication of people. The platform never sees a password: it gets tokens, and an identity provider says whose
 * they are. What a person may do is decided by roles that the platform keeps itself.
 */
export interface IdentityProvider {
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  /** By what name the people of this provider are kept. Our own keeps its name wherever the installation moves to. */
  readonly name: string;
  /**
   * How it is asked for a sign-in with a second factor (`acr_values`), and how its tokens say that there was one (`acr`);
   * undefined where no such name is known.
   */
  readonly secondFactorAcr: string | undefined;
  /** Checks signature, issuer, audience and dates. Throws only when the keys cannot be had at all. */
  verify(token: string): Promise<Proof | ProofRefused>;
  /** The same keys for those who verify themselves: finds the key that a token names. */
  readonly keys: JWTVerifyGetKey;
  /** Where browsers and programs go to sign in and out. */
  endpoints(): Promise<Endpoints>;
  /** Throws unless tokens can be verified now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type ProofRefused = Fault<'token_invalid' | 'token_expired'>;

/** What a verified token says. */
export interface Proof {
  readonly issuer: string;
  readonly subject: string;
  readonly kind: 'user' | 'service_account';
  readonly tokenId: string | undefined;
  readonly clientId: string | undefined;
  /** The sign-in that the token came from; all its tokens share it. */
  readonly sessionId: string | undefined;
  /** Narrows what the roles allow; undefined when the token does not say. */
  readonly scopes: ReadonlySet<string> | undefined;
  readonly authenticatedAt: Date | undefined;
  /** How the person proved themselves, in the words of RFC 8176. */
  readonly methods: readonly string[];
  /** Groups of the person in another system. A hint for the administrator who gives roles, never a role. */
  readonly claimedRoles: readonly string[];
  readonly expiresAt: Date;
}

export interface Endpoints {
  readonly authorize: string;
  readonly token: string;
  readonly device: string | undefined;
  readonly logout: string | undefined;
  readonly jwks: string;
  readonly revocation: string | undefined;
  readonly introspection: string | undefined;
}

/** The name of our own provider in the table of people. Its address is no name: installations move. */
export const ownIssuerName = 'urn:gpuaas:own-issuer';

/** The identity provider that we are ourselves: it also knows accounts, and answers the protocol's requests. */
export interface EmbeddedIssuer extends IdentityProvider {
  readonly accounts: Accounts;
  readonly clients: Clients;
  /** What people have besides their passwords. */
  readonly factors: Factors;
  /** Sign-ins between the password and the second factor. */
  readonly secondSteps: SecondSteps;
  /** The secret of the console's client, for the part of the api that signs browsers in. */
  readonly consoleSecret: string;
  /** Signs what a browser keeps for us. */
  readonly marks: Marks;
  /** What it keeps sealed. */
  readonly sealed: readonly SealedValues[];
  /**
   * Answers a protocol request whose url has lost the path of the issuer; `originalUrl` still has it. With `afterForm` the
   * answer to a form that a person sent is a redirect to where that says, and not a page.
   */
  handle(request: IncomingMessage, response: ServerResponse, afterForm?: SeeOther): Promise<void>;
  /** What a browser was sent to be asked; undefined when it is over, or another browser's. */
  question(request: IncomingMessage, response: ServerResponse): Promise<Question | undefined>;
  /** Answers the question and sends the browser on. */
  answer(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void>;
  /**
   * A token in the name of an account, without a sign-in. For the command line of the installation, which holds the
   * sealing key; nothing that is reached over the network calls it. It belongs to no session, and counts as a sign-in
   * of now without a second factor.
   */
  vouchFor(accountId: string, ttlMs: number): Promise<string>;
  /** Makes the next key sign from now on, without waiting for its time. What the old one signed stays valid. */
  rotateKeys(): Promise<void>;
}

/** Signatures of ours under texts that others hold. */
export interface Marks {
  sign(text: string): string;
  isOurs(text: string, signature: string): boolean;
}

export interface Question {
  readonly id: string;
  readonly kind: 'login' | 'consent';
  readonly clientName: string;
  /** Where the browser goes in the end; undefined when it stays here, as with a device's code. */
  readonly redirectUri: string | undefined;
  readonly loginHint: string | undefined;
  /** Who is asked to consent. */
  readonly accountId: string | undefined;
  /** What would be granted. Empty means: whatever the person's roles allow. */
  readonly scopes: readonly string[];
  /** Whether the program asks for a sign-in with a second factor. */
  readonly wantsSecondFactor: boolean;
}
export type Answer =
  /** `checkedAt` is that of the password; `methods` are those besides it, in the words of RFC 8176. */
  | { readonly login: string; readonly checkedAt: Date; readonly methods: readonly string[] }
  | { readonly consent: true }
  | { readonly refuse: true };

export interface Account {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
  readonly email: string | undefined;
  readonly createdAt: Date;
  readonly disabledAt: Date | undefined;
  /** When all its sign-ins were last ended: by a new password, a reset of its factors, or because it was disabled. */
  readonly signInsEndedAt: Date | undefined;
}
/** An account whose password was right. */
export interface Authenticated extends Account {
  /**
   * The moment before the password was compared. It becomes the moment of the sign-in: a sign-in that is finished later
   * still counts as one with the password of this moment.
   */
  readonly checkedAt: Date;
}
export type AccountRefused = { readonly refused: 'login_taken' | 'login_malformed' | 'password_weak' };

/** People who sign in here. Nobody has a password that was not chosen for them alone. */
export interface Accounts {
  /** Without a password nobody can sign in to the account until its one-time link was used. */
  create(account: {
    readonly login: string;
    readonly displayName: string;
    readonly email?: string;
    readonly password?: string;
  }): Promise<Account | AccountRefused>;
  /** Of several accounts with one mail address, the oldest. */
  find(
    by: { readonly id: string } | { readonly login: string } | { readonly email: string },
  ): Promise<Account | undefined>;
  /**
   * A link under which the person chooses a password, once. A new link ends the older ones.
   */
  makePasswordLink(id: string, ttlMs: number): Promise<string>;
  /**
   * The same for a person who asked by email, with a token that the email carries. It does nothing and returns false
   * while a link that was made within `restMs` is valid: a stranger who asks repeatedly does not end the link in the
   * mailbox.
   */
  offerPasswordLink(
    id: string,
    link: { readonly token: string; readonly ttlMs: number; readonly restMs: number },
  ): Promise<boolean>;
  /** Sets a password by such a link; undefined when the link is spent, late or unknown. */
  redeemPasswordLink(token: string, password: string): Promise<Account | AccountRefused | undefined>;
  /** Also ends every session of the account. */
  setPassword(id: string, password: string): Promise<AccountRefused | undefined>;
  /** Ends every session of the account, and no new one begins. Access tokens live on until they expire. */
  disable(id: string): Promise<void>;
  enable(id: string): Promise<void>;
  /** Ends every session of the account and deletes it, with name and mail address. */
  remove(id: string): Promise<void>;
  /** The account, if the password is right. Takes as long for a login that does not exist. */
  authenticate(login: string, password: string): Promise<Authenticated | undefined>;
}

/** Programs that sign in as themselves. */
export interface Clients {
  /** The secret is shown this once; only its hash is kept. */
  registerService(client: {
    readonly id: string;
    readonly name: string;
    readonly scopes?: readonly string[];
  }): Promise<{ readonly secret: string }>;
  remove(id: string): Promise<void>;
}

/** The hash of a password costs time and memory on purpose. More than this many at once are turned away. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy';
}

export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** What came of a form of the protocol, to be shown on a page of its own, and where that is. */
export type FormAnswer =
  | { readonly kind: 'deviceCode'; readonly form: Parameters<IssuerPages['deviceCode']>[0] }
  | { readonly kind: 'deviceConfirm'; readonly form: Parameters<IssuerPages['deviceConfirm']>[0] }
  | { readonly kind: 'problem'; readonly form: Parameters<IssuerPages['problem']>[0] };
export type SeeOther = (answer: FormAnswer, status: number) => { readonly location: string; readonly cookie: string };

/** The pages that the protocol itself asks for. `xsrf` travels in a hidden field of that name. */
export interface IssuerPages {
  deviceCode(form: { action: string; xsrf: string; code: string; problem: string | undefined }): Page;
  deviceConfirm(form: { action: string; xsrf: string; code: string; clientName: string; address: string }): Page;
  deviceDone(clientName: string): Page;
  /** `isMeant`: the program that asks has shown that the person signed in to it, so nothing is left to confirm. */
  signOut(form: { action: string; xsrf: string; returnTo: string | undefined; isMeant: boolean }): Page;
  signedOut(): Page;
  /** One button that sends on what the protocol prepared. */
  goOn(form: { action: string; fields: readonly (readonly [string, string])[] }): Page;
  problem(problem: { code: string; description: string | undefined }): Page;
}

export function pageOf(pages: IssuerPages, answer: FormAnswer): Page {
  switch (answer.kind) {
    case 'deviceCode':
      return pages.deviceCode(answer.form);
    case 'deviceConfirm':
      return pages.deviceConfirm(answer.form);
    case 'problem':
      return pages.problem(answer.form);
  }
}
