/**
 * Second factors of the accounts of our own provider: what a person has besides the password, an authenticator app or a
 * passkey. A factor counts once it was confirmed by a first use. A person who has one is asked for it at every sign-in.
 */
export interface Factor {
  readonly id: string;
  readonly kind: FactorKind;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}
export const factorKinds = ['totp', 'passkey'] as const;
export type FactorKind = (typeof factorKinds)[number];

export interface OwnedFactors {
  /** Oldest first. */
  readonly factors: readonly Factor[];
  readonly recoveryCodesLeft: number;
}

/** What an authenticator app is given. It is shown once. */
export interface NewTotp {
  readonly id: string;
  readonly secret: string;
  readonly uri: string;
  readonly expiresAt: Date;
}

type RefusedFor<R extends string> = R extends 'too_many_tries'
  ? { readonly refused: R; readonly waitMs: number }
  : { readonly refused: R };
export type FactorRefused = RefusedFor<
  | 'code_wrong'
  | 'passkey_wrong'
  | 'passkeys_unavailable'
  | 'not_found'
  | 'too_many_factors'
  | 'last_factor'
  | 'no_factor'
  | 'too_many_tries'
>;

/** What a browser is handed to make a passkey: the JSON of the W3C (PublicKeyCredentialCreationOptionsJSON). */
export interface NewPasskey {
  readonly id: string;
  readonly options: object;
  readonly expiresAt: Date;
}

/** A factor that counts from now on. */
export interface Confirmed {
  readonly factor: Factor;
  /** With the first factor alone. They are shown this once. */
  readonly recoveryCodes: readonly string[] | undefined;
}

/** What a person may show a second factor with. Recovery codes are there for everybody who has a factor. */
export interface WaysToProve {
  readonly app: boolean;
  /** What a browser is handed to ask for a passkey (PublicKeyCredentialRequestOptionsJSON); undefined without one. */
  readonly passkey: object | undefined;
}

/** How a person showed a second factor. */
export interface FactorProof {
  readonly by: FactorKind | 'recovery_code';
  /** In the words of RFC 8176. */
  readonly methods: readonly string[];
}

/**
 * At a sign-in that showed the password alone, only the first factor is set up: `not_found` for an account that has one. A
 * thief of the password cannot add a second one beside it.
 */
export interface AsFirst {
  readonly asFirst: true;
}

export interface Factors {
  list(accountId: string): Promise<OwnedFactors>;
  has(accountId: string): Promise<boolean>;
  /** Begins anew: what was begun before and never confirmed is forgotten. */
  beginTotp(
    accountId: string,
    name: string,
    options?: AsFirst,
  ): Promise<NewTotp | RefusedFor<'not_found' | 'too_many_factors'>>;
  /** The factor counts from now on. Recovery codes come with the first one, and are shown this once. */
  confirmTotp(
    accountId: string,
    id: string,
    code: string,
    options?: AsFirst,
  ): Promise<Confirmed | RefusedFor<'not_found' | 'code_wrong' | 'too_many_tries'>>;
  /** Whether browsers make passkeys for this installation: not for an IP address, and not without TLS. */
  readonly takesPasskeys: boolean;
  beginPasskey(
    accountId: string,
    name: string,
  ): Promise<NewPasskey | RefusedFor<'not_found' | 'too_many_factors' | 'passkeys_unavailable'>>;
  /** Takes what the browser answered (RegistrationResponseJSON). The challenge is used up by this. */
  confirmPasskey(
    accountId: string,
    id: string,
    response: unknown,
  ): Promise<Confirmed | RefusedFor<'not_found' | 'passkey_wrong' | 'passkeys_unavailable' | 'too_many_tries'>>;
  /** With the last factor the recovery codes go as well; `keepLast` refuses to remove that one. */
  remove(
    accountId: string,
    id: string,
    options: { readonly keepLast: boolean },
  ): Promise<Factor | RefusedFor<'not_found' | 'last_factor'>>;
  /** The codes from before open nothing any more. */
  renewRecoveryCodes(accountId: string): Promise<readonly string[] | RefusedFor<'not_found' | 'no_factor'>>;
  /** Takes a code of an app, or a recovery code. Either is used up by this. */
  prove(
    accountId: string,
    code: string,
  ): Promise<FactorProof | RefusedFor<'not_found' | 'code_wrong' | 'too_many_tries'>>;
  /** What to ask for at this question. It makes a new challenge; one from before stops working. */
  waysToProve(accountId: string, questionId: string): Promise<WaysToProve>;
  /** Takes what the browser answered (AuthenticationResponseJSON). The challenge of the question is used up by this. */
  provePasskey(
    accountId: string,
    questionId: string,
    response: unknown,
  ): Promise<FactorProof | RefusedFor<'not_found' | 'passkey_wrong' | 'passkeys_unavailable' | 'too_many_tries'>>;
  /**
   * Removes all factors of a person who lost them, and ends every session of the account. Returns how many factors
   * there were.
   */
  reset(accountId: string): Promise<number>;
}

/** A sign-in between its password and its second factor. It belongs to one question, and so to one browser. */
export interface SecondStep {
  readonly accountId: string;
  /** The moment before the password was compared; it becomes the moment of the sign-in. */
  readonly checkedAt: Date;
  /** The app that is being set up on the way, if any. It is shown again after a wrong code. */
  readonly settingUp?: Pick<NewTotp, 'id' | 'secret' | 'uri'> | undefined;
  /** What was proved already, where only the recovery codes are left to be shown. */
  readonly proved?: readonly string[] | undefined;
  /** The codes that the person has not said to have kept yet. */
  readonly recoveryCodes?: readonly string[] | undefined;
}
export interface SecondSteps {
  keep(questionId: string, step: SecondStep): Promise<void>;
  find(questionId: string): Promise<SecondStep | undefined>;
  end(questionId: string): Promise<void>;
}

/** One try of a second factor, for those who count. */
export interface FactorTry {
  readonly by: FactorKind | 'recovery_code' | 'unknown';
  /** `cloned`: a passkey with a right signature and a count that was seen before. */
  readonly result: 'right' | 'wrong' | 'limited' | 'cloned';
}

/** How a request says that a sign-in must have a second factor (`acr_values`), and how a token says that it had one. */
export const secondFactorAcr = 'urn:gpuaas:acr:second-factor';
