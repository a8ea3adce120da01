/**
 * Asks the API server which rights the reloader has, by SelfSubjectAccessReviews, and which rights the bearer of a token has. A
 * missing answer is never taken for a refusal, nor for a permission.
 */

import { callJson } from './json-call.ts';
import { type Permission, ruleYaml } from './permissions.ts';
import type { Send } from './transport.ts';

/** One review: may the reloader do `verb` under `permission`? */
export interface Question {
  readonly permission: Permission;
  readonly verb: string;
}

/** The questions of a round that were not answered with yes. */
export interface Reviewed {
  /** Answered with no. */
  readonly refused: readonly Question[];
  /** Not answered, or not asked because the round ended early. */
  readonly unanswered: readonly Question[];
}

/** A permission with verbs that the API server has refused. */
export interface MissingPermission {
  readonly permission: Permission;
  readonly verbs: readonly string[];
  /** For the log: the missing right, and the rule to add. */
  readonly sentence: string;
}

/** A question for each verb of each permission. */
export function questionsOf(permissions: readonly Permission[]): Question[] {
  return permissions.flatMap((permission) => permission.rule.verbs.map((verb) => ({ permission, verb })));
}

/**
 * Asks `questions`, those of one permission at the same time. An error leaves its question unanswered, and the rest of the round
 * is not asked: it would most likely meet the same error. Never rejects.
 */
export async function review(
  send: Send,
  questions: readonly Question[],
  signal?: AbortSignal,
): Promise<Reviewed> {
  const answers = new Map<Question, boolean | 'failed' | undefined>();
  for (const [, batch] of Map.groupBy(questions, ({ permission }) => permission)) {
    await Promise.all(
      batch.map(async (question) => answers.set(question, await ask(send, question, signal))),
    );
    if ([...answers.values()].includes('failed')) break;
  }
  return {
    refused: questions.filter((question) => answers.get(question) === false),
    unanswered: questions.filter((question) => typeof answers.get(question) !== 'boolean'),
  };
}

/** The missing permissions behind `refused`, each with its refused verbs. */
export function missingOf(refused: readonly Question[]): MissingPermission[] {
  const byPermission = Map.groupBy(refused, ({ permission }) => permission);
  return [...byPermission].map(([permission, questions]) => {
    const verbs = permission.rule.verbs.filter((verb) => questions.some((one) => one.verb === verb));
    return { permission, verbs, sentence: sentenceOf(permission, verbs) };
  });
}

/** The status of any review; the part of a TokenReview's user that a SubjectAccessReview takes. */
interface ReviewStatus {
  readonly allowed?: boolean;
  readonly denied?: boolean;
  readonly authenticated?: boolean;
  readonly user?: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * Whether the API server knows the token, and its account may `get` the path outside of resources.
 *
 * @throws ApiError if it does not answer either question; the error has no part of the token
 */
export async function reviewReader(
  send: Send,
  token: string,
  path: string,
  signal: AbortSignal,
): Promise<'allowed' | 'unauthenticated' | 'forbidden'> {
  const { authenticated, user = {} } = await statusOf(send, 'TokenReview', { token }, signal);
  if (authenticated !== true) return 'unauthenticated';
  const { username, uid, groups, extra } = user;
  const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } };
  const { allowed, denied } = await statusOf(send, 'SubjectAccessReview', spec, signal);
  return allowed === true && denied !== true ? 'allowed' : 'forbidden';
}

/** Whether a ServiceAccount has a right; undefined: that is not known. Never rejects. */
export async function reviewAccount(
  send: Send,
  { namespace, account }: { readonly namespace: string; readonly account: string },
  resourceAttributes: object,
): Promise<boolean | undefined> {
  const user = `system:serviceaccount:${namespace}:${account}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const review = statusOf(send, 'SubjectAccessReview', { user, groups, resourceAttributes });
  return (await review.catch((): ReviewStatus => ({}))).allowed;
}

/** @throws ApiError if the server does not answer the review */
async function statusOf(
  send: Send,
  kind: 'TokenReview' | 'SubjectAccessReview' | 'SelfSubjectAccessReview',
  spec: object,
  signal?: AbortSignal,
): Promise<ReviewStatus> {
  const apiVersion = `${kind === 'TokenReview' ? 'authentication' : 'authorization'}.k8s.io/v1`;
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  const body = JSON.stringify({ apiVersion, kind, spec });
  const request = { method: 'POST', path, body, ...(signal && { signal }) } as const;
  return (await callJson<{ status?: ReviewStatus }>(send, request)).status ?? {};
}

/** Sends one review; undefined: the answer does not say. Of a rule with names it asks for the first one only: the reloader works without the others. */
async function ask(
  send: Send,
  { permission: { namespace, rule }, verb }: Question,
  signal: AbortSignal | undefined,
): Promise<boolean | 'failed' | undefined> {
  const [resource, subresource] = rule.resources[0]?.split('/') ?? [];
  const [group, name] = [rule.apiGroups[0], rule.resourceNames?.[0]];
  const resourceAttributes = { verb, group, resource, subresource, namespace, name };
  try {
    return (await statusOf(send, 'SelfSubjectAccessReview', { resourceAttributes }, signal)).allowed;
  } catch {
    return 'failed';
  }
}

function sentenceOf({ namespace, rule }: Permission, verbs: readonly string[]): string {
  const name = rule.resourceNames === undefined ? '' : ` ${rule.resourceNames[0]}`;
  const what = `${rule.resources[0]}${name}`;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const role = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  const head = `The service account may not ${verbs.join(', ')} ${what} ${where}.`;
  return `${head} Add to ${role}: ${ruleYaml(rule)}`;
}
