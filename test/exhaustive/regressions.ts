/** Histories that broke a rule once, each the shortest that was found. */

/** One of them; it begins with w1 and a reloader at rest. */
export interface Regression {
  readonly name: string;
  readonly comparable: boolean;
  readonly history: readonly string[];
  /** Kept to show the limit of several counters: a pod is left with what it read. */
  readonly isBeyondLimit?: true;
}

export const REGRESSIONS: readonly Regression[] = [
  {
    name: 'pods that start between the first list of the objects and that of the workloads may read what comes and goes',
    comparable: true,
    history: [
      'r becomes b',
      'news of r arrive',
      'the window of w1 ends',
      'the patch of w1 is in force',
      'w1 replaces a pod',
      'the reloader dies',
      'a reloader starts, and lists the ConfigMaps only',
      'r becomes a',
      'w1 replaces a pod',
      'the Deployments are listed',
      'r becomes b',
    ],
  },
  {
    name: 'a change seen between the first list of the objects and that of the workloads may have been read',
    comparable: true,
    history: [
      'r becomes b',
      'w1 gets a new template of its owner',
      'w1 replaces a pod',
      'the reloader dies',
      'a reloader starts, and lists the ConfigMaps only',
      'r becomes a',
      'news of r arrive',
    ],
  },
  {
    name: 'an owner that rolls a workload whose patch is under way is recorded at once',
    comparable: true,
    history: [
      'r becomes b',
      'w1 gets a new template of its owner',
      'w1 replaces a pod',
      'r becomes a',
      'news of r arrive',
      'the window of w1 ends',
      'news of w1 arrive',
      'news of w1 arrive',
      'the reloader dies',
    ],
  },
  {
    name: 'with several counters a late sign of life does not make a rollout look older than a change',
    comparable: false,
    history: [
      'r has its metadata edited',
      'r becomes b',
      'w1 gets a new template of its owner',
      'w1 replaces a pod',
      'w1 replaces a pod',
      'r becomes a',
      'news of w1 arrive',
      'news of w1 arrive',
      'news of w1 arrive',
      'news of r arrive',
      'news of r arrive',
      'news of r arrive',
    ],
    isBeyondLimit: true,
  },
  {
    name: 'with several counters a follower that is told late may have appeared before a change',
    comparable: false,
    history: [
      'w2 appears with no stamp',
      'w2 replaces a pod',
      'w2 opts out',
      'w2 opts in',
      'r becomes b',
      'news of r arrive',
    ],
    isBeyondLimit: true,
  },
  {
    name: 'with several counters what is told late, one after the other, seems to have come after a rollout that read it',
    comparable: false,
    history: [
      'r is deleted',
      'r becomes b',
      'w1 gets a new template of its owner',
      'w1 replaces a pod',
      'r becomes a',
      'w1 replaces a pod',
      'the Deployments are listed again',
    ],
    isBeyondLimit: true,
  },
  {
    name: 'what came and went while the watch was cut may have been read, also if the object was deleted since',
    comparable: true,
    history: [
      'r becomes b',
      'r becomes a',
      'news of r arrive',
      'the window of w1 ends',
      'the patch of w1 is in force',
      'w1 replaces a pod',
      'r is deleted',
      'the ConfigMaps are listed again',
      'r becomes b',
    ],
  },
  {
    name: 'what came and went while the object was not there may have been read by pods that start then',
    comparable: true,
    history: [
      'r becomes b',
      'w1 gets a new template of its owner',
      'w1 replaces a pod',
      'r is deleted',
      'the ConfigMaps are listed again',
      'r becomes a',
      'the Deployments are listed again',
    ],
  },
  {
    name: 'what was there for a while during an absence that nobody heard of may have been read',
    comparable: true,
    history: [
      'r is deleted',
      'r becomes b',
      'w1 gets a new template of its owner',
      'w1 replaces a pod',
      'r is deleted',
      'news of r arrive',
      'the ConfigMaps are listed again',
      'r becomes a',
    ],
  },
  {
    name: 'a workload that appeared before the object was deleted has read it, also if that is heard of first',
    comparable: true,
    history: [
      'w2 appears with no stamp',
      'w2 replaces a pod',
      'w2 replaces a pod',
      'r is deleted',
      'news of r arrive',
      'news of w2 arrive',
      'news of w2 arrive',
      'news of w2 arrive',
      'r becomes b',
    ],
  },
  {
    name: 'a patch whose answer was lost was in force until an owner replaced the template: its number is used',
    comparable: true,
    history: [
      'r becomes b',
      'news of r arrive',
      'the window of w1 ends',
      'the patch of w1 is in force',
      'w1 is replaced without its stamp',
      'the Deployments are listed again',
      'the answer to the patch of w1 is lost',
    ],
  },
];
