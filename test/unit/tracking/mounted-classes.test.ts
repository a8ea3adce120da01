/** What pods have mounted of a class becomes one object with content. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { pods, running, STATUSES, Stage } from './mounted-stage.ts';

interface Case {
  readonly stage: () => Stage;
  readonly published: readonly string[];
  /** @default false */
  readonly isDynamic?: boolean;
}

const HISTORIES: Readonly<Record<string, Case>> = {
  'the first content is that of all': { stage: () => running(3), published: ['A begun'] },
  'a rotation reaches 300 pods one by one': {
    stage: () => running(300).all(pods(300), 'B'),
    published: ['A begun', 'B'],
  },
  'one node is stuck, at two rotations, and its late news is none': {
    stage: () => running(3).all(pods(2), 'B').all(pods(2), 'C').set('web-2', 'C'),
    published: ['A begun', 'B', 'C'],
  },
  'one of two nodes is stuck, at two rotations': {
    stage: () => running(2).set('web-0', 'B').set('web-0', 'C'),
    published: ['A begun', 'B', 'C'],
  },
  'a pod that has finished keeps an older content': {
    stage: () => running(2).set('web-0', 'B').set('new', 'B').drop('web-0').set('new', 'C'),
    published: ['A begun', 'B', 'C'],
  },
  'the pod that has it ends: what those on the stuck node have is no news': {
    stage: () => running(3).all(pods(3), 'B').set('web-2', 'C').drop('web-2').set('new', 'C'),
    published: ['A begun', 'B', 'C'],
  },
  'the pods with the current content and with a newer one of its own end: what is left is no news': {
    stage: () => running(2).set('web-0', 'B').set('new', 'C').drop('web-0', 'new'),
    published: ['A begun', 'B'],
  },
  'and one of them that is rotated back is news': {
    stage: () => running(3).set('web-2', 'C').drop('web-2').set('web-0', 'B').set('web-0', 'A'),
    published: ['A begun', 'C', 'A'],
  },
  'one node is stuck, and the rollout of a rotation is followed by no versions: nothing else was mounted': {
    stage: () =>
      running(2)
        .set('web-0', 'B')
        .all(['new', 'newer'], 'B')
        .drop('web-0')
        .set('new', 'empty')
        .set('web-1', 'empty'),
    published: ['A begun', 'B'],
  },
  'a status that is written again with the same objects changes nothing': {
    stage: () => running(3).set('web-0', 'B').set('web-1', 'A'),
    published: ['A begun', 'B'],
  },
  'a rotation that is taken back is two changes': {
    stage: () => running(3).set('web-0', 'B').set('web-0', 'A'),
    published: ['A begun', 'B', 'A'],
  },
  'a new pod has another content than all others': {
    stage: () => running(3).set('new', 'B'),
    published: ['A begun', 'B'],
  },
  'a new pod has another content than the only other one, which gets it too': {
    stage: () => running(1).set('new', 'B').set('web-0', 'B'),
    published: ['A begun', 'B'],
  },
  'or it is taken back: the pod runs it still': {
    stage: () => running(1).set('new', 'B').set('new', 'A'),
    published: ['A begun', 'A in doubt'],
  },
  'and the next one that is taken back is two changes': {
    stage: () => running(1).set('new', 'B').set('new', 'A').set('web-0', 'B').set('web-0', 'A'),
    published: ['A begun', 'A in doubt', 'B', 'A'],
  },
  'new pods have the same content': {
    stage: () => running(3).all(pods(3, 'new'), 'A'),
    published: ['A begun'],
  },
  'a single pod with a content of its own each time it starts': {
    stage: () => running(1).set('new', 'B').drop('web-0').set('newer', 'C').drop('new'),
    published: ['A begun', 'B begun', 'C begun'],
  },
  'it ends before the next one starts': {
    stage: () => running(1).class().drop('web-0').set('new', 'B').drop('new').set('newer', 'C'),
    published: ['A begun', 'A', 'B begun', 'C begun'],
  },
  'two pods with contents of their own, all rotated and restarted': {
    stage: () =>
      new Stage()
        .set('a', 'A')
        .set('b', 'B')
        .listed()
        .set('a', 'C')
        .set('b', 'D')
        .set('c', 'E')
        .drop('a', 'b'),
    published: ['E begun'],
  },
  'seven pods with contents of their own, all restarted': {
    stage: () => {
      const stage = new Stage();
      for (const [index, name] of pods(7).entries()) stage.set(name, 'ABCDEFG'[index] ?? '');
      return stage.listed().drop('web-0').set('web-7', 'H');
    },
    published: [],
    isDynamic: true,
  },
  'a second pod with a content of its own; both are rotated; the rollout of that; both are rotated again': {
    stage: () =>
      running(1)
        .set('b', 'B')
        .all(['web-0'], 'C')
        .all(['b'], 'D')
        .set('c', 'E')
        .drop('web-0')
        .set('d', 'F')
        .drop('b')
        .all(['c'], 'G')
        .all(['d'], 'H'),
    published: ['A begun', 'C'],
    isDynamic: true,
  },
  'they agree again': {
    stage: () => new Stage().set('a', 'A').set('b', 'B').listed().set('a', 'C').set('b', 'C'),
    published: ['C'],
  },
  'all statuses are deleted, and others come': {
    stage: () =>
      running(3)
        .class()
        .drop(...pods(3))
        .all(pods(3, 'new'), 'B'),
    published: ['A begun', 'A', 'B begun'],
  },
  'the class is deleted and comes back': {
    stage: () => running(3).class().class(false).class(),
    published: ['A begun', 'A', 'A'],
  },
  'neither the class nor a status is left': {
    stage: () => running(1).class().class(false).drop('web-0').class(false),
    published: ['A begun', 'A', 'gone'],
  },
  'no versions, or empty ones, say nothing': {
    stage: () =>
      running(2).class().set('web-0', 'none').set('web-1', 'empty').set('c', 'B', { mounted: false }),
    published: ['A begun', 'A'],
  },
  'versions come back with a pod that began so: the others may have begun with what was before': {
    stage: () => running(2).all(pods(2), 'empty').set('new', 'B').all(pods(2), 'B'),
    published: ['A begun', 'B'],
  },
  'versions come back, one after the other, with another content': {
    stage: () => running(2).set('web-0', 'empty').set('web-0', 'B'),
    published: ['A begun', 'B'],
  },
  'pods that told no version are gone': {
    stage: () => running(1).set('web-0', 'empty').drop('web-0').set('new', 'B'),
    published: ['A begun', 'gone', 'B begun'],
  },
  'a pod moves: its status is written again with the same objects': {
    stage: () => running(2).set('web-0', 'A', { uid: 'another' }),
    published: ['A begun'],
  },
  'a pod of the same name comes with another content': {
    stage: () => running(1).set('web-0', 'B', { uid: 'another' }),
    published: ['A begun', 'B begun'],
  },
  'the last one counts at a start, whatever the order of the list': {
    stage: () =>
      new Stage('A').set('a', 'B', { generation: 2 }).set('b', 'C').set('c', 'C').set('d', 'A').listed(),
    published: ['A'],
  },
  'a start in the middle of a rotation': {
    stage: () => new Stage('A').set('a', 'A').set('b', 'B', { generation: 2 }).listed().set('a', 'B'),
    published: ['B'],
  },
  'a start in the middle of a rotation, of which the state knows': {
    stage: () => new Stage('B').set('a', 'A').set('b', 'B', { generation: 2 }).listed().set('a', 'B'),
    published: ['B'],
  },
  'a start after a rotation': {
    stage: () => new Stage('A').all(pods(2), 'B', { generation: 2 }).listed(),
    published: ['B'],
  },
  'a start after a rotation that a finished pod has not got, and the state knows another one': {
    stage: () => new Stage('B').set('job', 'A').set('web', 'C', { generation: 2 }).listed(),
    published: ['C'],
  },
  'a start after all pods were restarted': {
    stage: () => new Stage('A').all(pods(2), 'B').listed(),
    published: ['B begun'],
  },
  'a start with a new pod and one that has what the state knows, which then gets it too': {
    stage: () => new Stage('A').set('a', 'A').set('b', 'B').listed().set('a', 'B'),
    published: ['A', 'B'],
  },
  'the same without a state: which content is the first one is known when they agree': {
    stage: () => new Stage().set('a', 'A').set('b', 'B').listed().set('a', 'B'),
    published: ['B'],
  },
  'a list after a gap': {
    stage: () => running(3).set('web-0', 'B', { isRelisted: true }).set('web-1', 'B', { isRelisted: true }),
    published: ['A begun', 'B'],
  },
  'a list after a gap in which pods of the same names came and were rotated': {
    stage: () => running(1).set('web-0', 'B', { isRelisted: true, uid: 'another', generation: 3 }),
    published: ['A begun', 'B'],
  },
  'two namespaces': {
    stage: () => running(2).set('x', 'B', { namespace: 'other' }).all(pods(2), 'C'),
    published: ['A begun', 'other B begun', 'C'],
  },
};

describe('the content of a class', () => {
  for (const [name, { stage, published, isDynamic = false }] of Object.entries(HISTORIES)) {
    test(name, () => {
      const played = stage();
      assert.deepEqual(played.published, published);
      assert.equal(played.isDynamic, isDynamic);
    });
  }

  test('is published only once both streams have listed, and before that is said', () => {
    const stage = new Stage().set('a', 'A');
    stage.classes.observeStatus(STATUSES, { type: 'synced' });
    assert.deepEqual([stage.published, stage.listedKinds], [[], ['SecretProviderClassPodStatus']]);
    assert.deepEqual(stage.listed().published, ['A begun']);
  });
});

test('law: what a running pod comes to, or what two pods agree on, is current at once if it came last; what ends changes nothing', () => {
  const step = fc.record({
    name: fc.constantFrom(...pods(4)),
    content: fc.constantFrom('A', 'B', 'C'),
    isGone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
      const stage = running(4).class();
      const mounts = new Map(pods(4).map((name) => [name, 'A']));
      for (const { name, content, isGone } of steps)
        if (isGone) checkEnd(stage, mounts, name);
        else checkMount(stage, mounts, name, content);
    }),
  );
});

function checkEnd(stage: Stage, mounts: Map<string, string>, name: string): void {
  const { current, isDynamic } = stage;
  mounts.delete(name);
  stage.drop(name);
  if (!isDynamic) assert.equal(stage.current, current);
}

function checkMount(stage: Stage, mounts: Map<string, string>, name: string, content: string): void {
  const { current } = stage;
  const former = mounts.get(name);
  mounts.set(name, content);
  stage.set(name, content);
  const isShared = [...mounts.values()].filter((each) => each === content).length > 1;
  const isLast = former !== content && (former === current || isShared);
  if (isLast) assert.equal(stage.current, content);
}
