/** What the annotations of a workload and of an object say about each other: a closed list of outcomes. */

/** Every outcome, and what it means. */
export const POLICIES = {
  named: 'an annotation of the workload names the object',
  matched: 'the workload searches what it refers to for the mark that the object carries',
  auto: 'the workload asks for all that it refers to',
  'typed-auto': 'the workload asks for all of this kind that it refers to',
  'auto-all': 'whatever a workload refers to is asked for, unless it says otherwise',
  excluded: 'an annotation of the workload excludes the object',
  ignored: 'the object is marked to be ignored',
  state: 'a reloader keeps its state in the object',
  disabled: 'a label of the workload says that it is not to be rolled',
  'not-matched': 'the workload searches for objects that carry a mark, and this one does not',
  unselected: 'its namespace is not selected',
  finished: 'it has finished, and only what still runs is created anew',
  suspended: 'it is suspended: whatever runs later reads what is in force then',
  'not-asked': 'no annotation of the workload asks for the object',
} as const;

/** The name of an outcome. */
export type PolicyReason = keyof typeof POLICIES;

/** Whether a workload is to be rolled for an object, and why. */
export interface Verdict {
  readonly asks: boolean;
  readonly because: PolicyReason;
}

/** How a pod template is stamped: by variables of its containers, or by its annotations. */
export type ReloadStrategy = 'env-vars' | 'annotations';
