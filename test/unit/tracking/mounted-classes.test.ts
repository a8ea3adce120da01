/** What pods have mounted of a class becomes one object with content. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_WAIT_MS, pods, running, Stage } from './mounted-stage.ts';

interface Case {
  readonly stage: () => Stage;
  readonly published: readonly string[];
  /** @default false */
  readonly isDynamic?: boolean;
}

const HISTORIES: Readonly<Record<string, Case>> = {
  'the first content is that of all': { stage: () => running(3), published: ['A begun'] },
  'a rotation reaches 300 pods one by one': {
    stage: () => running(300).all(pods(300), 'B').wait(),
    published: ['A begun', 'B'],
  },
  'one node is stuck: the others count at the maximum wait': {
    stage: () =>
      running(3)
        .all(pods(2), 'B')
        .wait(MAX_WAIT_MS - 1),
    published: ['A begun'],
  },
  'and then': { stage: () => running(3).all(pods(2), 'B').wait(), published: ['A begun', 'B'] },
  'and the next rotation counts too, and late news of the stuck node is none': {
    stage: () => running(3).all(pods(2), 'B').wait().all(pods(2), 'C').wait().set('web-2', 'C').wait(),
    published: ['A begun', 'B', 'C'],
  },
  'the next rotation beside a stuck node counts, though no pod has what is in force': {
    stage: () => running(3).all(pods(2), 'B').wait().all(pods(2), 'C').wait(),
    published: ['A begun', 'B', 'C'],
  },
  'the maximum wait begins with the first difference': {
    stage: () =>
      running(3)
        .set('web-0', 'B')
        .wait(MAX_WAIT_MS - 1)
        .set('web-1', 'B')
        .wait(1),
    published: ['A begun', 'B'],
  },
  'the pod that has it ends: what those on the stuck node have is no news': {
    stage: () =>
      running(3).all(pods(3), 'B').set('web-2', 'C').wait().drop('web-2').wait().set('new', 'C').wait(),
    published: ['A begun', 'B', 'C'],
  },
  'and one of them that is rotated back is news': {
    stage: () => running(3).set('web-2', 'C').wait().drop('web-2').set('web-0', 'B').set('web-0', 'A'),
    published: ['A begun', 'C', 'A'],
  },
  'a status that is written again with the same objects stays the last one': {
    stage: () =>
      running(4).all(['web-0', 'web-1'], 'B').set('web-2', 'C').set('web-2', 'C', { uid: 'another' }).wait(),
    published: ['A begun', 'C'],
  },
  'a rotation that reached one pod counts once those end that came back to what is in force': {
    stage: () => running(2).set('web-0', 'B').set('late', 'A').wait().drop('web-1', 'late'),
    published: ['A begun', 'B'],
  },
  'a rotation that is taken back is none': {
    stage: () => running(3).set('web-0', 'B').set('web-0', 'A').wait(),
    published: ['A begun'],
  },
  'a rotation that is taken back after a pod began with it: the pod runs it still': {
    stage: () => running(2).set('new', 'B').set('new', 'A'),
    published: ['A begun', 'A in doubt'],
  },
  'and the next one that is taken back is none': {
    stage: () => running(2).set('new', 'B').set('new', 'A').set('web-0', 'B').set('web-0', 'A'),
    published: ['A begun', 'A in doubt'],
  },
  'a pod began with what counts in the end': {
    stage: () => running(2).set('new', 'B').wait().all(pods(2), 'B'),
    published: ['A begun', 'B'],
  },
  'a single pod with a content of its own each time it starts': {
    stage: () => running(1).class().drop('web-0').set('new', 'B').drop('new').set('newer', 'C').wait(),
    published: ['A begun', 'A', 'B begun', 'C begun'],
  },
  'two pods with contents of their own': {
    stage: () => new Stage().set('a', 'A').set('b', 'B').listed().wait(),
    published: [],
    isDynamic: true,
  },
  'seven pods with contents of their own, all restarted': {
    stage: () => {
      const stage = new Stage();
      for (const [index, name] of pods(7).entries()) stage.set(name, 'ABCDEFG'[index] ?? '');
      return stage.listed().wait().drop('web-0').set('web-7', 'H').wait();
    },
    published: [],
    isDynamic: true,
  },
  'contents of their own while the scale goes 1, 2, 1, 2': {
    stage: () =>
      running(1)
        .set('b', 'B')
        .wait()
        // The one rollout of that.
        .set('c', 'C')
        .drop('web-0')
        .set('d', 'D')
        .drop('b')
        .wait()
        .drop('d')
        .wait()
        .set('e', 'E')
        .wait(),
    published: ['A begun', 'B'],
    isDynamic: true,
  },
  'they agree again': {
    stage: () => new Stage().set('a', 'A').set('b', 'B').listed().wait().set('a', 'C').set('b', 'C'),
    published: ['C'],
  },
  'without rotation: all pods are restarted by a person': {
    stage: () =>
      running(3)
        .all(pods(3, 'new'), 'B')
        .drop(...pods(3))
        .wait(),
    published: ['A begun', 'B begun'],
  },
  'without rotation: one new pod comes with a newer content': {
    stage: () => running(3).set('new', 'B').wait(),
    published: ['A begun', 'B'],
  },
  'all statuses are deleted, and others come': {
    stage: () =>
      running(3)
        .class()
        .drop(...pods(3))
        .wait()
        .all(pods(3, 'new'), 'B')
        .wait(),
    published: ['A begun', 'A', 'B begun'],
  },
  'the class is deleted and comes back': {
    stage: () => running(3).class().class(false).class().wait(),
    published: ['A begun', 'A', 'A'],
  },
  'neither the class nor a status is left': {
    stage: () => running(1).class().class(false).drop('web-0'),
    published: ['A begun', 'A', 'gone'],
  },
  'no versions, or empty ones, say nothing': {
    stage: () =>
      running(2).class().set('web-0', 'none').set('web-1', 'empty').set('c', 'B', { mounted: false }).wait(),
    published: ['A begun', 'A'],
  },
  'versions come back with a pod that began so: the others may have begun with what was before': {
    stage: () => running(2).all(pods(2), 'empty').set('new', 'B').all(pods(2), 'B'),
    published: ['A begun', 'B'],
  },
  'pods that told no version are gone': {
    stage: () => running(1).set('web-0', 'empty').drop('web-0').set('new', 'B'),
    published: ['A begun', 'gone', 'B begun'],
  },
  'a pod moves: its status is written again with the same objects': {
    stage: () => running(2).set('web-0', 'A', { uid: 'another' }).wait(),
    published: ['A begun'],
  },
  'a pod of the same name comes with another content': {
    stage: () => running(1).set('web-0', 'B', { uid: 'another' }).wait(),
    published: ['A begun', 'B begun'],
  },
  'fsGroup is written into all, and then the pods are restarted': {
    stage: () =>
      running(2)
        .all(pods(2), 'A')
        .all(pods(2, 'new'), 'B')
        .drop(...pods(2))
        .wait(),
    published: ['A begun', 'B begun'],
  },
  'a start in the middle of a rotation': {
    stage: () => new Stage('A').set('a', 'A').set('b', 'B', { generation: 2 }).listed().set('a', 'B'),
    published: ['A', 'B'],
  },
  'a start after a rotation': {
    stage: () => new Stage('A').all(pods(2), 'B', { generation: 2 }).listed(),
    published: ['B'],
  },
  'a start after all pods were restarted': {
    stage: () => new Stage('A').all(pods(2), 'B').listed(),
    published: ['B begun'],
  },
  'a list after a gap': {
    stage: () => {
      const stage = running(3);
      for (const name of pods(3)) stage.set(name, 'B', { isRelisted: true });
      assert.deepEqual(stage.published, ['A begun']);
      return stage.listed();
    },
    published: ['A begun', 'B'],
  },
  'a list after a gap in which pods of the same names came and were rotated': {
    stage: () => running(1).set('web-0', 'B', { isRelisted: true, uid: 'another', generation: 3 }).listed(),
    published: ['A begun', 'B'],
  },
  'a list after a gap in which a pod came and was rotated': {
    stage: () => running(1).set('new', 'A', { isRelisted: true, generation: 2 }).listed(),
    published: ['A begun', 'A in doubt'],
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

  test('is not decided before both streams have listed', () => {
    const stage = new Stage().set('a', 'A');
    stage.classes.observeStatus({ type: 'synced' }, undefined);
    assert.deepEqual(stage.published, []);
    assert.deepEqual(stage.listed().published, ['A begun']);
  });

  test('is weighed again when a term begins', () => {
    const stage = new Stage().set('a', 'A').set('b', 'B').listed().wait();
    stage.classes.reweigh();
    assert.deepEqual(stage.dynamic, ['db true', 'db false']);
  });

  test('takes no more memory once all is gone', () => {
    const stage = running(2)
      .class()
      .drop(...pods(2))
      .class(false);
    assert.deepEqual(stage.classes.size, { classes: 0, statuses: 0 });
    assert.equal(stage.classes.nextDueAt, undefined);
  });
});

test('law: what all pods agree on, and one came to last, is in force at once; what lasts longer than the maximum wait is in force or dynamic', () => {
  const step = fc.record({
    name: fc.constantFrom(...pods(4)),
    content: fc.constantFrom('A', 'B', 'C'),
    isGone: fc.boolean(),
    ms: fc.constantFrom(0, 1, MAX_WAIT_MS),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
      const stage = new Stage().listed();
      const mounts = new Map<string, string>();
      let last: string | undefined;
      for (const { name, content, isGone, ms } of steps) {
        if (isGone) {
          mounts.delete(name);
          stage.drop(name);
        } else {
          if (mounts.get(name) !== content) last = content;
          mounts.set(name, content);
          stage.set(name, content);
        }
        checkAgreement(stage, [...mounts.values()], last);
        checkEnd(stage.wait(ms), ms === MAX_WAIT_MS);
      }
    }),
  );
});

/** The oracle: by what the pods have, and what one came to last. */
function checkAgreement(stage: Stage, contents: readonly string[], last: string | undefined): void {
  const distinct = new Set(contents);
  const areOwn = distinct.size === contents.length;
  if (distinct.size !== 1 || contents[0] !== last || (stage.isDynamic && areOwn)) return;
  assert.equal(stage.inForce, contents[0]);
  assert.equal(stage.classes.nextDueAt, undefined);
}

function checkEnd(stage: Stage, isLong: boolean): void {
  if (isLong) assert.equal(stage.classes.nextDueAt, undefined);
}
