/** Connects what pods have mounted of classes with the reloader of the present term: to it a class is an object like any other. */

import { EVER } from '../model/timeline.ts';
import { MountedClasses } from '../tracking/mounted-classes.ts';
import type { Reloader } from './reloader.ts';

/** `reloader`: that of the present term. */
export function classContentsOf(reloader: () => Reloader): MountedClasses {
  return new MountedClasses({
    recorded: (ref) => reloader().store.persisted.entryOf(ref)?.digest,
    publish: (event) => reloader().onContent(event),
    onListed: (stream) => reloader().onListed(stream),
    onDynamic: (key) => reloader().reviewFollowers(key),
    // While a workload follows the class, its content stays current.
    onGone: (key) => {
      const { store } = reloader();
      const isFollowed = store.dependents.dependentsOf(key).size > 0;
      if (store.configs.has(key) && !isFollowed) reloader().onContent({ type: 'absent', key, span: EVER });
    },
  });
}
