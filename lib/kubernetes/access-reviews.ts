/** Which rights the reloader has, as the API server answers SelfSubjectAccessReviews. */

import { ApiError, type ApiErrorCode } from './api-error.ts';
import { callJson } from './json-call.ts';
import { type Permission, ruleYaml } from './permissions.ts';
import type { Send } from './transport.ts';

/** What one review asks. */
export interface Question {
  readonly permission: Permission;
  readonly verb: string;
}

/** What is not known to be allowed after a round of questions. */
export interface Reviewed {
  /** Plainly answered with no. */
  readonly refused: readonly Question[];
  /** Not answered at all, or not asked any more. */
  readonly unanswered: readonly Question[];
  /** How long the server wants to be left alone, if it said so. */
  readonly retryAfterMs: number | undefined;
}

/** A right that is positively known to be missing. */
export interface MissingPermission {
  readonly permission: Permission;
  readonly verbs: readonly string[];
  /** For people: what is missing, and the rule to add. */
  readonly sentence: string;
}

/** A question for each verb of each permission. */
export function questionsOf(permissions: readonly Permission[]): Question[] {
  return permissions.flatMap((permission) => permission.rule.verbs.map((verb) => ({ permission, verb })));
}

/**
 * Asks `questions`, those of one permission together. Whatever is no answer leaves its question unanswered; where that
 * says something of the server the rest is not asked: it cannot be reached, or wants to be left alone. Never throws.
 */
export async function review(
  send: Send,
  questions: readonly Question[],
  signal?: AbortSignal,
): Promise<Reviewed> {
  const answers = new Map<Question, Answer>();
  for (const [, together] of Map.groupBy(questions, ({ permission }) => permission)) {
    const told = await Promise.all(together.map((question) => ask(send, question, signal)));
    for (const [index, question] of together.entries()) answers.set(question, told[index] ?? {});
    if (told.some(endsTheRound)) break;
  }
  const delays = [...answers.values()].map(({ error }) => error?.retryAfterMs ?? 0);
  const retryAfterMs = Math.max(0, ...delays);
  return {
    refused: questions.filter((question) => answers.get(question)?.isAllowed === false),
    unanswered: questions.filter((question) => answers.get(question)?.isAllowed === undefined),
    retryAfterMs: retryAfterMs === 0 ? undefined : retryAfterMs,
  };
}

/** What is told of the questions that were refused. */
export function missingOf(refused: readonly Question[]): MissingPermission[] {
  const byPermission = Map.groupBy(refused, ({ permission }) => permission);
  return [...byPermission].map(([permission, questions]) => {
    const lacking = new Set(questions.map(({ verb }) => verb));
    return describeMissing(
      permission,
      permission.rule.verbs.filter((verb) => lacking.has(verb)),
    );
  });
}

/** `isAllowed` is absent where there is no answer. */
interface Answer {
  readonly isAllowed?: boolean;
  readonly error?: ApiError;
}

/** What the next question would meet as well. */
const OF_THE_SERVER: ReadonlySet<ApiErrorCode> = new Set(['throttled', 'silent', 'unanswered', 'aborted']);

function endsTheRound({ error }: Answer): boolean {
  return error !== undefined && (error.retryAfterMs !== undefined || OF_THE_SERVER.has(error.code));
}

/** Of a rule with names only the first is asked for: without the others the reloader can do its work. */
async function ask(
  send: Send,
  { permission: { namespace, rule }, verb }: Question,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const resourceAttributes = {
    verb,
    group: rule.apiGroups[0],
    resource: rule.resources[0],
    ...(namespace === undefined ? {} : { namespace }),
    ...(rule.resourceNames === undefined ? {} : { name: rule.resourceNames[0] }),
  };
  const question = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  try {
    const { status } = await callJson<{ status?: { allowed?: boolean } }>(send, {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: JSON.stringify(question),
      ...(signal === undefined ? {} : { signal }),
    });
    return typeof status?.allowed === 'boolean' ? { isAllowed: status.allowed } : {};
  } catch (error) {
    return { error: ApiError.from(error) };
  }
}

function describeMissing(permission: Permission, verbs: readonly string[]): MissingPermission {
  const { namespace, rule } = permission;
  const name = rule.resourceNames === undefined ? '' : ` ${rule.resourceNames[0]}`;
  const what = `${rule.resources[0]}${name}`;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const role = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  const head = `The service account may not ${verbs.join(', ')} ${what} ${where}.`;
  const sentence = `${head} Add to ${role}:\n${ruleYaml(rule)}`;
  return { permission, verbs, sentence };
}
